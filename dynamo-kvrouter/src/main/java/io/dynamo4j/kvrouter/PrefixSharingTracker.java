// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts prompts as paths of one tree of runs, {@link ActivePrefixes}, in which ranks and bookings
 * share what they have in common.
 *
 * <p>A sequence hash stands for its whole prefix, so two prompts share blocks as far as their
 * hashes agree from the first on.
 *
 * <p><b>Cost.</b> A booking, its end and a projection cost O(runs on the prompt's path) beside one
 * comparison of the hashes that it shares, a projection O(rows) more; blocks are not counted one by
 * one. In a steady state only the booking's own record is allocated.
 */
final class PrefixSharingTracker implements ActiveBlockTracker {
  private final NanoClock clock;
  private final Map<BookingKey, TrackedBooking> entries = new LinkedHashMap<>();
  private final TrackedRanks ranks = new TrackedRanks();
  private final ActivePrefixes prefixes;

  PrefixSharingTracker(long seed, NanoClock clock) {
    this.clock = clock;
    this.prefixes = new ActivePrefixes(seed);
  }

  @Override
  public void book(Booking booking) {
    TrackedRank rank = ranks.open(booking.place(), booking.worker());
    TrackedBooking tracked = new TrackedBooking(booking, rank);
    TrackedBooking existing = entries.putIfAbsent(booking.key(), tracked);
    if (existing != null) {
      throw new DynamoException(
          ErrorType.DUPLICATE_REQUEST,
          "request is booked already: request="
              + booking.key()
              + ", worker="
              + existing.booking.worker(),
          existing.booking.worker());
    }
    rank.link(tracked);
    if (booking.blockCount() > 0) {
      prefixes.add(tracked);
    }
    rank.prefills.add(tracked, clock.nanoTime());
    ranks.changed(rank);
  }

  @Override
  public boolean markPrefillCompleted(Booking booking) {
    TrackedBooking tracked = find(booking);
    if (tracked == null || !completePrefill(tracked)) {
      return false;
    }
    ranks.changed(tracked.rank);
    return true;
  }

  @Override
  public boolean addOutputBlock(Booking booking) {
    TrackedBooking tracked = grow(booking);
    if (tracked == null) {
      return false;
    }
    ranks.changed(tracked.rank);
    return true;
  }

  @Override
  public boolean addOutputBlock(Booking booking, double remaining) {
    if (!(remaining >= 0 && remaining <= 1)) {
      throw new IllegalArgumentException(
          "remaining part must be in 0..1: request=" + booking.key() + ", remaining=" + remaining);
    }
    TrackedBooking tracked = grow(booking);
    if (tracked == null) {
      return false;
    }
    tracked.setOutputWeight(tracked.outputBlocks * remaining);
    prefixes.weigh(tracked, remaining);
    ranks.changed(tracked.rank);
    return true;
  }

  private @Nullable TrackedBooking grow(Booking booking) {
    TrackedBooking tracked = find(booking);
    if (tracked != null) {
      tracked.outputBlocks++;
      tracked.rank.outputBlocks++;
      tracked.setOutputWeight(tracked.outputWeight + 1);
    }
    return tracked;
  }

  @Override
  public boolean free(Booking booking) {
    TrackedBooking tracked = find(booking);
    if (tracked == null) {
      return false;
    }
    entries.remove(booking.key());
    completePrefill(tracked);
    prefixes.remove(tracked);
    TrackedRank rank = tracked.rank;
    rank.outputBlocks -= tracked.outputBlocks;
    tracked.setOutputWeight(0);
    rank.unlink(tracked);
    ranks.changed(rank);
    return true;
  }

  @Override
  public void removeRank(WorkerWithDpRank worker) {
    TrackedRank rank = ranks.of(worker);
    for (TrackedBooking last = rank.head; last != null; last = rank.head) {
      free(last.booking);
    }
    ranks.remove(worker);
  }

  @Override
  public void project(long[] sequenceHashes, int count, WorkerCandidates candidates) {
    int[] depths = ranks.depths();
    prefixes.matchDepths(sequenceHashes, count, depths);
    ranks.project(count, candidates, clock);
  }

  @Override
  public WorkerLoad load(WorkerWithDpRank worker) {
    TrackedRank rank = ranks.of(worker);
    return rank.requests == 0
        ? WorkerLoad.NONE
        : new WorkerLoad(rank.prefills.active(clock.nanoTime()), rank.blocks(), rank.requests);
  }

  @Override
  public boolean isBooked(BookingKey key) {
    return entries.containsKey(key);
  }

  @Override
  public int bookingCount() {
    return entries.size();
  }

  ActivePrefixes prefixes() {
    return prefixes;
  }

  /** Returns the number of ranks that have state. */
  int rankCount() {
    return ranks.size();
  }

  private @Nullable TrackedBooking find(Booking booking) {
    TrackedBooking tracked = entries.get(booking.key());
    return tracked != null && tracked.booking == booking ? tracked : null;
  }

  private boolean completePrefill(TrackedBooking tracked) {
    if (tracked.prefillCompleted) {
      return false;
    }
    tracked.prefillCompleted = true;
    tracked.rank.prefills.remove(tracked, clock.nanoTime());
    return true;
  }
}
