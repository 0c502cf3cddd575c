// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;

/** Ranks whose scores may be out of date. Any thread; a question costs O(log marks). */
final class StaleRanks {
  private final Set<WorkerWithDpRank> marked = new ConcurrentSkipListSet<>();
  private final AtomicInteger count = new AtomicInteger();

  void mark(WorkerWithDpRank worker, boolean stale) {
    Objects.requireNonNull(worker, "worker");
    if (stale ? marked.add(worker) : marked.remove(worker)) {
      count.addAndGet(stale ? 1 : -1);
    }
  }

  boolean contains(WorkerWithDpRank worker) {
    return count.get() > 0 && marked.contains(worker);
  }

  int count() {
    return count.get();
  }
}
