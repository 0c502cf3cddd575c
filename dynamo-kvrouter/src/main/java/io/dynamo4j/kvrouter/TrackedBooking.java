// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import org.jspecify.annotations.Nullable;

/**
 * One living booking, in the lists of its rank, of the run in which its prompt ends, and of the
 * prompts that are not computed yet.
 *
 * <p><b>Threads.</b> Of its tracker.
 */
final class TrackedBooking extends PrefillQueue.Item {
  final Booking booking;
  final TrackedRank rank;
  boolean prefillCompleted;
  int outputBlocks;
  double outputWeight;

  /** Where the prompt ends, null if it has no block. */
  @Nullable PrefixRun run;

  @Nullable TrackedBooking previousEnd;
  @Nullable TrackedBooking nextEnd;
  @Nullable TrackedBooking previous;
  @Nullable TrackedBooking next;

  TrackedBooking(Booking booking, TrackedRank rank) {
    super(booking.prefillTokens(), booking.expectedPrefillNanos());
    this.booking = booking;
    this.rank = rank;
  }

  void setOutputWeight(double weight) {
    // A sum of fractions drifts; without blocks it is exactly 0.
    rank.outputWeight = rank.outputBlocks == 0 ? 0 : rank.outputWeight + weight - outputWeight;
    outputWeight = weight;
  }
}
