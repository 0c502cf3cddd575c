// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Ranks by name with a depth each, for joining several results. Reused; one caller. */
final class RankRows {
  private static final int INITIAL_ROOM = 16;

  private @Nullable WorkerWithDpRank[] workers = new WorkerWithDpRank[INITIAL_ROOM];
  private int[] depths = new int[INITIAL_ROOM];
  // Row + 1 of a rank, by open addressing.
  private int[] table = new int[INITIAL_ROOM * 4];
  private int size;

  void clear() {
    Arrays.fill(table, 0);
    Arrays.fill(workers, 0, size, null);
    size = 0;
  }

  int size() {
    return size;
  }

  WorkerWithDpRank worker(int row) {
    return Objects.requireNonNull(workers[row], "worker");
  }

  int depth(int row) {
    return depths[row];
  }

  /** Returns the depth of a rank, 0 if it is absent. */
  int depthOf(WorkerWithDpRank worker) {
    int row = table[slotOf(worker)] - 1;
    return row < 0 ? 0 : depths[row];
  }

  /** Takes in all ranks of a result; of two depths of one rank the larger counts. */
  void addAll(OverlapScores part) {
    for (int i = 0; i < part.size(); i++) {
      raise(part.worker(i), part.depth(i));
    }
  }

  private void raise(WorkerWithDpRank worker, int depth) {
    int slot = slotOf(worker);
    int row = table[slot] - 1;
    if (row >= 0) {
      depths[row] = Math.max(depths[row], depth);
      return;
    }
    if (size == workers.length) {
      grow();
      slot = slotOf(worker);
    }
    workers[size] = worker;
    depths[size] = depth;
    table[slot] = ++size;
  }

  private void grow() {
    workers = Arrays.copyOf(workers, size * 2);
    depths = Arrays.copyOf(depths, size * 2);
    table = new int[workers.length * 4];
    for (int row = 0; row < size; row++) {
      table[slotOf(worker(row))] = row + 1;
    }
  }

  private int slotOf(WorkerWithDpRank worker) {
    int mask = table.length - 1;
    long mixed = (worker.workerId() + worker.dpRank() * 0x9e3779b9L) * 0x9e3779b97f4a7c15L;
    int slot = (int) (mixed >>> 32) & mask;
    while (table[slot] != 0 && !worker.equals(workers[table[slot] - 1])) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Makes these rows the result. */
  void writeTo(OverlapScores out) {
    out.clear();
    for (int row = 0; row < size; row++) {
      out.add(worker(row), depths[row]);
    }
  }
}
