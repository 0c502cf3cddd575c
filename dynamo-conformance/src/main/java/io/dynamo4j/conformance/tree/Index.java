// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.tree;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** What every index of a scenario does. */
public interface Index {

  /**
   * Stores blocks.
   *
   * @param parent external hash of the block before them, null at the root
   */
  Outcome store(WorkerWithDpRank worker, @Nullable Long parent, List<Block> blocks);

  Outcome remove(WorkerWithDpRank worker, List<Long> externals);

  void clear(WorkerWithDpRank worker);

  /** Forgets all ranks of a worker. */
  void clearWorker(long workerId);

  /** Returns the matched leading blocks of each rank that has at least one. */
  SortedMap<WorkerWithDpRank, Integer> find(List<Long> locals);
}
