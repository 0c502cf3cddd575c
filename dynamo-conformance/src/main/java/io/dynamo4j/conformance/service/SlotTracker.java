// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.kvrouter.Booking;
import io.dynamo4j.kvrouter.BookingKey;
import io.dynamo4j.kvrouter.PotentialLoad;
import io.dynamo4j.kvrouter.WorkerCandidates;
import io.dynamo4j.kvrouter.WorkerLoad;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** The tracker under test behind what a service adds to it: registration, and bookings by id. */
final class SlotTracker {
  private final ActiveBlockTracker tracker;
  private final int blockSize;
  private final SortedSet<WorkerWithDpRank> ranks = new TreeSet<>();
  private final Map<String, Booking> bookings = new LinkedHashMap<>();

  SlotTracker(ActiveBlockTracker tracker, int blockSize) {
    this.tracker = tracker;
    this.blockSize = blockSize;
  }

  ActiveBlockTracker tracker() {
    return tracker;
  }

  int blockSize() {
    return blockSize;
  }

  SortedSet<WorkerWithDpRank> ranks() {
    return ranks;
  }

  void register(long workerId, int dpStart, int dpSize) {
    for (int i = 0; i < dpSize; i++) {
      ranks.add(new WorkerWithDpRank(workerId, dpStart + i));
    }
  }

  boolean has(long workerId) {
    return ranks.stream().anyMatch(rank -> rank.workerId() == workerId);
  }

  void unregister(long workerId) {
    for (WorkerWithDpRank rank : new ArrayList<>(ranks)) {
      if (rank.workerId() == workerId) {
        tracker.removeRank(rank);
        ranks.remove(rank);
        bookings.values().removeIf(booking -> booking.worker().equals(rank));
      }
    }
  }

  boolean has(WorkerWithDpRank rank) {
    return ranks.contains(rank);
  }

  boolean isBooked(String id) {
    return bookings.containsKey(id);
  }

  /** Returns the distinct prefixes that are booked on a rank, counted without the tracker. */
  int distinctBlocks(WorkerWithDpRank rank) {
    Set<String> distinct = new TreeSet<>();
    for (Booking booking : bookings.values()) {
      StringBuilder prefix = new StringBuilder();
      for (int i = 0; booking.worker().equals(rank) && i < booking.blockCount(); i++) {
        distinct.add(prefix.append(booking.sequenceHashes()[i]).append(' ').toString());
      }
    }
    return distinct.size();
  }

  /**
   * Books under an id.
   *
   * @throws io.dynamo4j.core.model.DynamoException if it is booked
   */
  void book(String id, WorkerWithDpRank rank, long[] hashes, long prefillTokens) {
    Booking booking = Booking.of(new BookingKey(id, 0), rank, hashes, hashes.length, prefillTokens);
    tracker.book(booking);
    bookings.put(id, booking);
  }

  void markPrefillCompleted(String id) {
    Booking booking = bookings.get(id);
    if (booking != null) {
      tracker.markPrefillCompleted(booking);
    }
  }

  void addOutputBlock(String id) {
    Booking booking = bookings.get(id);
    if (booking != null) {
      tracker.addOutputBlock(booking);
    }
  }

  /**
   * Adds a block of an answer that is about to end.
   *
   * @throws IllegalArgumentException if the fraction is out of range
   */
  void addOutputBlock(String id, double fraction) {
    Booking booking = bookings.get(id);
    if (booking != null) {
      tracker.addOutputBlock(booking, fraction);
    }
  }

  boolean free(String id) {
    Booking booking = bookings.remove(id);
    return booking != null && tracker.free(booking);
  }

  WorkerLoad load(WorkerWithDpRank rank) {
    return tracker.load(rank);
  }

  /** Returns what each rank would carry with a prompt of so many tokens, nothing of it cached. */
  List<PotentialLoad> potentialLoads(long[] hashes, int promptTokens) {
    WorkerCandidates candidates = WorkerCandidates.create();
    candidates.reset(promptTokens, blockSize, hashes.length, true);
    ranks.forEach(rank -> candidates.add(rank, 0, 0, 0));
    tracker.project(hashes, hashes.length, candidates);
    List<PotentialLoad> loads = new ArrayList<>();
    for (int i = 0; i < candidates.size(); i++) {
      loads.add(
          new PotentialLoad(
              candidates.worker(i),
              candidates.activePrefillTokens(i) + promptTokens,
              candidates.activeBlocks(i) + candidates.addedBlocks(i),
              candidates.activeRequests(i)));
    }
    return loads;
  }
}
