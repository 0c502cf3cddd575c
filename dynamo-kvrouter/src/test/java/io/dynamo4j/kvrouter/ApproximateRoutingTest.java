// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.BLOCK;
import static io.dynamo4j.kvrouter.RouterFixture.instance;
import static io.dynamo4j.kvrouter.RouterFixture.pinned;
import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.ApproximateCachePolicy;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A router without engines' events. */
class ApproximateRoutingTest {
  private static final long SECOND = 1_000_000_000L;
  private static final TokenSlice PROMPT = tokens(0, 4 * BLOCK);

  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();

  ApproximateRoutingTest() {
    directory.register(instance(1).totalKvBlocks(6).build());
    directory.register(instance(2).totalKvBlocks(6).build());
  }

  private KvRouterBuilder builder(KvRouterConfigBuilder config) {
    return KvRouter.builder()
        .environment(simulation.environment("router"))
        .directory(directory)
        .config(config.build());
  }

  private KvRouter router(KvRouterConfigBuilder config) {
    return builder(config).blockSize(BLOCK).build();
  }

  private static double overlap(KvRouter router, TokenSlice prompt) {
    return router.query(request("query", prompt)).effectiveOverlapBlocks();
  }

  private void serve(KvRouter router, SchedulingRequest request, int outputTokens) {
    try (RequestLease lease = router.trySelect(request)) {
      lease.addOutputTokens(outputTokens);
    }
    simulation.runFor(1);
  }

  @Test
  void shouldLearnFromItsOwnDecisionsGivenOneSetting() {
    try (KvRouter router = router(KvRouterConfig.builder().useKvEvents(false))) {
      assertThat(overlap(router, PROMPT)).isZero();
      serve(router, pinned("a", PROMPT, worker(2)), 1);
      for (int i = 0; i < 20; i++) {
        assertThat(router.query(request("q", PROMPT)).worker()).isEqualTo(worker(2));
      }
      assertThat(overlap(router, tokens(0, 6 * BLOCK))).isEqualTo(4);
      simulation.runFor(120 * SECOND);
      assertThat(overlap(router, PROMPT)).isZero();
    }
  }

  @Test
  void shouldNotLearnFromQueriesNorFromBookingsThatSaySo() {
    try (KvRouter router = router(KvRouterConfig.builder().useKvEvents(false))) {
      router.query(request("q", PROMPT));
      serve(router, SchedulingRequest.builder("a", PROMPT).updateIndexer(false).build(), 1);
      assertThat(overlap(router, PROMPT)).isZero();
    }
  }

  @Test
  void shouldForgetWorkersThatLeaveAndThoseThatComeBackAsOthers() {
    try (KvRouter router = router(KvRouterConfig.builder().useKvEvents(false))) {
      serve(router, pinned("a", PROMPT, worker(1)), 1);
      serve(router, pinned("b", PROMPT, worker(2)), 1);
      directory.unregister(1);
      directory.register(instance(2).incarnation(5).totalKvBlocks(6).build());
      router.query(request("q", PROMPT));
      simulation.runFor(1);
      directory.register(instance(1).build());
      assertThat(overlap(router, PROMPT)).isZero();
    }
  }

  @Test
  void shouldForgetByTheDeclaredRoomOfARank() {
    KvRouterConfigBuilder config =
        KvRouterConfig.builder()
            .useKvEvents(false)
            .routerApproximateCachePolicy(ApproximateCachePolicy.LRU);
    directory.unregister(2);
    try (KvRouter router = router(config)) {
      serve(router, request("a", PROMPT), 2);
      assertThat(overlap(router, PROMPT)).isEqualTo(4);
      serve(router, request("b", tokens(100, 4 * BLOCK)), 2);
      assertThat(overlap(router, PROMPT)).isEqualTo(1);
      assertThat(overlap(router, tokens(100, 4 * BLOCK))).isEqualTo(4);
      simulation.runFor(1_000 * SECOND);
      assertThat(overlap(router, tokens(100, 4 * BLOCK))).isEqualTo(4);
      serve(router, request("c", tokens(200, BLOCK + 1)), 0);
      assertThat(overlap(router, PROMPT)).isZero();
      assertThat(overlap(router, tokens(100, 4 * BLOCK))).isEqualTo(4);
    }
  }

  @Test
  void shouldPredictBesideEventsWhenAskedTo() {
    KvRouterConfigBuilder config =
        KvRouterConfig.builder().routerPredictedTtl(Duration.ofSeconds(5));
    KvIndexer index =
        config
            .build()
            .indexer()
            .environment(simulation.environment("router"))
            .blockSize(BLOCK)
            .build();
    KvRouter router = builder(config).indexer(index).build();
    serve(router, request("a", PROMPT), 1);
    assertThat(overlap(router, PROMPT)).isEqualTo(4);
    simulation.runFor(5 * SECOND);
    assertThat(overlap(router, PROMPT)).isZero();
  }

  @Test
  void shouldRefuseAnIndexThatCannotLearnWhereItMust() {
    KvIndexer index =
        KvIndexer.builder().environment(simulation.environment("router")).blockSize(BLOCK).build();
    KvRouterBuilder withoutEvents =
        builder(KvRouterConfig.builder().useKvEvents(false)).indexer(index);
    assertThatThrownBy(withoutEvents::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("use_kv_events=false");
    KvRouterBuilder predicting =
        builder(KvRouterConfig.builder().routerPredictedTtl(Duration.ofSeconds(5))).indexer(index);
    assertThatThrownBy(predicting::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("router_predicted_ttl_secs=PT5S");
    assertThatThrownBy(builder(KvRouterConfig.builder().useKvEvents(false))::build)
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldReadAndCheckLifetimes() {
    KvRouterConfig config =
        KvRouterConfig.fromEnvironment(
            Map.of(
                "DYN_ROUTER_USE_KV_EVENTS", "false",
                "DYN_ROUTER_TTL_SECS", "1.5",
                "DYN_ROUTER_APPROXIMATE_CACHE_POLICY", "lru"));
    assertThat(config.useKvEvents()).isFalse();
    assertThat(config.routerTtl()).isEqualTo(Duration.ofMillis(1_500));
    assertThat(config.routerApproximateCachePolicy()).isEqualTo(ApproximateCachePolicy.LRU);
    assertThat(config.toBuilder().build().routerTtl()).isEqualTo(Duration.ofMillis(1_500));
    assertThat(KvRouterConfig.fromEnvironment(Map.of("DYN_ROUTER_PREDICTED_TTL_SECS", "2")))
        .satisfies(c -> assertThat(c.routerPredictedTtl()).contains(Duration.ofSeconds(2)));
    assertThat(KvRouterConfig.ofDefaults().routerTtl()).isEqualTo(Duration.ofMinutes(2));
    assertThat(KvRouterConfig.ofDefaults().useKvEvents()).isTrue();
    assertThat(KvRouterConfig.loadAware().useKvEvents()).isFalse();
    KvRouterConfigBuilder both =
        KvRouterConfig.builder().useKvEvents(false).routerPredictedTtl(Duration.ofSeconds(1));
    assertThatThrownBy(both::build)
        .hasMessage("router_predicted_ttl_secs requires use_kv_events=true");
    assertThatThrownBy(KvRouterConfig.builder().routerTtl(Duration.ZERO)::build)
        .hasMessageContaining("router_ttl_secs=PT0S");
  }
}
