// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.wire.ActiveSequenceEvent;
import io.dynamo4j.wire.AddedSequence;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What other routers have yet to hear of this router's own bookings, and the digest of them.
 *
 * <p>It fills in the very order in which bookings change, because both happen under the router's
 * lock. It is bounded: what does not fit is dropped and counted, and a snapshot repairs it.
 *
 * <p><b>Threads.</b> Belongs to the router's lock.
 */
final class ReplicaOutbox implements BookingEvents {
  private static final int CAPACITY = 100_000;

  private final long routerId;
  private final boolean tracksPrefillTokens;
  private final Runnable onFilled;
  private final ArrayDeque<ActiveSequenceEvent> waiting = new ArrayDeque<>();
  private final Map<SequenceKey, RequestLease> living = new LinkedHashMap<>();
  private long digest;
  private long droppedCount;

  /**
   * Makes an empty one.
   *
   * @param onFilled told once when the first event waits; must only hand over to a lane
   */
  ReplicaOutbox(long routerId, boolean tracksPrefillTokens, Runnable onFilled) {
    this.routerId = routerId;
    this.tracksPrefillTokens = tracksPrefillTokens;
    this.onFilled = onFilled;
  }

  long digest() {
    return digest;
  }

  int bookings() {
    return living.size();
  }

  long droppedCount() {
    return droppedCount;
  }

  /** Takes at most {@code max} events out. */
  List<ActiveSequenceEvent> take(int max) {
    List<ActiveSequenceEvent> taken = new ArrayList<>(Math.min(max, waiting.size()));
    while (taken.size() < max && !waiting.isEmpty()) {
      taken.add(waiting.poll());
    }
    return taken;
  }

  @Override
  public void booked(RequestLease lease) {
    lease.prefillPending = lease.booking().prefillTokens() > 0;
    digest += digestOf(lease);
    living.put(keyOf(lease), lease);
    enqueue(addition(lease));
  }

  @Override
  public void prefillCompleted(RequestLease lease) {
    digest -= digestOf(lease);
    lease.prefillPending = false;
    digest += digestOf(lease);
    enqueue(
        ActiveSequenceEvent.markPrefillCompleted(
            lease.key().requestId(), lease.worker(), routerId, loraName(lease)));
  }

  @Override
  public void freed(RequestLease lease) {
    digest -= digestOf(lease);
    living.remove(keyOf(lease), lease);
    enqueue(
        ActiveSequenceEvent.free(
            lease.key().requestId(), lease.worker(), routerId, loraName(lease)));
  }

  /** Returns every living booking as a message tells it now. */
  List<ActiveSequenceEvent> additions() {
    List<ActiveSequenceEvent> additions = new ArrayList<>(living.size());
    living.forEach((key, lease) -> additions.add(addition(lease)));
    return additions;
  }

  /** Marks because the worker says so; false if no such booking lives. */
  boolean markPrefillCompleted(String requestId, WorkerWithDpRank worker) {
    RequestLease lease = living.get(new SequenceKey(requestId, worker));
    if (lease == null) {
      return false;
    }
    lease.markPrefillCompleted();
    return true;
  }

  private static SequenceKey keyOf(RequestLease lease) {
    return new SequenceKey(lease.key().requestId(), lease.worker());
  }

  /** Returns a lease as a message tells it now. */
  private ActiveSequenceEvent addition(RequestLease lease) {
    Booking booking = lease.booking();
    AddedSequence added =
        AddedSequence.of(
            hashes(booking),
            tracksPrefillTokens,
            lease.routing().expectedOutputTokens(),
            lease.prefillPending ? booking.prefillTokens() : AddedSequence.UNKNOWN,
            booking.expectedPrefillNanos());
    return ActiveSequenceEvent.add(
        lease.key().requestId(), lease.worker(), added, routerId, loraName(lease));
  }

  private static long @Nullable [] hashes(Booking booking) {
    return booking.blockCount() == 0 ? null : booking.sequenceHashes();
  }

  private static @Nullable String loraName(RequestLease lease) {
    String name = lease.routing().loraName();
    return name.isEmpty() ? null : name;
  }

  private static long digestOf(RequestLease lease) {
    return SequenceKey.digest(lease.key().requestId(), lease.worker(), lease.prefillPending);
  }

  private void enqueue(ActiveSequenceEvent event) {
    if (waiting.size() == CAPACITY) {
      droppedCount++;
      return;
    }
    waiting.add(event);
    if (waiting.size() == 1) {
      onFilled.run();
    }
  }
}
