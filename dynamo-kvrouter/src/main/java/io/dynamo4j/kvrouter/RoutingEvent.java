// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Objects;

/** Something that happened to a request at a {@link KvRouter}. */
public sealed interface RoutingEvent {

  /**
   * A rank was chosen and the request booked on it.
   *
   * @param worker the choice
   * @param promptTokens of the request
   * @param cachedTokens of them that the choice counts on
   * @param overlapBlocks cached blocks that the choice counts on, weighted by tier
   * @param bestOverlapBlocks most blocks that any rank of the index holds on its device
   * @param decisionNanos choosing and booking, without the time that the request waited in a queue
   * @param totalNanos the same with hashing and lookup, which are not counted where a queue is
   * @param blockHashNanos hashing the prompt's blocks, 0 if that was not needed
   * @param sequenceHashNanos chaining those hashes, 0 if that was not needed
   * @param lookupNanos asking the index, 0 if none was asked
   */
  record Booked(
      WorkerWithDpRank worker,
      int promptTokens,
      int cachedTokens,
      double overlapBlocks,
      int bestOverlapBlocks,
      long decisionNanos,
      long totalNanos,
      long blockHashNanos,
      long sequenceHashNanos,
      long lookupNanos)
      implements RoutingEvent {
    public Booked {
      Objects.requireNonNull(worker, "worker");
    }
  }

  /**
   * A booked request ended, however it ended.
   *
   * @param worker where it was booked
   * @param promptTokens of the request
   * @param outputTokens that were reported
   * @param firstTokenNanos from booking to the first token, negative if none came
   * @param lastTokenNanos from booking to the last token, negative if none came
   */
  record Ended(
      WorkerWithDpRank worker,
      int promptTokens,
      long outputTokens,
      long firstTokenNanos,
      long lastTokenNanos)
      implements RoutingEvent {
    public Ended {
      Objects.requireNonNull(worker, "worker");
    }
  }

  /**
   * The queue did not take a request, or gave it up.
   *
   * @param policyClass in which it would have waited
   * @param limit what stood against it
   */
  record Rejected(String policyClass, QueueRejectedException.Limit limit) implements RoutingEvent {
    public Rejected {
      Objects.requireNonNull(policyClass, "policyClass");
      Objects.requireNonNull(limit, "limit");
    }
  }
}
