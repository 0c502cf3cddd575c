// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.plane.WorkerInstance;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Every booking that counts at a router: its own, each under a lease, and those that other routers
 * told it of. The tracker always adds up to exactly these.
 *
 * <p>A lease that sees no progress for the configured time ends by itself, so that whoever forgets
 * to close one leaks load for a while only; progress after that brings the booking back.
 *
 * <p><b>Threads.</b> Belongs to the router's lock.
 */
final class RouterBookings {
  private final ActiveBlockTracker tracker;
  private final NanoClock clock;
  private final long expiryNanos;
  private final LeaseList leases = new LeaseList();
  private final ReplicaBookings replicas;
  private BookingEvents events = BookingEvents.NONE;
  private @Nullable ReplicaReceiver receiver;
  private RankTable table = RankTable.EMPTY;
  private long expiredCount;

  RouterBookings(ActiveBlockTracker tracker, NanoClock clock, Duration expiry) {
    this.tracker = tracker;
    this.clock = clock;
    this.expiryNanos = expiry.toNanos();
    this.replicas = new ReplicaBookings(tracker);
  }

  ActiveBlockTracker tracker() {
    return tracker;
  }

  ReplicaBookings replicas() {
    return replicas;
  }

  LeaseList leases() {
    return leases;
  }

  /** Begins to tell other routers, and to count what they tell. */
  void shareWith(BookingEvents listener, ReplicaReceiver others) {
    this.events = listener;
    this.receiver = others;
  }

  /** Returns how many leases ended for want of progress. */
  long expiredCount() {
    return expiredCount;
  }

  /* --------------- The life of one booking --------------- */

  /**
   * Counts a booking that has no lease yet.
   *
   * @throws DynamoException of type {@code DUPLICATE_REQUEST} if its key, or its request at another
   *     router, is booked
   */
  void book(Booking booking) {
    @Nullable WorkerWithDpRank elsewhere = replicas.workerOf(booking.key().requestId());
    if (elsewhere != null) {
      throw new DynamoException(
          ErrorType.DUPLICATE_REQUEST,
          "request is booked by another router: request=" + booking.key() + ", worker=" + elsewhere,
          elsewhere);
    }
    tracker.book(booking);
  }

  /** Returns whether {@link #book} would refuse the key. */
  boolean isBooked(BookingKey key) {
    return tracker.isBooked(key) || replicas.workerOf(key.requestId()) != null;
  }

  /** Takes back a booking that never got a lease. */
  void withdraw(Booking booking) {
    tracker.free(booking);
  }

  /** Puts a booking under its lease. */
  void open(RequestLease lease) {
    long now = clock.nanoTime();
    lease.progressNanos = now;
    leases.add(lease, now);
    events.booked(lease);
  }

  void markPrefillCompleted(RequestLease lease) {
    if (tracker.markPrefillCompleted(lease.booking())) {
      events.prefillCompleted(lease);
    }
  }

  /** Adds an output block; false if the booking is gone. */
  boolean addOutputBlock(RequestLease lease, double remaining) {
    return Double.isNaN(remaining)
        ? tracker.addOutputBlock(lease.booking())
        : tracker.addOutputBlock(lease.booking(), remaining);
  }

  void close(RequestLease lease) {
    end(lease);
  }

  private void end(RequestLease lease) {
    if (leases.remove(lease)) {
      lease.booking().ended(lease.outputTokens());
      tracker.free(lease.booking());
      events.freed(lease);
    }
  }

  /* --------------- Expiry --------------- */

  /** Ends leases without progress and routers without a sign of life; O(1) unless one is old. */
  void expire() {
    long now = clock.nanoTime();
    if (receiver != null) {
      receiver.expireRouters(now);
    }
    for (RequestLease lease = leases.expired(now, expiryNanos);
        lease != null;
        lease = leases.expired(now, expiryNanos)) {
      lease.expired = true;
      expiredCount++;
      end(lease);
    }
  }

  /** Brings an expired booking back because its request lives; unless its key or worker is gone. */
  void revive(RequestLease lease) {
    if (!lease.expired || lease.isClosed() || !isRegistered(lease)) {
      return;
    }
    lease.expired = false;
    lease.booking().teachesNothing();
    try {
      book(lease.booking());
    } catch (DynamoException takenMeanwhile) {
      return;
    }
    open(lease);
    if (lease.isPrefillCompleted()) {
      markPrefillCompleted(lease);
    }
  }

  private boolean isRegistered(RequestLease lease) {
    int index = table.indexOf(lease.worker());
    return index >= 0 && table.instance(index).incarnation() == lease.instance().incarnation();
  }

  /* --------------- Workers that come and go --------------- */

  /** Ends bookings of ranks that are gone or start anew, and counts what waited for new ones. */
  void tableChanged(RankTable next) {
    for (int i = 0; i < table.size(); i++) {
      WorkerWithDpRank rank = table.rank(i);
      int index = next.indexOf(rank);
      boolean stays = index >= 0 && sameLife(table.instance(i), next.instance(index));
      if (!stays) {
        leases.forEach(
            lease -> {
              if (lease.worker().equals(rank)) {
                end(lease);
              }
            });
        replicas.rankGone(rank);
        tracker.removeRank(rank);
      }
    }
    table = next;
    replicas.ranksKnown(next);
  }

  private static boolean sameLife(WorkerInstance before, WorkerInstance after) {
    return before.incarnation() == after.incarnation();
  }
}
