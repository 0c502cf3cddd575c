// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.TieredOverlap;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One lookup's result by the ranks of a table.
 *
 * <p>An index that says its workers by number keeps one array of them from lookup to lookup: where
 * the table has each is looked up once for the array, not once for each lookup.
 *
 * <p><b>Threads.</b> Belongs to the router's lock.
 */
final class RankOverlap {
  private static final int[] NONE = {};

  private int[] device = NONE;
  private int[] host = NONE;
  private int[] disk = NONE;
  private boolean hasLower;
  private RankTable table = RankTable.EMPTY;

  private final Numbers deviceNumbers = new Numbers();
  private final Numbers hostNumbers = new Numbers();
  private final Numbers diskNumbers = new Numbers();
  private final Numbers externalNumbers = new Numbers();

  /** Where the table has the workers of one array. */
  private static final class Numbers {
    private @Nullable WorkerWithDpRank @Nullable [] workers;
    private int[] indexes = NONE;

    void forget() {
      workers = null;
      indexes = NONE;
    }

    int[] of(@Nullable WorkerWithDpRank[] numbered, RankTable table) {
      if (workers != numbered) {
        indexes = new int[numbered.length];
        for (int i = 0; i < numbered.length; i++) {
          WorkerWithDpRank worker = numbered[i];
          indexes[i] = worker == null ? -1 : table.indexOf(worker);
        }
        workers = numbered;
      }
      return indexes;
    }
  }

  /** Makes room for another table; nothing is spread. */
  void reset(RankTable next) {
    table = next;
    device = new int[next.size()];
    host = new int[next.size()];
    disk = new int[next.size()];
    hasLower = false;
    deviceNumbers.forget();
    hostNumbers.forget();
    diskNumbers.forget();
    externalNumbers.forget();
  }

  /** Writes what each rank holds to where the table has the rank, in place of what was there. */
  void spread(@Nullable TieredOverlap overlap) {
    Arrays.fill(device, 0);
    if (hasLower) {
      Arrays.fill(host, 0);
      Arrays.fill(disk, 0);
    }
    hasLower = overlap != null && overlap.hasLowerTiers();
    if (overlap == null) {
      return;
    }
    add(overlap.device(), deviceNumbers, device);
    if (hasLower) {
      add(overlap.of(StorageTier.HOST_PINNED), hostNumbers, host);
      add(overlap.of(StorageTier.DISK), diskNumbers, disk);
      // What is outside costs about what a disk does.
      add(overlap.of(StorageTier.EXTERNAL), externalNumbers, disk);
    }
  }

  private void add(OverlapScores scores, Numbers numbers, int[] to) {
    int size = scores.size();
    if (!scores.isNumbered()) {
      for (int i = 0; i < size; i++) {
        addTo(to, table.indexOf(scores.worker(i)), scores.depth(i));
      }
      return;
    }
    int[] indexes = numbers.of(scores.workersByNumber(), table);
    for (int i = 0; i < size; i++) {
      addTo(to, indexes[scores.number(i)], scores.depth(i));
    }
  }

  private static void addTo(int[] to, int index, int depth) {
    if (index >= 0) {
      to[index] += depth;
    }
  }

  int device(int index) {
    return device[index];
  }

  int host(int index) {
    return host[index];
  }

  /** Returns blocks on disk and outside. */
  int disk(int index) {
    return disk[index];
  }

  /** Returns whether any rank may hold something below its device. */
  boolean hasLower() {
    return hasLower;
  }
}
