// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.KvIndexerStatus;
import java.util.concurrent.CompletionStage;

/** An index that keeps the blocks of workers that are gone. */
final class ForgetfulIndexer implements KvIndexer {
  private final KvIndexer delegate;

  ForgetfulIndexer(KvIndexer delegate) {
    this.delegate = delegate;
  }

  @Override
  public void removeWorker(long workerId) {}

  @Override
  public void removeWorkerDpRank(WorkerWithDpRank worker) {}

  @Override
  public int blockSize() {
    return delegate.blockSize();
  }

  @Override
  public void findMatches(long[] localHashes, int count, OverlapScores out) {
    delegate.findMatches(localHashes, count, out);
  }

  @Override
  public boolean submit(RouterEvent event) {
    return delegate.submit(event);
  }

  @Override
  public CompletionStage<Void> flush() {
    return delegate.flush();
  }

  @Override
  public KvIndexerStatus status() {
    return delegate.status();
  }

  @Override
  public void close() {
    delegate.close();
  }
}
