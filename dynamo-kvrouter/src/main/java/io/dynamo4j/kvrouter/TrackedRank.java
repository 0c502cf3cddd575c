// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import org.jspecify.annotations.Nullable;

/**
 * What the bookings of one rank add up to.
 *
 * <p><b>Threads.</b> Of its tracker.
 */
final class TrackedRank {
  /** Its number in the tracker: small, and nobody else's. */
  final int index;

  final WorkerWithDpRank worker;
  final PrefillQueue prefills = new PrefillQueue();

  /** Distinct blocks of prompts. */
  long promptBlocks;

  double outputWeight;
  int outputBlocks;
  int requests;

  /** Whether it was among those whose load changes with time when its figures were told last. */
  boolean toldDecaying;

  @Nullable TrackedBooking head;

  // Blocks that weigh less than 1, and what they lack of it together.
  private long lightBlocks;
  private double missing;

  TrackedRank(int index, WorkerWithDpRank worker) {
    this.index = index;
    this.worker = worker;
  }

  /** Returns the weight of all blocks, rounded half up. */
  long blocks() {
    return lightBlocks == 0 && outputBlocks == 0
        ? promptBlocks
        : Math.round(promptBlocks - missing + outputWeight);
  }

  /** Gives blocks another weight. */
  void weigh(int blocks, double before, double after) {
    if (before == after) {
      return;
    }
    lightBlocks += (after == 1 ? 0 : blocks) - (before == 1 ? 0 : blocks);
    // A sum of fractions drifts; without any it is exactly 0.
    missing = lightBlocks == 0 ? 0 : missing + blocks * (before - after);
  }

  void link(TrackedBooking booking) {
    booking.next = head;
    if (head != null) {
      head.previous = booking;
    }
    head = booking;
    requests++;
  }

  void unlink(TrackedBooking booking) {
    if (booking.previous == null) {
      head = booking.next;
    } else {
      booking.previous.next = booking.next;
    }
    if (booking.next != null) {
      booking.next.previous = booking.previous;
    }
    booking.previous = null;
    booking.next = null;
    requests--;
  }
}
