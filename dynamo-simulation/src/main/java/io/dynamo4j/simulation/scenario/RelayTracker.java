// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.kvrouter.Booking;
import io.dynamo4j.kvrouter.WorkerCandidates;
import io.dynamo4j.kvrouter.WorkerLoad;

/** Passes everything on; a subclass changes what it overrides. */
class RelayTracker implements ActiveBlockTracker {
  private final ActiveBlockTracker delegate;

  RelayTracker(ActiveBlockTracker delegate) {
    this.delegate = delegate;
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
  public int bookingCount() {
    return delegate.bookingCount();
  }
}
