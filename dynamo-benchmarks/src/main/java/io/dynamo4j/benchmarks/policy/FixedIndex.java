// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.policy;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.KvIndexerStatus;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** An index that costs next to nothing, so that policies are compared and nothing else. */
final class FixedIndex implements KvIndexer {
  private final int blockSize;
  private final List<WorkerWithDpRank> ranks;

  FixedIndex(int blockSize, List<WorkerWithDpRank> ranks) {
    this.blockSize = blockSize;
    this.ranks = ranks;
  }

  @Override
  public int blockSize() {
    return blockSize;
  }

  @Override
  public void findMatches(long[] localHashes, int count, OverlapScores out) {
    out.clear();
    for (int i = 0; i < ranks.size(); i++) {
      out.add(ranks.get(i), Math.min(count, i % 4));
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
  public void close() {
    // There is nothing to end.
  }
}
