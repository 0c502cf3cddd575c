// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.DecisionLease;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.KvIndexerStatus;
import io.dynamo4j.indexer.RoutingDecision;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An index that answers what a test says, for any prompt, and counts how often it is asked. A
 * lookup allocates nothing.
 */
final class FakeIndexer implements KvIndexer {
  private final int blockSize;
  private final Map<WorkerWithDpRank, Integer> depths = new TreeMap<>();
  private WorkerWithDpRank[] holders = {};
  private int[] held = {};
  private @Nullable Throwable learning;
  private final AtomicInteger lookups = new AtomicInteger();

  FakeIndexer(int blockSize) {
    this.blockSize = blockSize;
  }

  void hold(WorkerWithDpRank worker, int depth) {
    depths.put(worker, depth);
    holders = depths.keySet().toArray(new WorkerWithDpRank[0]);
    held = depths.values().stream().mapToInt(Integer::intValue).toArray();
  }

  /** Asks to be told of decisions, and throws whenever it is. */
  FakeIndexer failingToLearn(Throwable thrown) {
    learning = thrown;
    return this;
  }

  @Override
  public boolean learnsFromDecisions() {
    return learning != null;
  }

  @Override
  public DecisionLease record(RoutingDecision decision) {
    if (learning != null) {
      FakeIndexer.<RuntimeException>sneak(learning);
    }
    return DecisionLease.none();
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  int lookups() {
    return lookups.get();
  }

  @Override
  public int blockSize() {
    return blockSize;
  }

  @Override
  public void findMatches(long[] localHashes, int count, OverlapScores out) {
    lookups.incrementAndGet();
    out.clear();
    for (int i = 0; i < holders.length; i++) {
      out.add(holders[i], Math.min(held[i], count));
    }
  }

  @Override
  public boolean submit(RouterEvent event) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void removeWorker(long workerId) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void removeWorkerDpRank(WorkerWithDpRank worker) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletionStage<Void> flush() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public KvIndexerStatus status() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
