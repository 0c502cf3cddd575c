// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.indexer.ApproximateCachePolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every field of Dynamo's router configuration: name, variable, default, and what refuses it. */
class ConfigTableTest {

  /**
   * One field of the table.
   *
   * @param field as Dynamo's map names it
   * @param variable that sets it, empty if none does
   * @param initial its default here, as {@code read} gives it
   * @param other another value, as the map has it
   * @param read where it acts, null if this library does not do it
   * @param after what {@code read} gives once it is set
   * @param bad a value out of range, null if there is none
   * @param text with which it is refused
   */
  private record Row(
      String field,
      String variable,
      Object initial,
      @Nullable Object other,
      Function<Map<String, Object>, Object> read,
      Object after,
      Object bad,
      String text) {

    @Override
    public String toString() {
      return field;
    }
  }

  private static Row router(
      String field,
      String variable,
      Object initial,
      Object other,
      Function<KvRouterConfig, Object> read,
      Object after,
      Object bad,
      String text) {
    return new Row(
        field,
        variable,
        initial,
        other,
        fields -> read.apply(KvRouterConfig.fromMap(fields)),
        after,
        bad,
        text);
  }

  private static Row number(
      String field,
      String variable,
      double initial,
      double other,
      Function<KvRouterConfig, Object> read,
      Object bad,
      String text) {
    return router(field, variable, initial, other, read, other, bad, text);
  }

  private static Row flag(
      String field, String variable, boolean initial, Function<KvRouterConfig, Object> read) {
    return router(
        field, variable, initial, !initial, read, !initial, "yes", field + " must be a boolean");
  }

  private static Row queue(
      String field,
      String variable,
      Object initial,
      @Nullable Object other,
      Function<PolicyClass, Object> read,
      Object after,
      Object bad,
      String text) {
    return new Row(
        field,
        variable,
        initial,
        other,
        fields -> Optional.ofNullable(read.apply(QueueConfig.fromMap(fields, "").classes().get(0))),
        after,
        bad,
        text);
  }

  static Stream<Row> rows() {
    String fraction = " must be between 0 and 1";
    String notNegative = " must be a finite, non-negative number";
    String finite = " must be finite and non-negative";
    return Stream.of(
        number(
            "overlap_score_credit",
            "DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT",
            1,
            1.5,
            KvRouterConfig::overlapScoreCredit,
            -0.5,
            "overlap_score_credit" + notNegative),
        number(
            "overlap_score_credit_decay",
            "DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT_DECAY",
            0,
            1,
            KvRouterConfig::overlapScoreCreditDecay,
            -1,
            "overlap_score_credit_decay" + notNegative),
        number(
            "overlap_score_weight",
            "DYN_ROUTER_KV_OVERLAP_SCORE_WEIGHT",
            1,
            2,
            KvRouterConfig::prefillLoadScale,
            -1,
            "prefill_load_scale" + finite),
        number(
            "prefill_load_scale",
            "DYN_ROUTER_PREFILL_LOAD_SCALE",
            1,
            4,
            KvRouterConfig::prefillLoadScale,
            -1,
            "prefill_load_scale" + finite),
        number(
            "decode_active_request_weight",
            "DYN_ROUTER_DECODE_ACTIVE_REQUEST_WEIGHT",
            0,
            32,
            KvRouterConfig::decodeActiveRequestWeight,
            -1,
            "decode_active_request_weight" + notNegative),
        number(
            "host_cache_hit_weight",
            "DYN_ROUTER_HOST_CACHE_HIT_WEIGHT",
            0.75,
            0.5,
            KvRouterConfig::hostCacheHitWeight,
            1.5,
            "host_cache_hit_weight" + fraction),
        number(
            "disk_cache_hit_weight",
            "DYN_ROUTER_DISK_CACHE_HIT_WEIGHT",
            0.25,
            0.5,
            KvRouterConfig::diskCacheHitWeight,
            -0.5,
            "disk_cache_hit_weight" + fraction),
        number(
            "router_temperature",
            "DYN_ROUTER_TEMPERATURE",
            0,
            0.7,
            KvRouterConfig::routerTemperature,
            -1,
            "router_temperature" + finite),
        flag("use_kv_events", "DYN_ROUTER_USE_KV_EVENTS", true, KvRouterConfig::useKvEvents),
        flag(
            "router_replica_sync",
            "DYN_ROUTER_REPLICA_SYNC",
            false,
            KvRouterConfig::routerReplicaSync),
        flag(
            "router_track_active_blocks",
            "DYN_ROUTER_TRACK_ACTIVE_BLOCKS",
            true,
            KvRouterConfig::routerTrackActiveBlocks),
        flag(
            "router_track_output_blocks",
            "DYN_ROUTER_TRACK_OUTPUT_BLOCKS",
            false,
            KvRouterConfig::routerTrackOutputBlocks),
        flag(
            "router_assume_kv_reuse",
            "DYN_ROUTER_ASSUME_KV_REUSE",
            true,
            KvRouterConfig::routerAssumeKvReuse),
        flag(
            "router_track_prefill_tokens",
            "DYN_ROUTER_TRACK_PREFILL_TOKENS",
            true,
            KvRouterConfig::routerTrackPrefillTokens),
        router(
            "router_prefill_load_model",
            "DYN_ROUTER_PREFILL_LOAD_MODEL",
            false,
            "ais",
            KvRouterConfig::expectsPrefillLoadModel,
            true,
            "guess",
            "router_prefill_load_model must be none or ais"),
        router(
            "router_ttl_secs",
            "DYN_ROUTER_TTL_SECS",
            Duration.ofSeconds(120),
            3.5,
            KvRouterConfig::routerTtl,
            Duration.ofMillis(3_500),
            0,
            "router_ttl_secs must be greater than 0"),
        router(
            "router_approximate_cache_policy",
            "DYN_ROUTER_APPROXIMATE_CACHE_POLICY",
            ApproximateCachePolicy.TTL,
            "lru",
            KvRouterConfig::routerApproximateCachePolicy,
            ApproximateCachePolicy.LRU,
            "lfu",
            "router_approximate_cache_policy must be ttl or lru"),
        router(
            "router_predicted_ttl_secs",
            "DYN_ROUTER_PREDICTED_TTL_SECS",
            Optional.empty(),
            5,
            KvRouterConfig::routerPredictedTtl,
            Optional.of(Duration.ofSeconds(5)),
            -1,
            "router_predicted_ttl_secs must be greater than 0"),
        router(
            "router_event_threads",
            "DYN_ROUTER_EVENT_THREADS",
            OptionalInt.empty(),
            3,
            KvRouterConfig::routerEventThreads,
            OptionalInt.of(3),
            0,
            "router_event_threads must be at least 1"),
        flag(
            "use_remote_indexer",
            "DYN_USE_REMOTE_INDEXER",
            false,
            KvRouterConfig::useRemoteIndexer),
        flag("serve_indexer", "DYN_SERVE_INDEXER", false, KvRouterConfig::serveIndexer),
        queue(
            "router_queue_threshold",
            "DYN_ROUTER_QUEUE_THRESHOLD",
            Optional.empty(),
            0.5,
            PolicyClass::prefillBusyThresholdFraction,
            Optional.of(0.5),
            -1,
            "router_queue_threshold must be greater than or equal to 0"),
        queue(
            "router_queue_policy",
            "DYN_ROUTER_QUEUE_POLICY",
            Optional.of(QueuePolicy.FCFS),
            "lcfs",
            PolicyClass::queuePolicy,
            Optional.of(QueuePolicy.LCFS),
            "edf",
            "router_queue_policy must be fcfs, lcfs or wspt"),
        queue(
            "router_policy_config",
            "DYN_ROUTER_POLICY_CONFIG",
            Optional.of("default"),
            null,
            PolicyClass::name,
            Optional.of("default"),
            "no-such-file.yaml",
            "policy file cannot be read"));
  }

  /** Fields that this library does not do: their harmless value, and one that is refused. */
  @ParameterizedTest
  @CsvSource({
    "router_tracking_hash, DYN_ROUTER_TRACKING_HASH, public-xxh3-v1, keyed-xxh3-v1",
    "router_tracking_key_file, DYN_ROUTER_TRACKING_KEY_FILE, '', /etc/key",
    "router_tracking_key_id, DYN_ROUTER_TRACKING_KEY_ID, '', k1",
    "enable_session_prefix_index, DYN_ENABLE_SESSION_PREFIX_INDEX, false, true",
    "shared_cache_type, DYN_SHARED_CACHE_TYPE, none, hicache"
  })
  void shouldRefuseByNameWhatIsNotDone(
      String field, String variable, String harmless, String refused) {
    assertThat(KvRouterConfig.fromMap(Map.of(field, harmless))).isNotNull();
    assertThat(KvRouterConfig.fromEnvironment(Map.of(variable, harmless))).isNotNull();
    assertThatThrownBy(() -> KvRouterConfig.fromMap(Map.of(field, refused)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not supported by this library: " + field + "=" + refused);
    assertThatThrownBy(() -> KvRouterConfig.fromEnvironment(Map.of(variable, refused)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not supported by this library: " + field + "=" + refused);
  }

  @ParameterizedTest
  @ValueSource(strings = {"router_prefill_policy", "router_decode_policy"})
  void shouldRefuseInTheMapWhatOnlyVariablesName(String field) {
    assertThat(KvRouterConfig.fromMap(Map.of(field, "default"))).isNotNull();
    assertThatThrownBy(() -> KvRouterConfig.fromMap(Map.of(field, "own")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            field
                + " is no setting of the map, name the policy by variable or file: "
                + field
                + "=own");
  }

  @ParameterizedTest
  @MethodSource("rows")
  void shouldStartAtTheDefault(Row row) {
    assertThat(row.read().apply(Map.of())).isEqualTo(row.initial());
    Map<String, Object> absent = new LinkedHashMap<>();
    absent.put(row.field(), null);
    assertThat(row.read().apply(absent)).isEqualTo(row.initial());
  }

  @ParameterizedTest
  @MethodSource("rows")
  void shouldReadTheFieldAndTheVariable(Row row) {
    Object other = row.other();
    if (other == null) {
      return;
    }
    Map<String, String> environment = Map.of(row.variable(), String.valueOf(other));

    assertThat(row.read().apply(Map.of(row.field(), other))).isEqualTo(row.after());
    if (row.field().startsWith("router_queue")) {
      assertThat(QueueConfig.fromEnvironment(environment).classes())
          .usingRecursiveComparison()
          .isEqualTo(QueueConfig.fromMap(Map.of(row.field(), other), "").classes());
    } else {
      assertThat(KvRouterConfig.fromEnvironment(environment))
          .usingRecursiveComparison()
          .isEqualTo(KvRouterConfig.fromMap(Map.of(row.field(), other)));
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void shouldRefuseAValueOutOfRangeWithItsText(Row row) {
    assertThatThrownBy(() -> row.read().apply(Map.of(row.field(), row.bad())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(row.text());
  }

  @Test
  void shouldRefuseFieldsThatAreNotKnown() {
    assertThatThrownBy(
            () -> KvRouterConfig.fromMap(Map.of("router_queue_by_incoming_missing_isl", true)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("router setting is not known: field=router_queue_by_incoming_missing_isl");
    Map<String, Object> absent = new LinkedHashMap<>();
    absent.put("stride", null);
    assertThatThrownBy(() -> KvRouterConfig.fromMap(absent))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("field=stride");
  }

  @Test
  void shouldTakeRemnantsOfFormerReleasesAndRefuseTheDurableMode() {
    assertThat(
            KvRouterConfig.fromMap(
                Map.of(
                    "durable_kv_events", false,
                    "router_snapshot_threshold", 1_000_000,
                    "router_reset_states", true,
                    "skip_initial_worker_wait", true,
                    "shared_cache_multiplier", 0.5)))
        .usingRecursiveComparison()
        .isEqualTo(KvRouterConfig.ofDefaults());
    assertThatThrownBy(() -> KvRouterConfig.fromMap(Map.of("durable_kv_events", true)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("durable_kv_events=true is not supported by this runtime");
    assertThatThrownBy(() -> KvRouterConfig.fromMap(Map.of("shared_cache_multiplier", 1.5)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("shared_cache_multiplier must be between 0 and 1");
  }

  @Test
  void shouldRefuseWhatContradicts() {
    List<Map<String, Object>> contradictions = new ArrayList<>();
    contradictions.add(
        Map.of("router_track_output_blocks", true, "router_track_active_blocks", false));
    contradictions.add(Map.of("router_predicted_ttl_secs", 5, "use_kv_events", false));
    contradictions.add(Map.of("use_remote_indexer", true, "serve_indexer", true));
    contradictions.add(Map.of("serve_indexer", true, "overlap_score_credit", 0));
    contradictions.add(
        Map.of("router_prefill_load_model", "ais", "router_track_prefill_tokens", false));
    List<String> texts =
        List.of(
            "router_track_output_blocks requires router_track_active_blocks=true",
            "router_predicted_ttl_secs requires use_kv_events=true",
            "use_remote_indexer and serve_indexer are mutually exclusive",
            "serve_indexer requires overlap_score_credit > 0",
            "router_prefill_load_model requires router_track_prefill_tokens=true");

    for (int i = 0; i < texts.size(); i++) {
      Map<String, Object> fields = contradictions.get(i);
      assertThatThrownBy(() -> KvRouterConfig.fromMap(fields))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(texts.get(i));
    }
  }

  @Test
  void shouldBuildARouterOnlyWithWhatItsSettingsExpect() {
    RouterFixture fixture = new RouterFixture(1);

    assertThatThrownBy(
            () ->
                fixture
                    .builder()
                    .config(KvRouterConfig.fromMap(Map.of("router_replica_sync", true)))
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("replicaSync=missing");
    assertThatThrownBy(
            () ->
                fixture
                    .builder()
                    .config(KvRouterConfig.fromMap(Map.of("router_prefill_load_model", "ais")))
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("prefillLoadModel=missing");
  }

  @Test
  void shouldLetTheFormerWeightOfAMapBeatItsSuccessorsWhereverItStands() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("overlap_score_weight", 0);
    fields.put("overlap_score_credit", 1.5);
    fields.put("prefill_load_scale", 3);

    KvRouterConfig config = KvRouterConfig.fromMap(fields);

    assertThat(config.overlapScoreCredit()).isZero();
    assertThat(config.prefillLoadScale()).isZero();
  }
}
