// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.DurableEventLog;
import java.util.List;
import java.util.Objects;

/**
 * One rank's events into a durable log, for workers that run in a JVM: takes what the engine
 * reports, in order, and answers for it until the log has it. While the log is away events wait in
 * a bounded buffer; what finds no room there is made good afterwards from the publisher's own
 * record of what the rank holds.
 *
 * <p><b>Threads.</b> Any; nothing here waits.
 */
public final class DurableKvPublisher implements AutoCloseable {
  private static final int ANY_BLOCK_SIZE = 1;

  private final WorkerWithDpRank worker;
  private final KvIndexer held;
  private final DurableKvBridge bridge;

  private DurableKvPublisher(
      WorkerWithDpRank worker,
      DurableEventLog log,
      Environment environment,
      long maxPendingBlocks) {
    this.worker = worker;
    this.held = KvIndexer.builder().environment(environment).blockSize(ANY_BLOCK_SIZE).build();
    this.bridge =
        DurableKvBridge.builder()
            .log(log)
            .index(held)
            .environment(environment)
            .writerId(writerId(worker, environment))
            .maxPendingBlocks(maxPendingBlocks)
            .build();
    // A life begins with nothing held, and says so before the first change.
    bridge.removeWorkerDpRank(worker);
  }

  private static long writerId(WorkerWithDpRank worker, Environment environment) {
    RandomSource random = environment.random().split("durable-publisher:" + worker);
    long id = random.nextLong();
    return id == 0 ? 1 : id;
  }

  /** Starts a publisher; the caller closes it before the log. */
  public static DurableKvPublisher start(
      WorkerWithDpRank worker, DurableEventLog log, Environment environment) {
    return start(worker, log, environment, DurableKvBridge.Builder.DEFAULT_MAX_PENDING_BLOCKS);
  }

  /**
   * Starts a publisher with another bound.
   *
   * @param maxPendingBlocks as {@link DurableKvBridge.Builder#maxPendingBlocks}
   */
  public static DurableKvPublisher start(
      WorkerWithDpRank worker,
      DurableEventLog log,
      Environment environment,
      long maxPendingBlocks) {
    return new DurableKvPublisher(
        Objects.requireNonNull(worker, "worker"),
        Objects.requireNonNull(log, "log"),
        Objects.requireNonNull(environment, "environment"),
        maxPendingBlocks);
  }

  /** Publishes changes of one tier's cache, in this order. */
  public void publish(StorageTier tier, List<KvCacheEventData> changes) {
    for (KvCacheEventData change : changes) {
      bridge.submit(
          RouterEvent.of(worker.workerId(), tier, KvCacheEvent.of(0, worker.dpRank(), change)));
    }
  }

  public DurableWriterStatus status() {
    return bridge.writerStatus();
  }

  /** Ends writing: what has not reached the log is not written. Idempotent. */
  @Override
  public void close() {
    bridge.close();
    held.close();
  }
}
