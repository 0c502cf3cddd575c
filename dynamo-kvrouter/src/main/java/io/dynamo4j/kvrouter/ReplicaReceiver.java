// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.collect.LongObjectMap;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.wire.ActiveSequenceBatch;
import io.dynamo4j.wire.ActiveSequenceEvent;
import io.dynamo4j.wire.ActiveSequenceEvent.Kind;
import io.dynamo4j.wire.RouterLeaseMessage.Lease;
import io.dynamo4j.wire.RouterLeaseMessage.Snapshot;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a {@link ReplicaMirror} of every other router, from their messages.
 *
 * <p>Routers that speak of leases are held to them: what is missing is asked for, and silence ends
 * all of their bookings at once. Others, Dynamo's own, are believed as they are, and each of their
 * bookings ages by itself. Workers may mark what runs on them. Everything else that strangers say
 * of bookings that are not theirs is counted and ignored.
 *
 * <p><b>Threads.</b> Belongs to the router's lock.
 */
final class ReplicaReceiver {
  private static final int MAX_ROUTERS = 1_024;
  private static final int MAX_BOOKINGS = 100_000;
  private static final long MAX_LEASE_MILLIS = 86_400_000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final long ownRouterId;
  private final ReplicaBookings bookings;
  private final ReplicaOutbox own;
  private final long expiryNanos;
  private final long seed;
  private final LongObjectMap<ReplicaMirror> byRouter;
  private final LongObjectMap<ReplicaMirror> retired;
  private final List<ReplicaMirror> mirrors = new ArrayList<>();
  private final ReplicaCounts counts;

  ReplicaReceiver(
      long ownRouterId,
      ReplicaBookings bookings,
      ReplicaOutbox own,
      long expiryNanos,
      long seed,
      ReplicaCounts counts) {
    this.ownRouterId = ownRouterId;
    this.bookings = bookings;
    this.own = own;
    this.expiryNanos = expiryNanos;
    this.seed = seed;
    this.counts = counts;
    this.byRouter = LongObjectMap.create(seed);
    this.retired = LongObjectMap.create(seed);
  }

  /** Returns the routers that are heard of; a view. */
  List<ReplicaMirror> mirrors() {
    return mirrors;
  }

  /** Returns whether a mirror still stands for its router. */
  boolean isCurrent(ReplicaMirror mirror) {
    return byRouter.get(mirror.routerId()) == mirror;
  }

  /* --------------- Events --------------- */

  /** Applies a message; returns the mirror if something before it is missing. */
  @Nullable ReplicaMirror apply(EventEnvelope envelope, ActiveSequenceBatch batch, long nowNanos) {
    counts.rejected += batch.rejected();
    long sequence = envelope.sequence();
    ReplicaMirror mirror = senderOf(envelope, batch, nowNanos);
    if (mirror != null) {
      mirror.heardNanos = nowNanos;
      if (!mirror.arrive(sequence)) {
        counts.duplicates++;
        return null;
      }
    }
    for (ActiveSequenceEvent event : batch.events()) {
      if (event.routerId() == ownRouterId) {
        counts.foreign++;
      } else if (mirror != null && event.routerId() == mirror.routerId()) {
        apply(event, mirror, sequence, nowNanos);
      } else {
        applyForeign(event);
      }
    }
    if (mirror == null) {
      return null;
    }
    mirror.tidy();
    return mirror.needsSnapshot() ? mirror : null;
  }

  private void apply(
      ActiveSequenceEvent event, ReplicaMirror mirror, long sequence, long nowNanos) {
    boolean done =
        switch (event.kind()) {
          case ADD_REQUEST -> mirror.add(event, sequence, nowNanos);
          case MARK_PREFILL_COMPLETED ->
              mirror.markPrefillCompleted(event.requestId(), event.worker(), sequence, nowNanos);
          case FREE ->
              mirror.free(event.requestId(), event.worker(), sequence) || freeForeign(event);
        };
    if (done) {
      counts.applied++;
    } else {
      counts.unmatched++;
    }
  }

  /** Applies what a sender says of bookings that are not its own. */
  private void applyForeign(ActiveSequenceEvent event) {
    boolean isOfWorker =
        event.kind() == Kind.MARK_PREFILL_COMPLETED
            && event.routerId() == event.worker().workerId();
    if (!isOfWorker) {
      if (event.kind() == Kind.FREE && freeForeign(event)) {
        counts.applied++;
      } else {
        counts.foreign++;
      }
      return;
    }
    boolean done = own.markPrefillCompleted(event.requestId(), event.worker());
    for (ReplicaMirror mirror : mirrors) {
      done |= mirror.markPrefillCompleted(event.requestId(), event.worker());
    }
    if (done) {
      counts.workerMarks++;
    } else {
      counts.unmatched++;
    }
  }

  /** Any router may end what is booked by one that speaks of no lease, as among Dynamo's. */
  private boolean freeForeign(ActiveSequenceEvent event) {
    boolean done = false;
    for (ReplicaMirror mirror : mirrors) {
      if (!mirror.speaksOfLeases()) {
        done |= mirror.freeForeign(event.requestId(), event.worker());
      }
    }
    return done;
  }

  private @Nullable ReplicaMirror senderOf(
      EventEnvelope envelope, ActiveSequenceBatch batch, long nowNanos) {
    for (ReplicaMirror mirror : mirrors) {
      if (mirror.publisherId() == envelope.publisherId()) {
        return mirror;
      }
    }
    for (ActiveSequenceEvent event : batch.events()) {
      if (event.kind() == Kind.ADD_REQUEST && event.routerId() != ownRouterId) {
        ReplicaMirror mirror = mirrorOf(event.routerId(), envelope.publisherId(), nowNanos);
        if (mirror != null) {
          mirror.startAt(envelope.sequence());
        }
        return mirror;
      }
    }
    return null;
  }

  /* --------------- Leases --------------- */

  /** Takes a sign of life; returns the mirror if something is missing. */
  @Nullable ReplicaMirror apply(Lease lease, long nowNanos) {
    if (lease.routerId() == ownRouterId) {
      counts.foreign++;
      return null;
    }
    if (lease.leaseMillis() == 0) {
      ReplicaMirror leaving = byRouter.get(lease.routerId());
      if (leaving != null && leaving.publisherId() == lease.publisherId()) {
        end(leaving);
      }
      return null;
    }
    ReplicaMirror mirror = mirrorOf(lease.routerId(), lease.publisherId(), nowNanos);
    if (mirror == null) {
      return null;
    }
    mirror.heardNanos = nowNanos;
    mirror.leaseNanos = Math.min(lease.leaseMillis(), MAX_LEASE_MILLIS) * NANOS_PER_MILLI;
    return mirror.compare(lease.nextSequence(), lease.digest()) ? null : mirror;
  }

  /** Takes a part of a snapshot. */
  void apply(Snapshot snapshot, long nowNanos) {
    if (snapshot.routerId() == ownRouterId) {
      counts.foreign++;
      return;
    }
    ReplicaMirror mirror = mirrorOf(snapshot.routerId(), snapshot.publisherId(), nowNanos);
    if (mirror == null) {
      return;
    }
    mirror.heardNanos = nowNanos;
    if (mirror.snapshot(
        snapshot.nextSequence(),
        snapshot.part(),
        snapshot.parts(),
        snapshot.bookings(),
        nowNanos)) {
      counts.snapshots++;
    }
  }

  /** Ends routers whose lease is over; O(routers). */
  void expireRouters(long nowNanos) {
    for (int i = mirrors.size() - 1; i >= 0; i--) {
      ReplicaMirror mirror = mirrors.get(i);
      if (mirror.speaksOfLeases() && nowNanos - mirror.heardNanos > mirror.leaseNanos) {
        counts.expiredRouters++;
        counts.expiredBookings += mirror.size();
        end(mirror);
      }
    }
  }

  /** Ends old bookings of routers that speak of no lease; O(their bookings). */
  void expireBookings(long nowNanos) {
    for (int i = mirrors.size() - 1; i >= 0; i--) {
      ReplicaMirror mirror = mirrors.get(i);
      if (!mirror.speaksOfLeases()) {
        counts.expiredBookings += mirror.expire(nowNanos, expiryNanos);
        if (mirror.size() == 0 && nowNanos - mirror.heardNanos > expiryNanos) {
          end(mirror);
        }
      }
    }
  }

  /* --------------- Mirrors --------------- */

  /** Finds or makes the mirror of a router; null if the message is of a former life of it. */
  private @Nullable ReplicaMirror mirrorOf(long routerId, long publisherId, long nowNanos) {
    ReplicaMirror known = byRouter.get(routerId);
    if (known != null && known.publisherId() == publisherId) {
      return known;
    }
    if (retired.get(publisherId) != null || (known == null && mirrors.size() == MAX_ROUTERS)) {
      counts.foreign++;
      return null;
    }
    if (known != null) {
      end(known);
      if (retired.size() < MAX_ROUTERS) {
        retired.put(known.publisherId(), known);
      }
    }
    ReplicaMirror fresh = new ReplicaMirror(routerId, publisherId, bookings, seed, MAX_BOOKINGS);
    fresh.heardNanos = nowNanos;
    byRouter.put(routerId, fresh);
    mirrors.add(fresh);
    return fresh;
  }

  private void end(ReplicaMirror mirror) {
    mirror.end();
    mirrors.remove(mirror);
    byRouter.remove(mirror.routerId());
  }
}
