// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.index;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.KvIndexerStatus;
import io.dynamo4j.indexer.RefusalListener;
import io.dynamo4j.plane.Subscription;
import java.util.concurrent.CompletionStage;

/** An index that passes everything on. */
class RelayIndexer implements KvIndexer {
  private final KvIndexer index;

  RelayIndexer(KvIndexer index) {
    this.index = index;
  }

  @Override
  public int blockSize() {
    return index.blockSize();
  }

  @Override
  public void findMatches(long[] localHashes, int count, OverlapScores out) {
    index.findMatches(localHashes, count, out);
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
