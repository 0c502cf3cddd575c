// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.propertytests;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.kvrouter.Booking;
import io.dynamo4j.kvrouter.BookingKey;
import io.dynamo4j.kvrouter.WorkerCandidates;
import io.dynamo4j.kvrouter.WorkerLoad;

/** A host's wrapper, which remembers the most bookings that lived at one time. */
public final class PeakTracker implements ActiveBlockTracker {
  private final ActiveBlockTracker tracker;
  private int peak;

  public PeakTracker(ActiveBlockTracker tracker) {
    this.tracker = tracker;
  }

  /** Returns the most bookings that lived at one time. */
  public int peak() {
    return peak;
  }

  @Override
  public void book(Booking booking) {
    tracker.book(booking);
    peak = Math.max(peak, tracker.bookingCount());
  }

  @Override
  public boolean markPrefillCompleted(Booking booking) {
    return tracker.markPrefillCompleted(booking);
  }

  @Override
  public boolean addOutputBlock(Booking booking) {
    return tracker.addOutputBlock(booking);
  }

  @Override
  public boolean addOutputBlock(Booking booking, double remaining) {
    return tracker.addOutputBlock(booking, remaining);
  }

  @Override
  public boolean free(Booking booking) {
    return tracker.free(booking);
  }

  @Override
  public void removeRank(WorkerWithDpRank rank) {
    tracker.removeRank(rank);
  }

  @Override
  public void project(long[] sequenceHashes, int count, WorkerCandidates candidates) {
    tracker.project(sequenceHashes, count, candidates);
  }

  @Override
  public WorkerLoad load(WorkerWithDpRank worker) {
    return tracker.load(worker);
  }

  @Override
  public boolean isBooked(BookingKey key) {
    return tracker.isBooked(key);
  }

  @Override
  public int bookingCount() {
    return tracker.bookingCount();
  }
}
