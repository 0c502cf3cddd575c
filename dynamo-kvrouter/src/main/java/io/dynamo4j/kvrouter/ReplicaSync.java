// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.wire.ActiveSequenceBatch;
import io.dynamo4j.wire.ActiveSequenceCodec;
import io.dynamo4j.wire.ActiveSequenceEvent;
import io.dynamo4j.wire.RouterLeaseCodec;
import io.dynamo4j.wire.RouterLeaseMessage;
import io.dynamo4j.wire.RouterLeaseMessage.Lease;
import io.dynamo4j.wire.RouterLeaseMessage.Snapshot;
import io.dynamo4j.wire.RouterLeaseMessage.SnapshotRequest;
import io.dynamo4j.wire.WireFormatException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells other routers of this router's bookings and counts theirs.
 *
 * <p>On Dynamo's topic each booking, computed prompt and end is one event, so that Dynamo's routers
 * take part. On a topic of its own each router says three times a lease that it lives, how many
 * messages it has sent and what they add up to; who misses one asks, and gets all that is held.
 *
 * <p><b>Threads.</b> Messages are sent, read and timed on a lane of its own; what they change
 * belongs to the router's lock. Bookings never wait for either.
 */
final class ReplicaSync {
  /** Looks at a gap this many times a lease, until it is closed. */
  private static final int CHECKS_PER_LEASE = 16;

  private static final int SIGNS_PER_LEASE = 3;
  private static final int BOOKINGS_PER_PART = 256;
  private static final long MAX_AGE_MILLIS = 10_000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final ReentrantLock lock;
  private final RouterBookings bookings;
  private final ReplicaOutbox outbox;
  private final ReplicaReceiver receiver;
  private final Runnable loadChanged;
  private final ReplicaCounts counts = new ReplicaCounts();
  private final Scheduler lane;
  private final InstantSource wallClock;
  private final LeaseConfig config;
  private final long routerId;
  private final long publisherId;
  private final ReplicaLink link;
  private final long leaseNanos;

  // Of the lane.
  private long nextSequence;
  private @Nullable Cancellable timer;
  private boolean answering;
  private long lastAnswerNanos;
  private boolean finished;

  /**
   * Joins.
   *
   * @param loadChanged told, without the lock, that others may have ended bookings
   */
  ReplicaSync(
      ReentrantLock lock,
      RouterBookings bookings,
      ReplicaSyncOptions options,
      LeaseConfig config,
      boolean tracksPrefillTokens,
      Runnable loadChanged) {
    this.lock = lock;
    this.loadChanged = loadChanged;
    this.bookings = bookings;
    this.config = config;
    this.lane = options.lane();
    this.wallClock = options.wallClock();
    this.routerId = options.routerId();
    this.publisherId = options.publisherId();
    this.leaseNanos = config.routerLease().toNanos();
    this.outbox = new ReplicaOutbox(routerId, tracksPrefillTokens, () -> onLane(this::flush));
    this.receiver =
        new ReplicaReceiver(
            routerId,
            bookings.replicas(),
            outbox,
            config.activeRequestExpiry().toNanos(),
            options.seed(),
            counts);
    this.lastAnswerNanos = lane.clock().nanoTime() - leaseNanos;
    this.link = new ReplicaLink(options, this::onEvents, this::onLease);
    link.open();
    bookings.shareWith(outbox, receiver);
    onLane(this::join);
  }

  /** Says goodbye, which ends this router's bookings elsewhere, and stops. */
  void close() {
    link.stopListening();
    if (!onLane(this::finish)) {
      link.close();
    }
  }

  ReplicaSyncStatus status() {
    lock.lock();
    try {
      long now = lane.clock().nanoTime();
      long silent = 0;
      int behind = 0;
      for (ReplicaMirror mirror : receiver.mirrors()) {
        silent = Math.max(silent, now - mirror.heardNanos);
        behind += mirror.needsSnapshot() ? 1 : 0;
      }
      return new ReplicaSyncStatus(
          routerId,
          receiver.mirrors().size(),
          bookings.replicas().size(),
          silent,
          behind,
          counts.published,
          counts.unpublished + outbox.droppedCount(),
          counts.applied,
          counts.unmatched,
          counts.duplicates,
          counts.foreign,
          counts.undecodable + counts.rejected,
          counts.workerMarks,
          counts.requests,
          counts.answers,
          counts.snapshots,
          counts.expiredRouters,
          counts.expiredBookings,
          link.isOpen());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns who is heard of, and who missed a sign of life; under the lock.
   *
   * @param expected how many others there should be
   */
  PeerFigures peers(int expected) {
    long now = lane.clock().nanoTime();
    List<PeerFigures.Silence> silent = new ArrayList<>();
    for (ReplicaMirror mirror : receiver.mirrors()) {
      long silence = now - mirror.heardNanos;
      if (mirror.speaksOfLeases() && silence > mirror.leaseNanos * 2 / SIGNS_PER_LEASE) {
        silent.add(new PeerFigures.Silence(mirror.routerId(), silence, mirror.leaseNanos));
      }
    }
    return new PeerFigures(expected, receiver.mirrors().size(), counts.expiredRouters, silent);
  }

  /* --------------- Sending --------------- */

  private void join() {
    askEverybody();
    tick();
  }

  private void askEverybody() {
    send(new SnapshotRequest(routerId, 0, true));
    counts(counted -> counted.requests++);
  }

  private void tick() {
    if (finished) {
      return;
    }
    // First, so that no trouble of the plane's ends the signs of life.
    timer = lane.schedule(this::tick, leaseNanos / SIGNS_PER_LEASE);
    if (!link.isOpen()) {
      link.open();
      askEverybody();
    }
    sayAlive(config.routerLease().toMillis());
    lock.lock();
    try {
      long now = lane.clock().nanoTime();
      receiver.expireRouters(now);
      receiver.expireBookings(now);
    } finally {
      lock.unlock();
    }
    loadChanged.run();
  }

  private void sayAlive(long leaseMillis) {
    Held held = flushAll(false);
    send(
        new Lease(
            routerId, publisherId, nextSequence, held.digest(), held.bookings(), leaseMillis));
  }

  private void flush() {
    if (!finished) {
      flushAll(false);
    }
  }

  /** What this router held when nothing waited to be told. */
  private record Held(long digest, int bookings, List<ActiveSequenceEvent> additions) {}

  /** Sends what waits, and returns what all of it adds up to. */
  private Held flushAll(boolean withAdditions) {
    while (true) {
      List<ActiveSequenceEvent> some;
      lock.lock();
      try {
        some = outbox.take(config.eventsPerMessage());
        if (some.isEmpty()) {
          return new Held(
              outbox.digest(), outbox.bookings(), withAdditions ? outbox.additions() : List.of());
        }
      } finally {
        lock.unlock();
      }
      byte[] payload =
          config.eventsPerMessage() == 1
              ? ActiveSequenceCodec.encode(some.get(0))
              : ActiveSequenceCodec.encodeBatch(some);
      publish(payload, some.size());
    }
  }

  private void publish(byte[] payload, int eventCount) {
    long sequence = link.publish(payload);
    if (sequence == ReplicaLink.UNSENT) {
      counts(counted -> counted.unpublished += eventCount);
    } else {
      nextSequence = sequence + 1;
      counts(counted -> counted.published += eventCount);
    }
  }

  private void send(RouterLeaseMessage message) {
    if (link.send(RouterLeaseCodec.encode(message)) == ReplicaLink.UNSENT) {
      counts(counted -> counted.unpublished++);
    }
  }

  private void answer() {
    answering = false;
    if (finished) {
      return;
    }
    lastAnswerNanos = lane.clock().nanoTime();
    List<ActiveSequenceEvent> all = flushAll(true).additions();
    int parts = Math.max(1, (all.size() + BOOKINGS_PER_PART - 1) / BOOKINGS_PER_PART);
    for (int part = 0; part < parts; part++) {
      int from = part * BOOKINGS_PER_PART;
      List<ActiveSequenceEvent> some =
          all.subList(from, Math.min(all.size(), from + BOOKINGS_PER_PART));
      send(new Snapshot(routerId, publisherId, nextSequence, part, parts, some));
    }
    // Who asked may never have heard a sign of life, and must know how long this one lives without.
    sayAlive(config.routerLease().toMillis());
    counts(counted -> counted.answers++);
  }

  private void finish() {
    if (finished) {
      return;
    }
    sayAlive(0);
    finished = true;
    if (timer != null) {
      timer.cancel();
    }
    link.close();
  }

  /* --------------- Receiving --------------- */

  private void onEvents(EventEnvelope envelope) {
    if (envelope.publisherId() == publisherId) {
      return;
    }
    ActiveSequenceBatch batch;
    try {
      batch = ActiveSequenceCodec.decode(envelope.payload());
    } catch (WireFormatException unreadable) {
      counts(counted -> counted.undecodable++);
      return;
    }
    ReplicaMirror behind;
    lock.lock();
    try {
      bookings.replicas().peerAge(ageNanos(envelope));
      behind = receiver.apply(envelope, batch, lane.clock().nanoTime());
    } finally {
      bookings.replicas().peerAge(0);
      lock.unlock();
    }
    loadChanged.run();
    checkSoon(behind);
  }

  /** Returns how long ago a message was sent; 0 where the clocks plainly disagree. */
  private long ageNanos(EventEnvelope envelope) {
    long millis = wallClock.millis() - envelope.publishedAtMillis();
    return millis > 0 && millis <= MAX_AGE_MILLIS ? millis * NANOS_PER_MILLI : 0;
  }

  private void onLease(EventEnvelope envelope) {
    if (envelope.publisherId() == publisherId) {
      return;
    }
    RouterLeaseMessage message;
    try {
      message = RouterLeaseCodec.decode(envelope.payload());
    } catch (WireFormatException unreadable) {
      counts(counted -> counted.undecodable++);
      return;
    }
    if (message instanceof SnapshotRequest request) {
      onRequest(request);
      return;
    }
    ReplicaMirror behind = null;
    lock.lock();
    try {
      long now = lane.clock().nanoTime();
      if (message instanceof Lease lease) {
        behind = receiver.apply(lease, now);
      } else if (message instanceof Snapshot snapshot) {
        receiver.apply(snapshot, now);
      }
    } finally {
      lock.unlock();
    }
    loadChanged.run();
    checkSoon(behind);
  }

  private void onRequest(SnapshotRequest request) {
    boolean isMine = request.everybody() || request.ownerId() == routerId;
    if (!isMine || answering || finished) {
      return;
    }
    answering = true;
    long sinceLast = lane.clock().nanoTime() - lastAnswerNanos;
    lane.schedule(this::answer, leaseNanos / CHECKS_PER_LEASE - sinceLast);
  }

  /** Gives late messages a while, then asks for what is missing, and again until it comes. */
  private void checkSoon(@Nullable ReplicaMirror mirror) {
    if (mirror != null && !mirror.checking && !finished) {
      mirror.checking = true;
      lane.schedule(() -> check(mirror), leaseNanos / CHECKS_PER_LEASE);
    }
  }

  private void check(ReplicaMirror mirror) {
    boolean ask = false;
    lock.lock();
    try {
      mirror.checking = false;
      if (!finished && receiver.isCurrent(mirror) && mirror.needsSnapshot()) {
        if (mirror.speaksOfLeases()) {
          ask = true;
          counts.requests++;
        } else {
          mirror.giveUp();
        }
      }
    } finally {
      lock.unlock();
    }
    if (ask) {
      send(new SnapshotRequest(routerId, mirror.routerId(), false));
      checkSoon(mirror);
    }
  }

  private void counts(Consumer<ReplicaCounts> change) {
    lock.lock();
    try {
      change.accept(counts);
    } finally {
      lock.unlock();
    }
  }

  /** Returns false if the lane is closed. */
  private boolean onLane(Runnable task) {
    try {
      lane.execute(task);
      return true;
    } catch (RejectedExecutionException environmentClosed) {
      counts(counted -> counted.unpublished++);
      return false;
    }
  }
}
