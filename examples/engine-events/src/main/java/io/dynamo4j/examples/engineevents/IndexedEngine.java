// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.engineevents;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.engine.EngineEventNormalizer;
import io.dynamo4j.transport.zmq.EngineEventListener;

/**
 * The wiring: what one engine says goes through a normalizer into an index. A restart empties the
 * engine's part of the index; a loss marks the rank, since its scores may be wrong from then on.
 *
 * <p>All calls come on the lane that the source was opened with.
 */
public final class IndexedEngine implements EngineEventListener {
  private final long workerId;
  private final KvIndexer index;
  private final EngineEventNormalizer normalizer;

  private IndexedEngine(long workerId, KvIndexer index) {
    this.workerId = workerId;
    this.index = index;
    this.normalizer = EngineEventNormalizer.builder(workerId, index.blockSize()).build();
  }

  /** Returns what a source of this worker's events is opened with. */
  public static IndexedEngine of(long workerId, KvIndexer index) {
    return new IndexedEngine(workerId, index);
  }

  @Override
  public void batch(int dpRank, long sequence, byte[] payload) {
    normalizer.normalize(payload).forEach(index::submit);
  }

  @Override
  public void restarted(int dpRank) {
    normalizer.reset();
    index.removeWorker(workerId);
  }

  @Override
  public void lost(int dpRank, long first, long last) {
    index.markStale(new WorkerWithDpRank(workerId, dpRank), true);
  }
}
