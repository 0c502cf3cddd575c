// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.nats;

import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.transport.nats.NatsEventPlane;
import io.dynamo4j.transport.nats.NatsOptions;
import io.dynamo4j.transport.nats.NatsTransport;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** An index that follows the one worker over NATS, subscribed when this is made. */
final class FollowingIndex implements AutoCloseable {
  private static final long PATIENCE_NANOS = 300_000_000_000L;
  private static final long LOOK_NANOS = 50_000;
  private static final int QUEUE_CAPACITY = 1 << 22;

  private final RealEnvironment lanes = RealEnvironment.create();
  private final NatsTransport nats;
  private final NatsEventPlane plane;
  private final KvIndexer index;
  private final KvEventFeed feed;

  FollowingIndex(String server) {
    InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
    directory.register(
        WorkerInstance.builder(WorkerEvents.WORKER_ID, new Address("memory", "bench")).build());
    nats =
        NatsTransport.create(
            lanes.environment(), NatsOptions.fromEnvironment(Map.of("NATS_SERVER", server)));
    plane =
        NatsEventPlane.builder(nats)
            .queueCapacity(QUEUE_CAPACITY)
            .maxPendingBytes(1L << 30)
            .build();
    index =
        KvIndexer.builder()
            .environment(lanes.environment())
            .blockSize(16)
            .maxPendingUpdates(QUEUE_CAPACITY)
            .build();
    feed = KvEventFeed.connect(plane, WorkerEvents.SCOPE, directory, index, lanes.environment());
    awaitSubscribed();
  }

  private void awaitSubscribed() {
    CountDownLatch subscribed = new CountDownLatch(1);
    nats.whenConfirmed(lanes.lane("subscribed"), subscribed::countDown);
    try {
      if (!subscribed.await(PATIENCE_NANOS, TimeUnit.NANOSECONDS)) {
        throw new IllegalStateException("server does not answer: status=" + nats.status());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    }
  }

  long blocks() {
    return index.status().blocks();
  }

  /** Waits until the index knows so many blocks; looks often. */
  void awaitBlocks(long blocks) {
    long start = System.nanoTime();
    while (blocks() != blocks) {
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new IllegalStateException(
            "blocks are missing: known=" + blocks() + ", sent=" + blocks + ", " + plane.status());
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  @Override
  public void close() {
    feed.close();
    plane.close();
    index.close();
    nats.close();
    lanes.close();
  }
}
