// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import static io.dynamo4j.transport.nats.NatsRun.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.RecoveryTargets;
import io.dynamo4j.indexer.source.KvEventSource;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.transport.tcp.PayloadCodec;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An index at one end of NATS and the source of its events at the other. */
class NatsIndexTest {
  private static final int MAX_BLOCKS = 100_000;

  private final NatsRun run = new NatsRun();
  private final WorkerInstance worker =
      WorkerInstance.builder(
              5, NatsRequestPlane.address(5, run.scope.namespace(), "backend", "generate"))
          .kvBlockSize(16)
          .build();
  private final WorkerWithDpRank rank = worker.rank(0);
  private final AtomicInteger stored = new AtomicInteger();

  @AfterEach
  void close() {
    run.close();
  }

  @Test
  void shouldHoldWhatTheWorkerHoldsAfterTheServerWasKilledUnderLoad() {
    InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
    try (NatsServer first = NatsServer.start();
        NatsProxy proxy = NatsProxy.to(first);
        KvIndexer index = KvIndexer.builder().environment(run.environment).blockSize(16).build()) {
      NatsTransport router = run.transport(proxy.url());
      NatsTransport engine = run.transport(proxy.url());
      try (NatsEventPlane received = NatsEventPlane.builder(router).build();
          NatsEventPlane published = NatsEventPlane.builder(engine).build();
          NatsRequestPlane<byte[], byte[]> queries =
              NatsRequestPlane.builder(PayloadCodec.raw(), router).build();
          NatsRequestPlane<byte[], byte[]> answers =
              NatsRequestPlane.builder(PayloadCodec.raw(), engine).build();
          KvEventSource source =
              KvEventSource.builder(rank, 77)
                  .eventPlane(published, run.scope)
                  .environment(run.environment)
                  .serveRecovery(answers, RecoveryTargets.besideWorker(worker, rank))
                  .announcementInterval(Duration.ofMillis(50))
                  .start();
          KvEventFeed feed =
              KvEventFeed.builder()
                  .eventPlane(received, run.scope)
                  .directory(directory)
                  .indexer(index)
                  .environment(run.environment)
                  .recovery(queries, RecoveryTargets.besideWorker())
                  .connect()) {
        directory.register(worker);
        CompletableFuture<Void> stop = new CompletableFuture<>();
        CompletableFuture<Void> stopped = storeUntil(stop, source);
        eventually(() -> depth(index) > 50);
        proxy.retargetNowhere();
        first.kill();
        eventually(() -> router.status().disconnects() > 0 && engine.status().disconnects() > 0);
        int before = stored.get();
        eventually(() -> stored.get() > before + 50);
        try (NatsServer second = NatsServer.start()) {
          proxy.retarget(second);
          eventually(() -> depth(index) > before + 50);
          stop.complete(null);
          NatsRun.get(stopped);
          // One block that is missing would end the chain there.
          eventually(() -> depth(index) == stored.get());
          assertThat(index.status().blocks()).isEqualTo(stored.get());
          assertThat(feed.sources()).hasSize(1);
        }
      }
    }
  }

  /** Stores one chain of blocks, one after the other. */
  private CompletableFuture<Void> storeUntil(CompletableFuture<Void> stop, KvEventSource source) {
    CompletableFuture<Void> stopped = new CompletableFuture<>();
    Scheduler lane = run.lanes.lane("engine");
    lane.execute(
        new Runnable() {
          @Override
          public void run() {
            if (stop.isDone() || stored.get() == MAX_BLOCKS) {
              stopped.complete(null);
              return;
            }
            int next = stored.incrementAndGet();
            long[] hash = {next};
            long[] content = {1_000_000 + next};
            KvCacheEventData block =
                next == 1
                    ? KvCacheEventData.Stored.atRoot(hash, content)
                    : KvCacheEventData.Stored.under(next - 1, hash, content);
            source.publish(StorageTier.DEVICE, List.of(block));
            lane.schedule(this, 1_000_000);
          }
        });
    return stopped;
  }

  private int depth(KvIndexer index) {
    int count = stored.get();
    long[] chain = new long[count];
    for (int i = 0; i < count; i++) {
      chain[i] = 1_000_001L + i;
    }
    return index.depthOf(rank, chain, count, OverlapScores.create());
  }
}
