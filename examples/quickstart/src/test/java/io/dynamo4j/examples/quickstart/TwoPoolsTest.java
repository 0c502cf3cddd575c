// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.kvrouter.DisaggregatedDispatcher;
import io.dynamo4j.kvrouter.DisaggregatedLease;
import io.dynamo4j.kvrouter.DisaggregatedRouter;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.KvRouterConfig;
import io.dynamo4j.kvrouter.PrefillBypass;
import io.dynamo4j.kvrouter.PrefillHandoff;
import io.dynamo4j.kvrouter.PrefillRoute;
import io.dynamo4j.kvrouter.SchedulingRequest;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How a host puts a fleet with prefill and decode workers together, from outside. */
class TwoPoolsTest {
  private static final int BLOCK_SIZE = 16;

  private final RealEnvironment threads = RealEnvironment.create();
  private final InMemoryWorkerDirectory prefillPool = InMemoryWorkerDirectory.create();
  private final KvRouter prefill =
      router(prefillPool, DisaggregatedRouter.prefillConfig(KvRouterConfig.ofDefaults()));
  private final KvRouter decode = router(pool(11, 12), KvRouterConfig.ofDefaults());
  private final DisaggregatedRouter router =
      DisaggregatedRouter.builder()
          .prefill(prefill)
          .decode(decode)
          .bypass(PrefillBypass.builder().newTokensBelow(64).newShareBelow(1).build())
          .build();

  @AfterEach
  void end() {
    prefill.close();
    decode.close();
    threads.close();
  }

  @Test
  void shouldBookOneWorkerOfEachPool() {
    register(prefillPool, 1);

    try (DisaggregatedLease lease = router.trySelect(request("a", 640))) {
      assertThat(lease.route()).isEqualTo(PrefillRoute.REMOTE);
      assertThat(Objects.requireNonNull(lease.prefill()).worker().workerId()).isEqualTo(1);
      assertThat(lease.decode().worker().workerId()).isBetween(11L, 12L);
      assertThat(prefill.bookingCount() + decode.bookingCount()).isEqualTo(2);
    }

    assertThat(prefill.bookingCount() + decode.bookingCount()).isZero();
  }

  @Test
  void shouldLeaveThePromptToTheDecodeWorkerWhereNobodyElseComputesIt() {
    try (DisaggregatedLease lease = router.trySelect(request("a", 640))) {
      assertThat(lease.route()).isEqualTo(PrefillRoute.NO_PREFILL_WORKER);
      assertThat(lease.prefill()).isNull();
    }
  }

  @Test
  void shouldBuildADispatcherThatAMigratorStandsOn() {
    RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher =
        DisaggregatedDispatcher.builder()
            .router(router)
            .requestPlane(InMemoryRequestPlane.create(threads.environment()))
            .build();
    PrefillHandoff<PreprocessedRequest, LLMEngineOutput> ownTypesNeedOneLikeThis =
        PrefillHandoff.preprocessed();

    assertThat(dispatcher).isNotNull();
    assertThat(ownTypesNeedOneLikeThis).isNotNull();
  }

  private static SchedulingRequest request(String id, int tokens) {
    return SchedulingRequest.builder(id, TokenSlice.wrap(new int[tokens])).build();
  }

  private static InMemoryWorkerDirectory pool(long... ids) {
    InMemoryWorkerDirectory pool = InMemoryWorkerDirectory.create();
    for (long id : ids) {
      register(pool, id);
    }
    return pool;
  }

  private static void register(InMemoryWorkerDirectory pool, long id) {
    pool.register(
        WorkerInstance.builder(id, InMemoryRequestPlane.address("worker-" + id))
            .kvBlockSize(BLOCK_SIZE)
            .build());
  }

  private KvRouter router(InMemoryWorkerDirectory pool, KvRouterConfig config) {
    return KvRouter.builder()
        .environment(threads.environment())
        .directory(pool)
        .config(config)
        .indexer(
            KvIndexer.builder().environment(threads.environment()).blockSize(BLOCK_SIZE).build())
        .build();
  }
}
