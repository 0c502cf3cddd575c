// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.indexer.TieredOverlap;
import org.jspecify.annotations.Nullable;

/** One lookup's result by the ranks of a table. Belongs to the router's lock. */
final class RankOverlap {
  private int[] device = {};
  private int[] host = {};
  private int[] disk = {};

  /** Makes room for another table; nothing is spread. */
  void reset(int ranks) {
    device = new int[ranks];
    host = new int[ranks];
    disk = new int[ranks];
  }

  /** Writes what each rank holds to where the table has the rank. */
  void spread(@Nullable TieredOverlap overlap, RankTable table) {
    spread(overlap, table, 1);
  }

  /** Undoes {@link #spread}. */
  void gather(@Nullable TieredOverlap overlap, RankTable table) {
    spread(overlap, table, -1);
  }

  private void spread(@Nullable TieredOverlap overlap, RankTable table, int factor) {
    if (overlap == null) {
      return;
    }
    add(overlap.device(), table, device, factor);
    if (overlap.hasLowerTiers()) {
      add(overlap.of(StorageTier.HOST_PINNED), table, host, factor);
      add(overlap.of(StorageTier.DISK), table, disk, factor);
      // What is outside costs about what a disk does.
      add(overlap.of(StorageTier.EXTERNAL), table, disk, factor);
    }
  }

  private static void add(OverlapScores scores, RankTable table, int[] to, int factor) {
    for (int i = 0; i < scores.size(); i++) {
      int index = table.indexOf(scores.worker(i));
      if (index >= 0) {
        to[index] += scores.depth(i) * factor;
      }
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
}
