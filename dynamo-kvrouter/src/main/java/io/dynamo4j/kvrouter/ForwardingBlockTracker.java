// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Objects;

/**
 * Passes every operation on to another tracker: a base for one that changes or watches a few.
 *
 * <p><b>Threads.</b> Those of the other tracker.
 */
public abstract class ForwardingBlockTracker implements ActiveBlockTracker {
  private final ActiveBlockTracker delegate;

  /** Begins to pass on to a tracker, of which this one becomes the only user. */
  protected ForwardingBlockTracker(ActiveBlockTracker delegate) {
    this.delegate = Objects.requireNonNull(delegate, "delegate");
  }

  @Override
  public void book(Booking booking) {
    delegate.book(booking);
  }

  @Override
  public boolean markPrefillCompleted(Booking booking) {
    return delegate.markPrefillCompleted(booking);
  }

  @Override
  public boolean addOutputBlock(Booking booking) {
    return delegate.addOutputBlock(booking);
  }

  @Override
  public boolean addOutputBlock(Booking booking, double remaining) {
    return delegate.addOutputBlock(booking, remaining);
  }

  @Override
  public boolean free(Booking booking) {
    return delegate.free(booking);
  }

  @Override
  public void removeRank(WorkerWithDpRank rank) {
    delegate.removeRank(rank);
  }

  @Override
  public void project(long[] sequenceHashes, int count, WorkerCandidates candidates) {
    delegate.project(sequenceHashes, count, candidates);
  }

  @Override
  public WorkerLoad load(WorkerWithDpRank worker) {
    return delegate.load(worker);
  }

  @Override
  public boolean isBooked(BookingKey key) {
    return delegate.isBooked(key);
  }

  @Override
  public int bookingCount() {
    return delegate.bookingCount();
  }
}
