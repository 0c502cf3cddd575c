// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The ranks that have bookings, each with a small number of its own; a rank that has none for now
 * is kept until twice as many ranks have state as had bookings when this was last tidied.
 *
 * <p>Number 0 is nobody's: it stands for every rank without bookings.
 *
 * <p><b>Layout.</b> What a projection needs lies in columns by number, written with every change of
 * a rank, so that it reads and writes nothing but arrays; only where load changes with time it asks
 * the ranks. Decisions look at the same ranks in the same places again and again: who was seen in a
 * place is found there without a lookup, and who is in a whole table's rows without a look.
 *
 * <p><b>Threads.</b> Not thread-safe.
 */
final class TrackedRanks {
  private static final int MIN_KEPT = 64;

  private static final WorkerWithDpRank NOBODY = WorkerWithDpRank.of(0);

  private final TrackedRank none = new TrackedRank(0, NOBODY);
  private final Map<WorkerWithDpRank, TrackedRank> byWorker = new LinkedHashMap<>();
  private @Nullable TrackedRank[] byIndex = {none};
  private int firstFree = 1;
  private int tidyAt = MIN_KEPT;
  private int decaying;

  // By number.
  private int[] depths = new int[1];
  private long[] prefillTokens = new long[1];
  private long[] blocks = new long[1];
  private int[] requests = new int[1];

  private @Nullable WorkerWithDpRank[] seenWorkers = {};
  private @Nullable TrackedRank[] seenRanks = {};

  // Numbers by row of the last projection, and the table whose ranks those were, if they were all.
  private int[] rowIndexes = new int[MIN_KEPT];
  private @Nullable RankTable rowTable;

  /** Returns how many ranks have state. */
  int size() {
    return byWorker.size();
  }

  /** Takes over a rank's figures; after each change of one. */
  void changed(TrackedRank rank) {
    int index = rank.index;
    prefillTokens[index] = rank.prefills.active(0);
    blocks[index] = rank.blocks();
    requests[index] = rank.requests;
    boolean decays = rank.prefills.decays();
    if (decays != rank.toldDecaying) {
      rank.toldDecaying = decays;
      decaying += decays ? 1 : -1;
    }
  }

  /**
   * Fills in the load of every row.
   *
   * @param count blocks of the prompt, of which {@link #depths} says how many each rank holds
   */
  void project(int count, WorkerCandidates candidates, NanoClock clock) {
    int[] indexes = indexes(candidates);
    candidates.setLoads(indexes, prefillTokens, blocks, requests);
    candidates.setAddedBlocks(indexes, depths, count);
    if (decaying > 0) {
      long now = clock.nanoTime();
      for (int row = 0; row < candidates.size(); row++) {
        TrackedRank rank = byIndex[indexes[row]];
        if (rank != null && rank.toldDecaying) {
          candidates.setActivePrefillTokens(row, rank.prefills.active(now));
        }
      }
    }
  }

  private int[] indexes(WorkerCandidates candidates) {
    RankTable table = candidates.rowTable();
    if (table != null && table == rowTable) {
      return rowIndexes;
    }
    int size = candidates.size();
    if (rowIndexes.length < size) {
      rowIndexes = new int[size * 2];
    }
    for (int row = 0; row < size; row++) {
      rowIndexes[row] = at(candidates.place(row), candidates.worker(row)).index;
    }
    rowTable = table;
    return rowIndexes;
  }

  /** Returns room for a number for each rank, by its index; all 0. */
  int[] depths() {
    Arrays.fill(depths, 0);
    return depths;
  }

  /** Returns a rank's state, that of nobody if it has none. */
  TrackedRank of(WorkerWithDpRank worker) {
    TrackedRank rank = byWorker.get(worker);
    return rank == null ? none : rank;
  }

  /**
   * As {@link #of}, faster for a rank that was last seen in the same place.
   *
   * @param place negative if unknown
   */
  @SuppressWarnings("ReferenceEquality") // equal but not the same costs a lookup, no more
  TrackedRank at(int place, WorkerWithDpRank worker) {
    if (place >= 0 && place < seenWorkers.length && worker == seenWorkers[place]) {
      TrackedRank seen = seenRanks[place];
      if (seen != null) {
        return seen;
      }
    }
    return place < 0 ? of(worker) : see(place, worker);
  }

  private TrackedRank see(int place, WorkerWithDpRank worker) {
    if (place >= seenWorkers.length) {
      int length = Math.max(place + 1, Math.max(MIN_KEPT, seenWorkers.length * 2));
      seenWorkers = Arrays.copyOf(seenWorkers, length);
      seenRanks = Arrays.copyOf(seenRanks, length);
    }
    TrackedRank rank = of(worker);
    seenWorkers[place] = worker;
    seenRanks[place] = rank;
    return rank;
  }

  /**
   * Returns a rank's state, which it has from now on.
   *
   * @param place where it may have been seen
   */
  TrackedRank open(int place, WorkerWithDpRank worker) {
    TrackedRank known = at(place, worker);
    if (known != none) {
      return known;
    }
    if (byWorker.size() >= tidyAt) {
      tidy();
    }
    TrackedRank rank = new TrackedRank(freeIndex(), worker);
    byIndex[rank.index] = rank;
    byWorker.put(worker, rank);
    forgetSeen();
    return rank;
  }

  /** Forgets a rank without bookings. */
  void remove(WorkerWithDpRank worker) {
    TrackedRank rank = byWorker.remove(worker);
    if (rank != null) {
      release(rank);
      forgetSeen();
    }
  }

  private void tidy() {
    for (Iterator<TrackedRank> all = byWorker.values().iterator(); all.hasNext(); ) {
      TrackedRank rank = all.next();
      if (rank.requests == 0) {
        all.remove();
        release(rank);
      }
    }
    tidyAt = Math.max(MIN_KEPT, byWorker.size() * 2);
  }

  private void release(TrackedRank rank) {
    byIndex[rank.index] = null;
    firstFree = Math.min(firstFree, rank.index);
  }

  private int freeIndex() {
    while (firstFree < byIndex.length && byIndex[firstFree] != null) {
      firstFree++;
    }
    if (firstFree == byIndex.length) {
      byIndex = Arrays.copyOf(byIndex, Math.max(16, firstFree * 2));
      depths = new int[byIndex.length];
      prefillTokens = Arrays.copyOf(prefillTokens, byIndex.length);
      blocks = Arrays.copyOf(blocks, byIndex.length);
      requests = Arrays.copyOf(requests, byIndex.length);
    }
    return firstFree++;
  }

  private void forgetSeen() {
    Arrays.fill(seenWorkers, null);
    Arrays.fill(seenRanks, null);
    rowTable = null;
  }
}
