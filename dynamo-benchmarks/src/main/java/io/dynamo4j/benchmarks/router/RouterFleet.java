// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.router;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.SchedulingRequest;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;

/** Workers that carry four requests each and hold their blocks, behind a router and its index. */
final class RouterFleet implements AutoCloseable {
  static final int REQUESTS_PER_WORKER = 4;

  private final RealEnvironment environment = RealEnvironment.create();
  private final KvIndexer indexer;
  private final KvRouter router;

  RouterFleet(int workers) {
    InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
    for (long id = 1; id <= workers; id++) {
      directory.register(
          WorkerInstance.builder(id, InMemoryRequestPlane.address("worker-" + id))
              .kvBlockSize(PromptHashes.BLOCK_SIZE)
              .totalKvBlocks(131_072)
              .maxBatchedTokens(8_192)
              .build());
    }
    this.indexer =
        KvIndexer.builder()
            .environment(environment.environment())
            .blockSize(PromptHashes.BLOCK_SIZE)
            .build();
    this.router =
        KvRouter.builder()
            .environment(environment.environment())
            .directory(directory)
            .indexer(indexer)
            .explainRate(0)
            .build();
    for (int i = 0; i < workers * REQUESTS_PER_WORKER; i++) {
      place(i, i % workers + 1L, i / workers);
    }
    indexer.flush().toCompletableFuture().join();
  }

  private void place(int number, long workerId, long eventId) {
    PromptHashes prompt = PromptHashes.of(number);
    KvCacheEventData stored = KvCacheEventData.Stored.atRoot(prompt.sequence(), prompt.local());
    while (!indexer.submit(
        RouterEvent.of(workerId, StorageTier.DEVICE, KvCacheEvent.of(eventId, 0, stored)))) {
      indexer.flush().toCompletableFuture().join();
    }
    router.trySelect(
        SchedulingRequest.builder("standing-" + number, prompt.tokens())
            .blockHashes(prompt.local(), prompt.sequence())
            .routing(RoutingHints.builder().pinnedWorker(WorkerWithDpRank.of(workerId)).build())
            .build());
  }

  KvRouter router() {
    return router;
  }

  @Override
  public void close() {
    router.close();
    indexer.close();
    environment.close();
  }
}
