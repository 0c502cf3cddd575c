// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.collect.LongIntMap;
import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Counts references of sequence hashes on each rank.
 *
 * <p>Equal sequence hashes mean equal prefixes, so a count for each hash shares prefixes exactly as
 * a tree of blocks would. What ranks have in common lives in {@link ActivePrefixes}.
 *
 * <p>A rank gets a slot with its first booking and gives it back with its last, so that nothing is
 * left of ranks that come and go.
 */
final class PrefixSharingTracker implements ActiveBlockTracker {
  private final long seed;
  private final NanoClock clock;
  private final Map<BookingKey, Entry> entries = new LinkedHashMap<>();
  private final Map<WorkerWithDpRank, Slot> slotOfRank = new LinkedHashMap<>();
  private final ActivePrefixes prefixes;
  private @Nullable Slot[] slots = new @Nullable Slot[16];
  private int[] depths = new int[64];

  PrefixSharingTracker(long seed, NanoClock clock) {
    this.seed = seed;
    this.clock = clock;
    this.prefixes = new ActivePrefixes(seed);
  }

  /** One rank that has bookings. */
  private static final class Slot {
    final int index;
    final WorkerWithDpRank rank;
    final LongIntMap references;
    final BlockWeights promptWeights;
    final PrefillQueue prefills = new PrefillQueue();
    double outputWeight;
    int outputBlocks;
    int requests;
    @Nullable Entry head;

    Slot(int index, WorkerWithDpRank rank, long seed) {
      this.index = index;
      this.rank = rank;
      this.references = LongIntMap.create(seed);
      this.promptWeights = new BlockWeights(seed);
    }

    /** Rounds half up. */
    long blocks() {
      return Math.round(references.size() - promptWeights.missing() + outputWeight);
    }
  }

  /** One living booking, in the list of its slot. */
  private static final class Entry extends PrefillQueue.Item {
    final Booking booking;
    final Slot slot;
    boolean prefillCompleted;
    int outputBlocks;
    double outputWeight;
    @Nullable Entry previous;
    @Nullable Entry next;

    Entry(Booking booking, Slot slot) {
      super(booking.prefillTokens(), booking.expectedPrefillNanos());
      this.booking = booking;
      this.slot = slot;
    }
  }

  @Override
  public void book(Booking booking) {
    Entry existing = entries.get(booking.key());
    if (existing != null) {
      throw new DynamoException(
          ErrorType.DUPLICATE_REQUEST,
          "request is booked already: request="
              + booking.key()
              + ", worker="
              + existing.booking.worker(),
          existing.booking.worker());
    }
    Slot slot = slotOfRank.get(booking.worker());
    if (slot == null) {
      slot = openSlot(booking.worker());
    }
    Entry entry = new Entry(booking, slot);
    entries.put(booking.key(), entry);
    link(entry);
    addBlocks(booking, slot);
    slot.prefills.add(entry, clock.nanoTime());
    slot.requests++;
  }

  @Override
  public boolean markPrefillCompleted(Booking booking) {
    Entry entry = find(booking);
    return entry != null && completePrefill(entry);
  }

  @Override
  public boolean addOutputBlock(Booking booking) {
    Entry entry = find(booking);
    if (entry == null) {
      return false;
    }
    entry.outputBlocks++;
    entry.slot.outputBlocks++;
    setOutputWeight(entry, entry.outputWeight + 1);
    return true;
  }

  @Override
  public boolean addOutputBlock(Booking booking, double remaining) {
    if (!(remaining >= 0 && remaining <= 1)) {
      throw new IllegalArgumentException(
          "remaining part must be in 0..1: request=" + booking.key() + ", remaining=" + remaining);
    }
    if (!addOutputBlock(booking)) {
      return false;
    }
    Entry entry = Objects.requireNonNull(find(booking));
    setOutputWeight(entry, entry.outputBlocks * remaining);
    Slot slot = entry.slot;
    long[] hashes = booking.sequenceHashes();
    int i = booking.blockCount() - 1;
    while (i >= 0 && slot.references.get(hashes[i]) == 1) {
      slot.promptWeights.set(hashes[i--], remaining);
    }
    return true;
  }

  @Override
  public boolean free(Booking booking) {
    Entry entry = find(booking);
    if (entry == null) {
      return false;
    }
    entries.remove(booking.key());
    Slot slot = entry.slot;
    completePrefill(entry);
    removeBlocks(entry.booking, slot);
    slot.outputBlocks -= entry.outputBlocks;
    setOutputWeight(entry, 0);
    slot.requests--;
    unlink(entry);
    if (slot.requests == 0) {
      closeSlot(slot);
    }
    return true;
  }

  @Override
  public void removeRank(WorkerWithDpRank rank) {
    Slot slot = slotOfRank.get(rank);
    while (slot != null && slot.head != null) {
      free(slot.head.booking);
    }
  }

  @Override
  public void project(long[] sequenceHashes, int count, WorkerCandidates candidates) {
    prefixes.matchDepths(sequenceHashes, count, depths);
    long now = clock.nanoTime();
    for (int row = 0; row < candidates.size(); row++) {
      Slot slot = slotOfRank.get(candidates.worker(row));
      if (slot == null) {
        candidates.setLoad(row, 0, 0, count, 0);
      } else {
        candidates.setLoad(
            row,
            slot.prefills.active(now),
            slot.blocks(),
            count - depths[slot.index],
            slot.requests);
      }
    }
  }

  @Override
  public WorkerLoad load(WorkerWithDpRank worker) {
    Slot slot = slotOfRank.get(worker);
    return slot == null
        ? WorkerLoad.NONE
        : new WorkerLoad(slot.prefills.active(clock.nanoTime()), slot.blocks(), slot.requests);
  }

  @Override
  public boolean isBooked(BookingKey key) {
    return entries.containsKey(key);
  }

  @Override
  public int bookingCount() {
    return entries.size();
  }

  private @Nullable Entry find(Booking booking) {
    Entry entry = entries.get(booking.key());
    return entry != null && entry.booking == booking ? entry : null;
  }

  private void addBlocks(Booking booking, Slot slot) {
    long[] hashes = booking.sequenceHashes();
    for (int i = 0; i < booking.blockCount(); i++) {
      if (slot.references.add(hashes[i], 1) == 1) {
        prefixes.add(slot.index, hashes[i]);
      }
    }
  }

  /** Tail first, so that what is left is always whole prefixes. */
  private void removeBlocks(Booking booking, Slot slot) {
    long[] hashes = booking.sequenceHashes();
    for (int i = booking.blockCount() - 1; i >= 0; i--) {
      if (slot.references.add(hashes[i], -1) == 0) {
        prefixes.remove(slot.index, hashes[i]);
        slot.promptWeights.set(hashes[i], 1);
      }
    }
  }

  private static void setOutputWeight(Entry entry, double weight) {
    Slot slot = entry.slot;
    // A sum of fractions drifts; without blocks it is exactly 0.
    slot.outputWeight =
        slot.outputBlocks == 0 ? 0 : slot.outputWeight + weight - entry.outputWeight;
    entry.outputWeight = weight;
  }

  private boolean completePrefill(Entry entry) {
    if (entry.prefillCompleted) {
      return false;
    }
    entry.prefillCompleted = true;
    entry.slot.prefills.remove(entry, clock.nanoTime());
    return true;
  }

  private static void link(Entry entry) {
    Entry head = entry.slot.head;
    entry.next = head;
    if (head != null) {
      head.previous = entry;
    }
    entry.slot.head = entry;
  }

  private static void unlink(Entry entry) {
    if (entry.previous == null) {
      entry.slot.head = entry.next;
    } else {
      entry.previous.next = entry.next;
    }
    if (entry.next != null) {
      entry.next.previous = entry.previous;
    }
  }

  private Slot openSlot(WorkerWithDpRank rank) {
    int index = 0;
    while (index < slots.length && slots[index] != null) {
      index++;
    }
    if (index == slots.length) {
      slots = Arrays.copyOf(slots, index * 2);
      depths = new int[Math.max(64, index * 2)];
    }
    Slot slot = new Slot(index, rank, seed);
    slots[index] = slot;
    slotOfRank.put(rank, slot);
    return slot;
  }

  private void closeSlot(Slot slot) {
    slots[slot.index] = null;
    slotOfRank.remove(slot.rank);
  }
}
