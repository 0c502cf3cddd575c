// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.BLOCK;
import static io.dynamo4j.kvrouter.RouterFixture.instance;
import static io.dynamo4j.kvrouter.RouterFixture.pinned;
import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What ranks hold below their devices counts for less, and counts. */
class TieredRoutingTest {
  private static final TokenSlice PROMPT = tokens(0, 8 * BLOCK);
  private static final long[] LOCALS = BlockHasher.of(BlockHashOptions.of(BLOCK)).hash(PROMPT);

  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private final KvIndexer index =
      KvIndexer.builder().environment(simulation.environment("router")).blockSize(BLOCK).build();

  TieredRoutingTest() {
    directory.register(instance(1).build());
    directory.register(instance(2).build());
  }

  private KvRouter router(KvRouterConfig config) {
    return KvRouter.builder()
        .environment(simulation.environment("router"))
        .directory(directory)
        .indexer(index)
        .config(config)
        .build();
  }

  /** A worker stores blocks of the prompt in a tier. */
  private void store(long workerId, StorageTier tier, int from, int to) {
    long[] blocks = Arrays.copyOfRange(LOCALS, from, to);
    KvCacheEventData data =
        from == 0
            ? KvCacheEventData.Stored.atRoot(blocks, blocks)
            : KvCacheEventData.Stored.under(LOCALS[from - 1], blocks, blocks);
    index.submit(RouterEvent.of(workerId, tier, KvCacheEvent.of(1, 0, data)));
    simulation.await(index.flush());
  }

  @Test
  void shouldWeighEachTierByItsCredit() {
    store(1, StorageTier.DEVICE, 0, 2);
    store(1, StorageTier.HOST_PINNED, 2, 4);
    store(1, StorageTier.DISK, 4, 5);
    store(1, StorageTier.EXTERNAL, 5, 8);
    WorkerSelectionResult result =
        router(KvRouterConfig.ofDefaults()).query(pinned("a", PROMPT, worker(1)));
    assertThat(result.effectiveOverlapBlocks()).isEqualTo(2 + 2 * 0.75 + (1 + 3) * 0.25);
  }

  @Test
  void shouldPreferTheWorkerWithMoreBelowItsDeviceUnlessThatHasNoCredit() {
    store(1, StorageTier.DEVICE, 0, 2);
    store(2, StorageTier.DEVICE, 0, 1);
    store(2, StorageTier.HOST_PINNED, 1, 5);
    for (int i = 0; i < 5; i++) {
      assertThat(router(KvRouterConfig.ofDefaults()).query(request("a", PROMPT)).worker())
          .isEqualTo(worker(2));
    }
    KvRouterConfig devicesOnly = KvRouterConfig.builder().hostCacheHitWeight(0).build();
    assertThat(router(devicesOnly).query(request("a", PROMPT)).worker()).isEqualTo(worker(1));
  }
}
