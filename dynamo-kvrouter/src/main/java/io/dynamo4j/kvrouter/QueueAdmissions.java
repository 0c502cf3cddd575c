// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The steps of a router's queue, each under the router's lock. */
final class QueueAdmissions implements AdmissionQueue.Admissions {
  private final ReentrantLock lock;
  private final FleetView fleet;
  private final RouterBookings bookings;
  private final RouterDecisions decisions;
  private final RoutingReports reports;

  QueueAdmissions(
      ReentrantLock lock,
      FleetView fleet,
      RouterBookings bookings,
      RouterDecisions decisions,
      RoutingReports reports) {
    this.lock = lock;
    this.fleet = fleet;
    this.bookings = bookings;
    this.decisions = decisions;
    this.reports = reports;
  }

  @Override
  public long bestCachedTokens(SchedulingRequest request, Prompt prompt) {
    lock.lock();
    try {
      decisions.refresh();
      int count = fleet.collect(request);
      if (count == 0) {
        throw fleet.explain(request, false);
      }
      return fleet.bestCachedTokens(request, prompt, count);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean mayGo(SchedulingRequest request, PolicyClass policy) {
    lock.lock();
    try {
      decisions.refresh();
      int count = fleet.collect(request);
      return count == 0 ? !fleet.isOverload(request) : !fleet.allBusy(policy, count);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable RequestLease admit(
      SchedulingRequest request, Prompt prompt, PolicyClass policy) {
    long startNanos = reports.nanoTime();
    RequestLease lease;
    lock.lock();
    try {
      decisions.refresh();
      if (fleet.allBusy(policy, fleet.collect(request))) {
        return null;
      }
      lease = decisions.selectAndBook(request, prompt);
    } finally {
      lock.unlock();
    }
    reports.booked(lease, prompt, startNanos, startNanos);
    return lease;
  }

  @Override
  public boolean isBooked(BookingKey key) {
    lock.lock();
    try {
      decisions.refresh();
      return bookings.isBooked(key);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int workerCount() {
    lock.lock();
    try {
      decisions.refresh();
      return fleet.table().snapshot().size();
    } finally {
      lock.unlock();
    }
  }
}
