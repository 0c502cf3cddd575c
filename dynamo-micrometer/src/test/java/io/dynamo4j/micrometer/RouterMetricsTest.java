// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.KvRouterBuilder;
import io.dynamo4j.kvrouter.QueueRejectedException;
import io.dynamo4j.kvrouter.RequestLease;
import io.dynamo4j.kvrouter.RoutingEvent;
import io.dynamo4j.kvrouter.SchedulingRequest;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Exact figures, as Prometheus would read them. */
class RouterMetricsTest {
  private static final int BLOCK = 4;
  private static final EventScope SCOPE = new EventScope.Endpoint("ns", "backend", "generate");
  private static final String ROUTER = "{router_id=\"7\"}";
  private static final String TYPED = "{router_id=\"7\",worker_type=\"decode\"}";

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final RouterMetrics metrics =
      RouterMetrics.builder(registry).routerId(7).model("m").build();
  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final Environment environment = simulation.environment("router");
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private final KvIndexer indexer =
      KvIndexer.builder().environment(environment).blockSize(BLOCK).build();

  private KvRouter router() {
    return router(builder -> builder);
  }

  private KvRouter router(UnaryOperator<KvRouterBuilder> more) {
    for (long id = 1; id <= 2; id++) {
      directory.register(
          WorkerInstance.builder(id, InMemoryRequestPlane.address("worker-" + id)).build());
    }
    KvRouter router =
        more.apply(
                KvRouter.builder()
                    .environment(environment)
                    .directory(directory)
                    .indexer(indexer)
                    .listener(metrics))
            .build();
    metrics.observe(router);
    return router;
  }

  private static TokenSlice prompt(int length) {
    int[] tokens = new int[length];
    for (int i = 0; i < length; i++) {
      tokens[i] = i;
    }
    return TokenSlice.wrap(tokens);
  }

  /** Lets a worker hold so many blocks of the prompt. */
  private void store(long worker, int blocks) {
    long[] hashes = new long[blocks];
    BlockHasher.of(BlockHashOptions.of(BLOCK)).hash(prompt(blocks * BLOCK), hashes);
    KvCacheEventData stored = KvCacheEventData.Stored.atRoot(hashes, hashes);
    indexer.submit(RouterEvent.of(worker, StorageTier.DEVICE, KvCacheEvent.of(0, 0, stored)));
    simulation.runFor(1_000_000);
  }

  private static SchedulingRequest pinned(String id, long worker, int length) {
    return SchedulingRequest.builder(id, prompt(length))
        .routing(RoutingHints.builder().pinnedWorker(WorkerWithDpRank.of(worker)).build())
        .build();
  }

  private String sample(String series) {
    return registry
        .scrape()
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .map(line -> line.substring(series.length() + 1))
        .findFirst()
        .orElse("absent");
  }

  /** Returns bound and count of each bucket. */
  private List<String> buckets(String name) {
    return registry
        .scrape()
        .lines()
        .filter(line -> line.startsWith(name + "_bucket"))
        .map(line -> line.replaceAll(".*le=\"([^\"]*)\"} (.*)", "$1 $2"))
        .toList();
  }

  @Test
  void shouldShowEverySeriesOfRequestsFromTheStart() {
    assertThat(sample("dynamo_component_router_requests_started_total" + ROUTER)).isEqualTo("0.0");
    assertThat(sample("dynamo_component_router_requests_total" + ROUTER)).isEqualTo("0.0");
    assertThat(sample("dynamo_component_router_time_to_first_token_seconds_count" + ROUTER))
        .isEqualTo("0");
    assertThat(sample("dynamo_component_router_non_max_overlap_selections_total" + TYPED))
        .isEqualTo("0.0");
  }

  @Test
  void shouldMeasureRequestsByDynamosNames() {
    KvRouter router = router();
    store(1, 3);

    RequestLease lease = router.trySelect(pinned("a", 1, 16));
    simulation.runFor(250_000_000);
    lease.markPrefillCompleted();
    lease.addOutputTokens(1);
    simulation.runFor(400_000_000);
    lease.addOutputTokens(100);
    lease.close();

    assertThat(sample("dynamo_component_router_requests_started_total" + ROUTER)).isEqualTo("1.0");
    assertThat(sample("dynamo_component_router_requests_total" + ROUTER)).isEqualTo("1.0");
    assertThat(sample("dynamo_component_router_time_to_first_token_seconds_sum" + ROUTER))
        .isEqualTo("0.25");
    assertThat(sample("dynamo_component_router_inter_token_latency_seconds_sum" + ROUTER))
        .isEqualTo("0.004");
    assertThat(sample("dynamo_component_router_input_sequence_tokens_sum" + ROUTER))
        .isEqualTo("16.0");
    assertThat(sample("dynamo_component_router_output_sequence_tokens_sum" + ROUTER))
        .isEqualTo("101.0");
    assertThat(sample("dynamo_component_router_kv_hit_rate_sum" + ROUTER)).isEqualTo("0.75");
    assertThat(buckets("dynamo_component_router_time_to_first_token_seconds"))
        .hasSize(19)
        .contains("0.22 0", "0.47 1", "480.0 1", "+Inf 1");
    assertThat(buckets("dynamo_component_router_input_sequence_tokens"))
        .hasSize(13)
        .startsWith("50.0 1", "100.0 1", "210.0 1");
    assertThat(sample("dynamo_router_overhead_total_ms_count" + ROUTER)).isEqualTo("1");
  }

  @Test
  void shouldCountWhatAChoiceLeftUnused() {
    KvRouter router = router();
    store(1, 3);

    router.trySelect(pinned("a", 2, 16)).close();

    assertThat(sample("dynamo_component_router_non_max_overlap_selections_total" + TYPED))
        .isEqualTo("1.0");
    assertThat(sample("dynamo_component_router_overlap_blocks_lost_sum" + TYPED)).isEqualTo("3.0");
  }

  @Test
  void shouldShowTheLoadOfEachRankUntilItsWorkerGoes() {
    KvRouter router = router();
    WorkerMetrics workers =
        metrics.observeWorkers(router, directory, environment.lanes().lane("metrics"));
    simulation.runFor(1_000_000);
    router.trySelect(pinned("a", 2, 18));

    String labels = "{dp_rank=\"0\",worker_id=\"2\",worker_type=\"decode\"}";
    assertThat(sample("dynamo_frontend_worker_active_decode_blocks" + labels)).isEqualTo("4.0");
    assertThat(sample("dynamo_frontend_worker_active_prefill_tokens" + labels)).isEqualTo("18.0");
    String registered = "dynamo_component_router_worker_registered{dp_rank=\"0\",router_worker_id=";
    assertThat(sample(registered + "\"2\",worker_type=\"decode\"}")).isEqualTo("1.0");

    directory.unregister(2);
    simulation.runFor(1_000_000);

    assertThat(sample("dynamo_frontend_worker_active_decode_blocks" + labels)).isEqualTo("absent");
    assertThat(sample(registered + "\"1\",worker_type=\"decode\"}")).isEqualTo("1.0");
    workers.close();
  }

  @Test
  void shouldShowHealthAsGauges() {
    KvRouter router = router();

    assertThat(sample("dynamo4j_router_health" + ROUTER)).isEqualTo("0.0");
    assertThat(sample("dynamo4j_router_health_findings{kind=\"no_events\",router_id=\"7\"}"))
        .isEqualTo("0.0");

    directory.register(
        WorkerInstance.builder(3, InMemoryRequestPlane.address("worker-3"))
            .kvBlockSize(2 * BLOCK)
            .build());
    simulation.runFor(6_000_000_000L);

    assertThat(sample("dynamo4j_router_health" + ROUTER)).isEqualTo("2.0");
    assertThat(sample("dynamo4j_router_health_findings{kind=\"wrong_block_size\",router_id=\"7\"}"))
        .isEqualTo("1.0");
    assertThat(router.health().findings()).hasSize(1);
  }

  @Test
  void shouldComparePredictedWithReportedCachedTokens() {
    KvRouter router = router();
    store(1, 3);

    RequestLease lease = router.trySelect(pinned("a", 1, 16));
    lease.reportCachedTokens(8);
    lease.close();

    assertThat(sample("dynamo4j_router_cache_reports_total" + ROUTER)).isEqualTo("1.0");
    assertThat(sample("dynamo4j_router_cache_predicted_tokens_total" + ROUTER)).isEqualTo("12.0");
    assertThat(sample("dynamo4j_router_cache_reported_tokens_total" + ROUTER)).isEqualTo("8.0");
    assertThat(sample("dynamo4j_router_cache_error_tokens_total" + ROUTER)).isEqualTo("4.0");
  }

  @Test
  void shouldCountWhatTheQueueRejectsByDynamosReasons() {
    for (QueueRejectedException.Limit limit : QueueRejectedException.Limit.values()) {
      metrics.onEvent(new RoutingEvent.Rejected("interactive", limit));
    }

    for (String reason :
        List.of(
            "request_limit",
            "raw_isl_token_limit",
            "cached_token_limit",
            "do_not_queue",
            "deadline")) {
      assertThat(
              sample(
                  "dynamo_frontend_router_queue_backpressure_total{model=\"m\","
                      + "policy_class=\"interactive\",reason=\""
                      + reason
                      + "\",worker_type=\"decode\"}"))
          .isEqualTo("1.0");
    }
  }

  @Test
  void shouldShowWhatIndexAndFeedCounted() {
    router();
    InMemoryEventPlane plane = InMemoryEventPlane.create(environment);
    KvEventFeed feed = KvEventFeed.connect(plane, SCOPE, directory, indexer, environment);
    IndexerMetrics.bind(registry, indexer);
    IndexerMetrics.bind(registry, feed);
    store(1, 3);
    try (EventPublisher publisher = plane.publisher(SCOPE, KvEventFeed.TOPIC, 70)) {
      publisher.publish("garbage".getBytes(StandardCharsets.UTF_8));
    }
    simulation.runFor(1_000_000);

    assertThat(sample("dynamo4j_indexer_blocks")).isEqualTo("3.0");
    assertThat(sample("dynamo4j_indexer_events_total{outcome=\"applied\"}")).isEqualTo("1.0");
    assertThat(sample("dynamo4j_indexer_events_total{outcome=\"parent_not_found\"}"))
        .isEqualTo("0.0");
    assertThat(sample("dynamo4j_feed_envelopes_total")).isEqualTo("1.0");
    assertThat(sample("dynamo4j_feed_unreadable_envelopes_total")).isEqualTo("1.0");
    assertThat(sample("dynamo4j_feed_sources")).isEqualTo("0.0");
  }

  @Test
  void shouldShowTheLastTimesOfEachRank() {
    KvRouter router = router();
    WorkerMetrics workers =
        metrics.observeWorkers(router, directory, environment.lanes().lane("metrics"));
    simulation.runFor(1_000_000);
    String labels = "{dp_rank=\"0\",worker_id=\"1\",worker_type=\"decode\"}";
    String last = "dynamo_frontend_worker_last_";
    assertThat(sample(last + "time_to_first_token_seconds" + labels)).isEqualTo("0.0");

    RequestLease lease = router.trySelect(pinned("a", 1, 16));
    simulation.runFor(250_000_000);
    lease.markPrefillCompleted();
    lease.addOutputTokens(1);
    simulation.runFor(400_000_000);
    lease.addOutputTokens(100);
    lease.close();
    router.trySelect(pinned("b", 1, 8)).close(); // gave no token: changes nothing

    assertThat(sample(last + "time_to_first_token_seconds" + labels)).isEqualTo("0.25");
    assertThat(sample(last + "input_sequence_tokens" + labels)).isEqualTo("16.0");
    assertThat(sample(last + "inter_token_latency_seconds" + labels)).isEqualTo("0.004");
    directory.unregister(1);
    simulation.runFor(1_000_000);
    assertThat(sample(last + "time_to_first_token_seconds" + labels)).isEqualTo("absent");
    workers.close();
  }

  @Test
  void shouldShowEveryPartOfADecisionsTimeWithQuantiles() {
    router().trySelect(pinned("a", 1, 16)).close();

    for (String part :
        List.of("block_hashing", "seq_hashing", "indexer_find_matches", "scheduling", "total")) {
      String name = "dynamo_router_overhead_" + part + "_ms";
      assertThat(sample(name + "_count" + ROUTER)).isEqualTo("1");
      assertThat(sample(name + "{router_id=\"7\",quantile=\"0.99\"}")).isEqualTo("0.0");
    }
    String hitRate = "dynamo_component_router_kv_hit_rate{router_id=\"7\",quantile=\"0.5\"}";
    assertThat(sample(hitRate)).isEqualTo("0.0");
  }

  @Test
  void shouldCountWorkersOfWhichHealthFindsNoEvents() {
    String name =
        "dynamo_component_router_kv_event_source_mismatch_workers{model=\"m\","
            + "target_component=\"unknown\",target_endpoint=\"unknown\","
            + "target_namespace=\"unknown\",worker_type=\"decode\"}";
    InMemoryEventPlane plane = InMemoryEventPlane.create(environment);
    KvEventFeed feed = KvEventFeed.connect(plane, SCOPE, directory, indexer, environment);
    KvRouter router = router(builder -> builder.eventFeed(feed));
    assertThat(sample(name)).isEqualTo("0.0");

    for (int i = 0; i < 60; i++) {
      RequestLease lease = router.trySelect(pinned("r" + i, 1 + i % 2, 16));
      lease.markPrefillCompleted();
      lease.close();
      simulation.runFor(1_000_000_000);
    }

    assertThat(sample(name)).isEqualTo("2.0");
  }

  @Test
  void shouldSortFractionsIntoTheirBuckets() {
    KvRouter router = router();
    store(1, 3);
    router.trySelect(pinned("a", 1, 16)).close(); // 12 of 16 tokens
    router.trySelect(pinned("b", 2, 16)).close(); // none
    router.trySelect(pinned("c", 1, 12)).close(); // all

    String series = "dynamo4j_router_kv_hit_rate_within_total{le=\"%s\",router_id=\"7\"}";
    assertThat(sample(String.format(series, "0.0"))).isEqualTo("1.0");
    assertThat(sample(String.format(series, "0.7"))).isEqualTo("1.0");
    assertThat(sample(String.format(series, "0.75"))).isEqualTo("2.0");
    assertThat(sample(String.format(series, "0.95"))).isEqualTo("2.0");
    assertThat(sample(String.format(series, "1.0"))).isEqualTo("3.0");
    assertThat(sample(String.format(series, "+Inf"))).isEqualTo("3.0");
    assertThat(sample("dynamo_component_router_kv_hit_rate_count" + ROUTER)).isEqualTo("3");
  }
}
