// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.wire.ActiveSequenceEvent;
import io.dynamo4j.wire.AddedSequence;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one other router holds, as far as its messages tell.
 *
 * <p>Messages may be lost, doubled and change places; each carries its number. A booking remembers
 * the number that said the last of it, and while messages are missing, ends are remembered too, so
 * that an older word never undoes a newer one. What stays missing is replaced by a snapshot.
 *
 * <p><b>Threads.</b> Belongs to the lane of replica sync, called under the router's lock.
 */
final class ReplicaMirror {
  private static final int MAX_ENDED = 65_536;

  /**
   * Most tokens of one prompt that are believed, as many as a prompt of this router's own can have,
   * so that no sum of loads goes beyond a long and comes out as none.
   */
  private static final long MAX_PROMPT_TOKENS = Integer.MAX_VALUE;

  private static final long[] NO_HASHES = {};

  private final long routerId;
  private final long publisherId;
  private final ReplicaBookings bookings;
  private final SequenceWindow window;
  private final int maxBookings;
  private final Map<SequenceKey, ReplicaBooking> held = new LinkedHashMap<>();

  /** Numbers of ends beyond a gap; only while there is one. */
  private final Map<SequenceKey, Ended> ended = new LinkedHashMap<>();

  private final Map<Integer, List<ActiveSequenceEvent>> parts = new LinkedHashMap<>();
  private long partsSequence = -1;
  private long digest;

  /** When anything of this router arrived. */
  long heardNanos;

  /** How long it lives without; 0 if it speaks of no lease, and each booking ages by itself. */
  long leaseNanos;

  /** Whether a look at the gap is due. */
  boolean checking;

  /** What its owner has sent so far, by its own word. */
  private long expectedNext;

  /** Where the first message heard stands; what was before it only a snapshot tells. */
  private long base;

  private boolean complete = true;
  private boolean differs;

  ReplicaMirror(
      long routerId, long publisherId, ReplicaBookings bookings, long seed, int maxBookings) {
    this.routerId = routerId;
    this.publisherId = publisherId;
    this.bookings = bookings;
    this.window = new SequenceWindow(seed);
    this.maxBookings = maxBookings;
  }

  private record Ended(long sequence) {}

  long routerId() {
    return routerId;
  }

  long publisherId() {
    return publisherId;
  }

  int size() {
    return held.size();
  }

  long digest() {
    return digest;
  }

  boolean speaksOfLeases() {
    return leaseNanos > 0;
  }

  /** Returns whether something is missing that only a snapshot can tell. */
  boolean needsSnapshot() {
    return differs || !complete || window.hasGap() || window.next() < expectedNext;
  }

  /** Begins with a message in the middle. */
  void startAt(long sequence) {
    base = sequence;
    complete = sequence == 0;
    window.settle(sequence);
  }

  /** Notes a message; false if it had arrived before. */
  boolean arrive(long sequence) {
    return window.arrive(sequence);
  }

  /** Accepts that what is missing never comes. */
  void giveUp() {
    window.giveUp();
    complete = true;
    tidy();
  }

  /** Compares with what the owner says it holds; false if a snapshot is needed. */
  boolean compare(long nextSequence, long ownersDigest) {
    expectedNext = Math.max(expectedNext, nextSequence);
    if (!window.hasGap() && window.next() == nextSequence) {
      differs = digest != ownersDigest;
      if (!differs) {
        held.values().forEach(bookings::confirm);
      }
    }
    return !needsSnapshot();
  }

  /* --------------- Events --------------- */

  /** Books; false if something newer is known of it, or there is no room. */
  boolean add(ActiveSequenceEvent event, long sequence, long nowNanos) {
    SequenceKey key = new SequenceKey(event.requestId(), event.worker());
    ReplicaBooking before = held.get(key);
    Ended end = ended.get(key);
    if ((before != null && before.sequence > sequence)
        || (end != null && end.sequence() > sequence)
        || (before == null && held.size() >= maxBookings)) {
      return false;
    }
    if (before != null) {
      remove(key, before);
    }
    ReplicaBooking replica = replicaOf(event);
    replica.sequence = sequence;
    replica.heardNanos = nowNanos;
    held.put(key, replica);
    digest += digestOf(replica);
    bookings.add(replica);
    return true;
  }

  /** Ends; false if nothing of it is known. */
  boolean free(String requestId, WorkerWithDpRank worker, long sequence) {
    SequenceKey key = new SequenceKey(requestId, worker);
    if ((window.hasGap() || !complete) && ended.size() < MAX_ENDED) {
      ended.merge(key, new Ended(sequence), (a, b) -> a.sequence() > b.sequence() ? a : b);
    }
    ReplicaBooking before = held.get(key);
    if (before == null || before.sequence > sequence) {
      return false;
    }
    remove(key, before);
    return true;
  }

  /** Marks; false if nothing of it is known. */
  boolean markPrefillCompleted(
      String requestId, WorkerWithDpRank worker, long sequence, long nowNanos) {
    ReplicaBooking replica = held.get(new SequenceKey(requestId, worker));
    if (replica == null || replica.sequence > sequence) {
      return false;
    }
    replica.sequence = sequence;
    replica.heardNanos = nowNanos;
    complete(replica);
    return true;
  }

  /** Marks because somebody else says so, who has no number in this order. */
  boolean markPrefillCompleted(String requestId, WorkerWithDpRank worker) {
    ReplicaBooking replica = held.get(new SequenceKey(requestId, worker));
    if (replica == null) {
      return false;
    }
    complete(replica);
    return true;
  }

  /** Ends because somebody else says so. */
  boolean freeForeign(String requestId, WorkerWithDpRank worker) {
    SequenceKey key = new SequenceKey(requestId, worker);
    ReplicaBooking replica = held.get(key);
    if (replica == null) {
      return false;
    }
    remove(key, replica);
    return true;
  }

  /** Forgets what was remembered for a gap that is closed. */
  void tidy() {
    if (complete && !window.hasGap() && !ended.isEmpty()) {
      ended.clear();
    }
  }

  /* --------------- Snapshots and leases --------------- */

  /** Takes one part of a snapshot; true once all of it has been taken over. */
  boolean snapshot(
      long nextSequence, int part, int partCount, List<ActiveSequenceEvent> some, long nowNanos) {
    long known = complete ? window.next() : base;
    if (nextSequence < known || nextSequence < partsSequence) {
      return false; // Everything it could say is known.
    }
    if (partCount > maxBookings) {
      return false; // More parts than could be held, were there only one booking in each.
    }
    if (nextSequence != partsSequence) {
      parts.clear();
      partsSequence = nextSequence;
    }
    parts.remove(part);
    int room = maxBookings - waitingBookings();
    parts.put(part, some.size() <= room ? some : List.copyOf(some.subList(0, room)));
    if (parts.size() < partCount) {
      return false;
    }
    takeOver(nextSequence, nowNanos);
    parts.clear();
    partsSequence = -1;
    return true;
  }

  /** Returns how many bookings of a snapshot wait for the rest of it; no more than may be held. */
  int waitingBookings() {
    int count = 0;
    for (List<ActiveSequenceEvent> some : parts.values()) {
      count += some.size();
    }
    return count;
  }

  private void takeOver(long nextSequence, long nowNanos) {
    Map<SequenceKey, ActiveSequenceEvent> living = new LinkedHashMap<>();
    parts.forEach(
        (part, some) ->
            some.forEach(
                event -> living.put(new SequenceKey(event.requestId(), event.worker()), event)));
    for (Map.Entry<SequenceKey, ReplicaBooking> entry : List.copyOf(held.entrySet())) {
      if (entry.getValue().sequence < nextSequence && !living.containsKey(entry.getKey())) {
        remove(entry.getKey(), entry.getValue());
      }
    }
    living.forEach((key, event) -> takeOver(key, event, nextSequence - 1, nowNanos));
    ended.values().removeIf(end -> end.sequence() < nextSequence);
    window.settle(nextSequence);
    complete = true;
    differs = false;
    tidy();
  }

  private void takeOver(SequenceKey key, ActiveSequenceEvent event, long sequence, long nowNanos) {
    ReplicaBooking known = held.get(key);
    if (known == null) {
      add(event, sequence, nowNanos);
    } else if (known.sequence <= sequence) {
      if (!isSame(known, event)) {
        add(event, sequence, nowNanos);
      } else if (!isPending(event)) {
        complete(known);
      }
      bookings.confirm(Objects.requireNonNull(held.get(key)));
    }
  }

  /* --------------- Ends --------------- */

  /** Ends bookings that nothing was heard of for longer than that; returns how many. */
  int expire(long nowNanos, long expiryNanos) {
    int count = 0;
    for (Iterator<ReplicaBooking> each = held.values().iterator(); each.hasNext(); ) {
      ReplicaBooking replica = each.next();
      if (nowNanos - replica.heardNanos > expiryNanos) {
        each.remove();
        forget(replica);
        count++;
      }
    }
    return count;
  }

  /** Ends all of it. */
  void end() {
    for (ReplicaBooking replica : new ArrayList<>(held.values())) {
      forget(replica);
    }
    held.clear();
  }

  private void remove(SequenceKey key, ReplicaBooking replica) {
    held.remove(key);
    forget(replica);
  }

  private void forget(ReplicaBooking replica) {
    digest -= digestOf(replica);
    bookings.remove(replica);
  }

  private void complete(ReplicaBooking replica) {
    if (replica.prefillPending) {
      digest -= digestOf(replica);
      bookings.markPrefillCompleted(replica);
      digest += digestOf(replica);
    }
  }

  private static long digestOf(ReplicaBooking replica) {
    return SequenceKey.digest(replica.requestId(), replica.worker(), replica.prefillPending);
  }

  /* --------------- Shapes --------------- */

  private static boolean isPending(ActiveSequenceEvent event) {
    AddedSequence added = event.added();
    return added != null && added.trackPrefillTokens() && added.prefillTokens() > 0;
  }

  /** Returns whether a known booking is the one that a snapshot tells of. */
  private static boolean isSame(ReplicaBooking known, ActiveSequenceEvent event) {
    AddedSequence added = Objects.requireNonNull(event.added(), "added");
    long[] hashes = hashes(added);
    return Arrays.equals(known.booking().sequenceHashes(), hashes)
        && (!isPending(event) || known.booking().prefillTokens() == promptTokens(added));
  }

  private static long promptTokens(AddedSequence added) {
    return Math.min(added.prefillTokens(), MAX_PROMPT_TOKENS);
  }

  private static long[] hashes(AddedSequence added) {
    long @Nullable [] hashes = added.tokenSequence();
    return hashes == null ? NO_HASHES : hashes;
  }

  private ReplicaBooking replicaOf(ActiveSequenceEvent event) {
    AddedSequence added = Objects.requireNonNull(event.added(), "added");
    long[] blocks = hashes(added);
    // No id of a request begins so, and a router books a request on a rank once.
    String key = "\0" + Long.toHexString(routerId) + '/' + event.worker() + '/' + event.requestId();
    boolean pending = isPending(event);
    Booking booking =
        Booking.of(
            new BookingKey(key, 0),
            event.worker(),
            blocks,
            blocks.length,
            pending ? promptTokens(added) : 0,
            pending ? added.expectedPrefillNanos() : -1);
    return new ReplicaBooking(booking, event.requestId());
  }
}
