// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.WorkerInstance;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A chosen worker and the load booked on it, until {@link #close}.
 *
 * <p>The booking also ends when its worker leaves the directory; whatever the lease does after that
 * is harmless.
 *
 * <p><b>Threads.</b> Any, except that {@link #addOutputTokens} has one caller at a time.
 */
public final class RequestLease implements AutoCloseable {
  private final KvRouter router;
  private final Booking booking;
  private final WorkerInstance instance;
  private final WorkerSelectionResult selection;
  private final AtomicBoolean freed = new AtomicBoolean();
  private final AtomicBoolean prefillCompleted = new AtomicBoolean();
  private final long expectedOutputTokens;
  private long outputTokens;
  private long tokensToNextBlock;

  /**
   * Wraps a booking.
   *
   * @param tokensToNextBlock room in the prompt's last, partial block
   * @param expectedOutputTokens length of the answer if that is known, else negative
   */
  RequestLease(
      KvRouter router,
      Booking booking,
      WorkerInstance instance,
      WorkerSelectionResult selection,
      long tokensToNextBlock,
      long expectedOutputTokens) {
    this.router = router;
    this.booking = booking;
    this.instance = instance;
    this.selection = selection;
    this.tokensToNextBlock = tokensToNextBlock;
    this.expectedOutputTokens = expectedOutputTokens;
  }

  /** Returns what the booking is known by. */
  public BookingKey key() {
    return booking.key();
  }

  public WorkerWithDpRank worker() {
    return booking.worker();
  }

  /** Returns the record of {@link #worker} at the time of the choice. */
  public WorkerInstance instance() {
    return instance;
  }

  /** Returns what the choice was based on. */
  public WorkerSelectionResult selection() {
    return selection;
  }

  /** Takes the prompt's tokens off the worker's load; further calls do nothing. */
  public void markPrefillCompleted() {
    if (prefillCompleted.compareAndSet(false, true)) {
      router.markPrefillCompleted(booking);
    }
  }

  /**
   * Reports generated tokens. Each block that they begin counts as load if the router tracks output
   * blocks; else nothing happens. Where the request says how long its answer will be, what it holds
   * alone weighs less and less towards its end.
   *
   * @throws IllegalArgumentException if {@code count} is negative
   */
  public void addOutputTokens(int count) {
    if (count < 0) {
      throw new IllegalArgumentException(
          "output tokens must not be negative: request=" + booking.key() + ", count=" + count);
    }
    outputTokens += count;
    tokensToNextBlock -= count;
    while (tokensToNextBlock < 0 && router.addOutputBlock(booking, remaining())) {
      tokensToNextBlock += router.blockSize();
    }
  }

  /** Returns the part of the answer still to come, or NaN if its length is unknown. */
  private double remaining() {
    if (expectedOutputTokens < 0) {
      return Double.NaN;
    }
    return Math.max(0, 1 - (double) outputTokens / Math.max(1, expectedOutputTokens));
  }

  /** Ends the booking; only the first call does anything. */
  @Override
  public void close() {
    if (freed.compareAndSet(false, true)) {
      router.free(booking);
    }
  }

  @Override
  public String toString() {
    return "RequestLease[key=" + booking.key() + ", worker=" + booking.worker() + "]";
  }
}
