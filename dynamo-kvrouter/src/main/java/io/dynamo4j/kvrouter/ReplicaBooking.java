// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;

/**
 * A booking of another router as this one sees it.
 *
 * <p><b>Threads.</b> {@link #counted} and {@link #doubted} belong to the router's lock, the rest to
 * the lane of replica sync.
 */
final class ReplicaBooking {
  private final Booking booking;
  private final String requestId;

  /** Whether the tracker holds it: not while its rank is unknown here. */
  boolean counted;

  /** Whether its rank left since it was told: its owner has to confirm it. */
  boolean doubted;

  /** Whether its prompt counts still. */
  boolean prefillPending;

  /** Number of the message that said the last of it. */
  long sequence;

  /** When it was last heard of. */
  long heardNanos;

  ReplicaBooking(Booking booking, String requestId) {
    this.booking = booking;
    this.requestId = requestId;
    this.prefillPending = booking.prefillTokens() > 0;
  }

  Booking booking() {
    return booking;
  }

  WorkerWithDpRank worker() {
    return booking.worker();
  }

  String requestId() {
    return requestId;
  }
}
