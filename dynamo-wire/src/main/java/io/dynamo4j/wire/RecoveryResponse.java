// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import java.util.OptionalLong;

/** What a rank answers to a {@link RecoveryQuery}. */
public sealed interface RecoveryResponse
    permits RecoveryResponse.Events,
        RecoveryResponse.TreeDump,
        RecoveryResponse.TreeDumpFailed,
        RecoveryResponse.TooNew,
        RecoveryResponse.InvalidRange,
        RecoveryResponse.Failed {

  /**
   * The events from the wanted number on.
   *
   * @param events in order
   * @param lastEventId where the reader is after them, unsigned
   */
  record Events(RouterEventBatch events, long lastEventId) implements RecoveryResponse {}

  /**
   * Everything: a snapshot, then perhaps the events since, removals included. They replace what is
   * known of the rank, in this order; the numbers inside mean nothing.
   *
   * @param events in order
   * @param lastEventId where the reader is after them, unsigned
   * @param parts of how many items this is the first: after it come that many {@link Events} less
   *     one, which go on where it ends, if the query was {@link RecoveryQuery#inParts}
   */
  record TreeDump(RouterEventBatch events, long lastEventId, int parts)
      implements RecoveryResponse {

    /** Everything in one item. */
    public TreeDump(RouterEventBatch events, long lastEventId) {
      this(events, lastEventId, 1);
    }
  }

  /**
   * Everything was wanted and could not be listed.
   *
   * @param lastEventId the newest number, unsigned
   * @param message why
   */
  record TreeDumpFailed(long lastEventId, String message) implements RecoveryResponse {}

  /**
   * Nothing is as new as that.
   *
   * @param requestedStart as it was asked for
   * @param requestedEnd as it was asked for, or the newest
   * @param newestAvailable the newest number, unsigned
   */
  record TooNew(OptionalLong requestedStart, OptionalLong requestedEnd, long newestAvailable)
      implements RecoveryResponse {}

  /**
   * The end lies before the start.
   *
   * @param startId as it was asked for, unsigned
   * @param endId as it was asked for, unsigned
   */
  record InvalidRange(long startId, long endId) implements RecoveryResponse {}

  /**
   * The rank cannot answer, for instance because another worker or rank was meant.
   *
   * @param message why
   */
  record Failed(String message) implements RecoveryResponse {}
}
