// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.testing.SharedData;
import io.dynamo4j.indexer.FeedCounter;
import io.dynamo4j.indexer.durable.DurableFeedCounter;
import io.dynamo4j.indexer.durable.DurableWriterCounter;
import io.dynamo4j.transport.nats.NatsEventCounter;
import io.dynamo4j.transport.zmq.EngineSourceCounter;
import io.dynamo4j.transport.zmq.EventPlaneCounter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every meter there is: its name as Prometheus shows it, its kind and its labels. */
class MeterTableTest {
  private static final Pattern NAME = Pattern.compile("`(dynamo_[a-z_]+)`");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"");

  /** Dynamo's names: of the router, its queue, its workers and what feeds it. */
  private static final List<String> DYNAMO =
      """
      dynamo_component_kv_publisher_engines_dropped_events_total counter
      dynamo_component_router_active_sequence_zmq_ingress_envelope_decode_errors_total counter
      dynamo_component_router_active_sequence_zmq_ingress_identity_errors_total counter
      dynamo_component_router_active_sequence_zmq_ingress_out_of_order_total counter
      dynamo_component_router_active_sequence_zmq_ingress_replacements_total counter
      dynamo_component_router_active_sequence_zmq_ingress_sequence_gaps_total counter
      dynamo_component_router_active_sequence_zmq_ingress_sources gauge
      dynamo_component_router_input_sequence_tokens histogram router_id
      dynamo_component_router_inter_token_latency_seconds histogram router_id
      dynamo_component_router_kv_event_source_mismatch_workers gauge model target_component \
      target_endpoint target_namespace worker_type
      dynamo_component_router_kv_hit_rate summary router_id
      dynamo_component_router_kv_zmq_ingress_batches_total counter
      dynamo_component_router_kv_zmq_ingress_lifecycle_total counter action
      dynamo_component_router_kv_zmq_ingress_sources gauge state
      dynamo_component_router_non_max_overlap_selections_total counter router_id worker_type
      dynamo_component_router_output_sequence_tokens histogram router_id
      dynamo_component_router_overlap_blocks_lost histogram router_id worker_type
      dynamo_component_router_remote_indexer_query_failures_total counter router_id
      dynamo_component_router_remote_indexer_write_failures_total counter router_id
      dynamo_component_router_requests_started_total counter router_id
      dynamo_component_router_requests_total counter router_id
      dynamo_component_router_time_to_first_token_seconds histogram router_id
      dynamo_component_router_worker_registered gauge dp_rank router_worker_id worker_type
      dynamo_frontend_router_queue_backpressure_total counter model policy_class reason worker_type
      dynamo_frontend_router_queue_pending_cached_tokens gauge model policy_class worker_type
      dynamo_frontend_router_queue_pending_isl_tokens gauge model policy_class worker_type
      dynamo_frontend_router_queue_pending_requests gauge model policy_class worker_type
      dynamo_frontend_worker_active_decode_blocks gauge dp_rank worker_id worker_type
      dynamo_frontend_worker_active_prefill_tokens gauge dp_rank worker_id worker_type
      dynamo_frontend_worker_last_input_sequence_tokens gauge dp_rank worker_id worker_type
      dynamo_frontend_worker_last_inter_token_latency_seconds gauge dp_rank worker_id worker_type
      dynamo_frontend_worker_last_time_to_first_token_seconds gauge dp_rank worker_id worker_type
      dynamo_router_overhead_block_hashing_ms summary router_id
      dynamo_router_overhead_indexer_find_matches_ms summary router_id
      dynamo_router_overhead_scheduling_ms summary router_id
      dynamo_router_overhead_seq_hashing_ms summary router_id
      dynamo_router_overhead_total_ms summary router_id
      """
          .lines()
          .toList();

  /** Dynamo's names that nothing here stands behind; the module's text says why. */
  private static final Set<String> NOT_SHOWN =
      new TreeSet<>(
          List.of(
              "dynamo_component_kv_publisher_zmq_conversion_issues_total",
              "dynamo_component_kv_publisher_zmq_events_total",
              "dynamo_component_kv_publisher_zmq_filtered_events_total",
              "dynamo_component_kv_publisher_zmq_suspicious_events_total",
              "dynamo_component_router_active_sequence_zmq_ingress_forced_aborts_total",
              "dynamo_component_router_active_sequence_zmq_ingress_payload_decode_errors_total",
              "dynamo_component_router_active_sequence_zmq_ingress_reconnects_total",
              "dynamo_component_router_kv_transfer_estimated_latency_seconds",
              "dynamo_component_router_shared_cache_beyond_blocks",
              "dynamo_component_router_shared_cache_hit_rate",
              "dynamo_frontend_admission_rejection_total",
              "dynamo_frontend_model_rejection_total",
              "dynamo_router_overhead_shared_cache_query_ms",
              "dynamo_router_shared_cache_errors_total"));

  /** The project's own names beside those of counters, without {@code dynamo4j_}. */
  private static final List<String> OWN =
      """
      durable_feed_applied_sequence gauge
      durable_feed_covered_sequence gauge
      durable_feed_incomplete_ranks gauge
      durable_feed_state gauge state
      durable_feed_whole gauge
      durable_writer_failing gauge
      durable_writer_waiting_events gauge
      engine_accepted_events_total counter worker_id
      engine_messages_total counter worker_id
      engine_partial_blocks_total counter worker_id
      engine_rejected_events_total counter reason worker_id
      engine_removed_blocks_total counter worker_id
      engine_stored_blocks_total counter worker_id
      engine_unreadable_messages_total counter worker_id
      feed_conflicts gauge
      feed_held_events gauge
      feed_overrun_envelopes_total counter
      feed_restored_blocks_total counter
      feed_sources gauge
      feed_sources_failed gauge
      feed_sources_known gauge
      indexer_blocks gauge
      indexer_events_total counter outcome
      indexer_lower_tier_blocks gauge
      indexer_pending_updates gauge
      indexer_stale_ranks gauge
      nats_disconnects_total counter
      nats_failed_attempts gauge
      nats_plane_pending_envelopes gauge
      nats_plane_topics gauge
      nats_requests_open gauge
      nats_state gauge state
      remote_index_queries_total counter router_id
      remote_index_recorded_decisions_total counter router_id
      remote_index_retries_total counter router_id
      replica_applied_total counter router_id
      replica_behind gauge router_id
      replica_bookings gauge router_id
      replica_connected gauge router_id
      replica_duplicates_total counter router_id
      replica_expired_bookings_total counter router_id
      replica_expired_routers_total counter router_id
      replica_foreign_total counter router_id
      replica_published_total counter router_id
      replica_routers gauge router_id
      replica_silent_seconds gauge router_id
      replica_snapshot_answers_total counter router_id
      replica_snapshot_requests_total counter router_id
      replica_snapshots_total counter router_id
      replica_undecodable_total counter router_id
      replica_unmatched_total counter router_id
      replica_unpublished_total counter router_id
      replica_worker_marks_total counter router_id
      router_bookings gauge router_id
      router_cache_error_tokens_total counter router_id
      router_cache_predicted_tokens_total counter router_id
      router_cache_reported_tokens_total counter router_id
      router_cache_reports_total counter router_id
      router_health gauge router_id
      router_health_findings gauge kind router_id
      router_kv_hit_rate_within_total counter router_id
      router_overhead_block_hashing_ms_within_total counter router_id
      router_overhead_indexer_find_matches_ms_within_total counter router_id
      router_overhead_scheduling_ms_within_total counter router_id
      router_overhead_seq_hashing_ms_within_total counter router_id
      router_overhead_total_ms_within_total counter router_id
      router_refusals_total counter reason router_id
      router_remote_fallbacks_total counter router_id
      served_index_answered_queries_total counter
      served_index_recorded_decisions_total counter
      served_index_refused_queries_total counter
      tcp_plane_dials_total counter
      tcp_plane_open_requests gauge
      tcp_plane_slow_readers_total counter
      zmq_engine_ranks gauge state
      zmq_plane_connected_publishers gauge
      zmq_plane_wanted_publishers gauge
      """
          .lines()
          .toList();

  private static Stream<String> counters(String prefix, Enum<?>[] values, String labels) {
    return Stream.of(values)
        .map(v -> prefix + v.name().toLowerCase(Locale.ROOT) + "_total counter" + labels);
  }

  /** Returns a line for each name: the name, its kind, its labels in order. */
  private static List<String> shown() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    String text;
    try (WiredFleet fleet = new WiredFleet(registry)) {
      fleet.simulateAMoment();
      text = registry.scrape();
    }
    Map<String, String> kinds = new TreeMap<>();
    Map<String, Set<String>> labels = new TreeMap<>();
    for (String line : text.lines().toList()) {
      String[] words = line.split(" ", -1);
      if (line.startsWith("# TYPE ")) {
        kinds.put(words[2], words[3]);
      } else if (!line.startsWith("#")) {
        Set<String> ofName = labels.computeIfAbsent(nameOf(line, kinds), name -> new TreeSet<>());
        LABEL.matcher(line).results().map(match -> match.group(1)).forEach(ofName::add);
      }
    }
    List<String> lines = new ArrayList<>();
    kinds.forEach(
        (name, kind) -> {
          Set<String> ofName = labels.getOrDefault(name, Set.of());
          ofName.removeAll(List.of("le", "quantile"));
          // Micrometer adds a greatest value to each distribution.
          if (!name.endsWith("_max")) {
            lines.add((name + " " + kind + " " + String.join(" ", ofName)).strip());
          }
        });
    return lines;
  }

  private static String nameOf(String sample, Map<String, String> kinds) {
    String name = sample.replaceAll("[{ ].*", "");
    return kinds.containsKey(name) ? name : name.replaceAll("_(bucket|count|sum)$", "");
  }

  @Test
  void shouldShowExactlyTheNamesKindsAndLabelsOfTheTables() {
    Stream<String> own =
        Stream.of(
                OWN.stream(),
                counters("feed_", FeedCounter.values(), ""),
                counters("durable_feed_", DurableFeedCounter.values(), ""),
                counters("durable_writer_", DurableWriterCounter.values(), ""),
                counters("zmq_plane_", EventPlaneCounter.values(), ""),
                counters("zmq_engine_", EngineSourceCounter.values(), " dp_rank"),
                counters("nats_plane_", NatsEventCounter.values(), ""))
            .flatMap(lines -> lines)
            .map(line -> "dynamo4j_" + line);

    assertThat(shown())
        .containsExactlyInAnyOrderElementsOf(Stream.concat(DYNAMO.stream(), own).toList());
  }

  /** Dynamo's distributions and bounds, as its reference gives them, logarithms in two digits. */
  @ParameterizedTest
  @CsvSource({
    "dynamo_component_router_time_to_first_token_seconds_bucket, 18, 0.001, 480.0",
    "dynamo_component_router_inter_token_latency_seconds_bucket, 13, 0.001, 2.0",
    "dynamo_component_router_input_sequence_tokens_bucket, 12, 50.0, 130000.0",
    "dynamo_component_router_output_sequence_tokens_bucket, 10, 50.0, 32000.0",
    "dynamo_component_router_overlap_blocks_lost_bucket, 16, 0.25, 8192.0",
    "dynamo4j_router_kv_hit_rate_within_total, 21, 0.0, 1.0",
    "dynamo4j_router_overhead_block_hashing_ms_within_total, 15, 0.001, 16.384",
    "dynamo4j_router_overhead_seq_hashing_ms_within_total, 15, 0.001, 16.384",
    "dynamo4j_router_overhead_indexer_find_matches_ms_within_total, 17, 0.01, 430467.21",
    "dynamo4j_router_overhead_scheduling_ms_within_total, 17, 0.01, 430467.21",
    "dynamo4j_router_overhead_total_ms_within_total, 17, 0.01, 430467.21",
  })
  void shouldShowDynamosBounds(String name, int count, double least, double most) {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    RouterMetrics metrics = RouterMetrics.builder(registry).build();
    List<String> bounds =
        registry
            .scrape()
            .lines()
            .filter(line -> line.startsWith(name + "{"))
            .map(line -> line.replaceAll(".*le=\"([^\"]*)\".*", "$1"))
            .toList();

    assertThat(metrics).isNotNull();
    assertThat(bounds).hasSize(count + 1).contains("+Inf");
    List<Double> numbers =
        bounds.stream().filter(b -> !b.equals("+Inf")).map(Double::valueOf).sorted().toList();
    assertThat(numbers.get(0)).isEqualTo(least);
    assertThat(numbers.get(count - 1)).isEqualTo(most);
  }

  @Test
  void shouldShowOrExcuseEachOfDynamosNames() throws IOException {
    String reference = Files.readString(SharedData.path("spec/routing.md"));
    String section =
        reference.substring(reference.indexOf("## 8. Metrics"), reference.indexOf("## 9. "));
    Set<String> theirs =
        section
            .lines()
            .filter(line -> line.startsWith("| `"))
            .flatMap(line -> NAME.matcher(line).results())
            .map(match -> match.group(1))
            .collect(toCollection(TreeSet::new));
    Set<String> ours = new TreeSet<>(NOT_SHOWN);
    DYNAMO.forEach(line -> ours.add(line.split(" ", 2)[0]));

    assertThat(theirs).hasSizeGreaterThan(40).isSubsetOf(ours);
    assertThat(ours).isSubsetOf(theirs);
  }

  @Test
  void shouldNameInTheModulesTextWhatIsShownAndWhatIsNot() throws IOException {
    String text = Files.readString(SharedData.repository().resolve("dynamo-micrometer/README.md"));

    assertThat(DYNAMO).allSatisfy(line -> assertThat(text).contains(line.split(" ", 2)[0]));
    assertThat(NOT_SHOWN).allSatisfy(name -> assertThat(text).contains(name));
    for (String line : OWN) {
      assertThat(text).contains("dynamo4j_" + line.split("_", 2)[0] + "_");
    }
  }
}
