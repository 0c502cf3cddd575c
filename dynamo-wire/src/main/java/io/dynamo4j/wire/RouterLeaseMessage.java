// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import java.util.List;
import java.util.Objects;

/**
 * What routers of this library tell each other beside active sequences, on a topic of its own that
 * other peers do not read: that they live, what they hold, and all of it to whoever asks.
 */
public sealed interface RouterLeaseMessage {

  /** Returns the sender's id, an unsigned 64-bit pattern. */
  long routerId();

  /**
   * The sender lives and holds these bookings.
   *
   * @param publisherId the sender's source of active sequences
   * @param nextSequence number of the next message of that source: what was sent before it adds up
   *     to the digest
   * @param digest order-free digest of the sender's own bookings
   * @param bookings how many they are
   * @param leaseMillis how long they count without another sign of life; 0 ends them
   */
  record Lease(
      long routerId,
      long publisherId,
      long nextSequence,
      long digest,
      int bookings,
      long leaseMillis)
      implements RouterLeaseMessage {}

  /**
   * The sender misses something.
   *
   * @param ownerId who should send all it holds; meaningless if everybody should
   * @param everybody whether all routers should
   */
  record SnapshotRequest(long routerId, long ownerId, boolean everybody)
      implements RouterLeaseMessage {}

  /**
   * All bookings of the sender, or a part of them.
   *
   * @param publisherId the sender's source of active sequences
   * @param nextSequence number of the next message of that source: the snapshot holds what was sent
   *     before it
   * @param part number of this part, from 0
   * @param parts how many parts there are; parts of one snapshot have the same next sequence
   * @param bookings additions only; unmodifiable
   */
  record Snapshot(
      long routerId,
      long publisherId,
      long nextSequence,
      int part,
      int parts,
      List<ActiveSequenceEvent> bookings)
      implements RouterLeaseMessage {

    public Snapshot {
      Objects.checkIndex(part, parts);
      bookings = List.copyOf(bookings);
    }
  }
}
