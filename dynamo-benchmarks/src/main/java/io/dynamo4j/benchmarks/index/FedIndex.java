// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.RecoveryTargets;
import io.dynamo4j.indexer.source.LocalKvIndexer;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** An index behind a feed with recovery, on threads of its own, as a router has it. */
final class FedIndex implements AutoCloseable {
  private static final EventScope SCOPE = new EventScope.Endpoint("bench", "backend", "generate");
  private static final long PAUSE_NANOS = 100_000;
  private static final long PATIENCE_NANOS = 120_000_000_000L;

  private final RealEnvironment environment = RealEnvironment.create();
  private final InMemoryRequestPlane<byte[], byte[]> requests =
      InMemoryRequestPlane.create(environment.environment());
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private final Map<Long, byte[]> answers = new LinkedHashMap<>();
  final DirectEventPlane plane = new DirectEventPlane();
  final KvIndexer index;
  final KvEventFeed feed;

  FedIndex() {
    index = IndexerApply.index(environment.environment(), 1);
    feed =
        KvEventFeed.builder()
            .eventPlane(plane, SCOPE)
            .directory(directory)
            .indexer(index)
            .environment(environment.environment())
            .recovery(requests, RecoveryTargets.besideWorker())
            .connect();
  }

  /** Serves an answer to every recovery query about a worker. */
  void serve(long workerId, byte[] answer) {
    if (answers.put(workerId, answer) == null) {
      WorkerWithDpRank rank = WorkerWithDpRank.of(workerId);
      requests.serve(
          RecoveryTargets.besideWorker(instance(workerId), rank),
          (requestId, query, sink) -> {
            sink.next(answers.get(workerId));
            sink.complete();
          });
    }
  }

  /** Returns what a source answers that has recorded nothing. */
  static byte[] emptyAnswer(long workerId) {
    LocalKvIndexer empty = LocalKvIndexer.builder(WorkerWithDpRank.of(workerId)).build();
    return RecoveredWorker.everything(empty);
  }

  void register(long workerId) {
    directory.register(instance(workerId));
  }

  void unregister(long workerId) {
    directory.unregister(workerId);
  }

  private static WorkerInstance instance(long workerId) {
    return WorkerInstance.builder(
            workerId, InMemoryRequestPlane.address("worker-" + Long.toUnsignedString(workerId)))
        .incarnation(1)
        .build();
  }

  /** Returns whether so many sources are known and none is waited for. */
  boolean isExact(int sources) {
    return feed.progress().total() == sources && feed.progress().done() == sources;
  }

  /** Waits until so many sources are known. */
  void awaitExact(int sources) {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!isExact(sources)) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("recovery does not end: sources=" + feed.sources());
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  @Override
  public void close() {
    feed.close();
    index.close();
    environment.close();
  }
}
