// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.propertytests;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.KvIndexerStatus;
import io.dynamo4j.indexer.RefusalListener;
import io.dynamo4j.plane.Subscription;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;

/** An index that tells which share of the blocks asked for was held by somebody. */
public final class HitRateIndexer implements KvIndexer {
  private final KvIndexer index;
  private final LongAdder asked = new LongAdder();
  private final LongAdder found = new LongAdder();

  private HitRateIndexer(KvIndexer index) {
    this.index = index;
  }

  /** Counts what is asked of an index; closing this closes it. */
  public static HitRateIndexer around(KvIndexer index) {
    return new HitRateIndexer(index);
  }

  /**
   * Returns the share of blocks that the best rank held, over all questions; 0 before the first.
   */
  public double hitRate() {
    long blocks = asked.sum();
    return blocks == 0 ? 0 : (double) found.sum() / blocks;
  }

  @Override
  public void findMatches(long[] localHashes, int count, OverlapScores out) {
    index.findMatches(localHashes, count, out);
    int best = 0;
    for (int i = 0; i < out.size(); i++) {
      best = Math.max(best, out.depth(i));
    }
    asked.add(count);
    found.add(best);
  }

  @Override
  public int blockSize() {
    return index.blockSize();
  }

  @Override
  public boolean submit(RouterEvent event) {
    return index.submit(event);
  }

  @Override
  public void removeWorker(long workerId) {
    index.removeWorker(workerId);
  }

  @Override
  public void removeWorkerDpRank(WorkerWithDpRank worker) {
    index.removeWorkerDpRank(worker);
  }

  @Override
  public Subscription watchRefusals(Scheduler lane, RefusalListener listener) {
    return index.watchRefusals(lane, listener);
  }

  @Override
  public void markStale(WorkerWithDpRank worker, boolean stale) {
    index.markStale(worker, stale);
  }

  @Override
  public boolean isStale(WorkerWithDpRank worker) {
    return index.isStale(worker);
  }

  @Override
  public CompletionStage<Void> flush() {
    return index.flush();
  }

  @Override
  public KvIndexerStatus status() {
    return index.status();
  }

  @Override
  public void close() {
    index.close();
  }
}
