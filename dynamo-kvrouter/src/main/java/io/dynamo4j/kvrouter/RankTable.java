// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.WorkerInstance;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One directory snapshot spread out into ranks, in the directory's order, so that a decision makes
 * no objects.
 *
 * <p><b>Threads.</b> Immutable.
 */
final class RankTable {
  static final RankTable EMPTY = new RankTable(List.of());

  private final List<WorkerInstance> snapshot;
  private final WorkerInstance[] instances;
  private final WorkerWithDpRank[] ranks;
  private final long[] totalBlocks;
  private final long[] batchTokens;
  private final Map<WorkerWithDpRank, Integer> indexes = new LinkedHashMap<>();

  private RankTable(List<WorkerInstance> snapshot) {
    this.snapshot = snapshot;
    int size = 0;
    for (WorkerInstance instance : snapshot) {
      size += instance.dpSize();
    }
    this.instances = new WorkerInstance[size];
    this.ranks = new WorkerWithDpRank[size];
    this.totalBlocks = new long[size];
    this.batchTokens = new long[size];
    int index = 0;
    for (WorkerInstance instance : snapshot) {
      for (int i = 0; i < instance.dpSize(); i++) {
        instances[index] = instance;
        ranks[index] = instance.rank(i);
        totalBlocks[index] = instance.totalKvBlocks();
        batchTokens[index] = instance.maxBatchedTokens();
        indexes.put(ranks[index], index++);
      }
    }
  }

  static RankTable of(List<WorkerInstance> snapshot) {
    return new RankTable(snapshot);
  }

  /** Returns whether this table was made from that very snapshot. */
  boolean isOf(List<WorkerInstance> other) {
    return snapshot == other;
  }

  List<WorkerInstance> snapshot() {
    return snapshot;
  }

  int size() {
    return ranks.length;
  }

  WorkerWithDpRank rank(int index) {
    return ranks[index];
  }

  WorkerInstance instance(int index) {
    return instances[index];
  }

  /** Returns blocks of a rank's cache, not positive if unknown. */
  long totalBlocks(int index) {
    return totalBlocks[index];
  }

  /** Returns tokens that a rank computes in one step, not positive if unknown. */
  long batchTokens(int index) {
    return batchTokens[index];
  }

  /** Returns a rank's index, or -1 if the directory does not name it. */
  int indexOf(WorkerWithDpRank rank) {
    @Nullable Integer index = indexes.get(rank);
    return index == null ? -1 : index;
  }
}
