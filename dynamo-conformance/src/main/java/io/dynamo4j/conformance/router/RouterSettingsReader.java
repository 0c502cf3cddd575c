// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.conformance.CaseKeys;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.kvrouter.KvRouterConfig;
import io.dynamo4j.kvrouter.PrefillBypass;
import io.dynamo4j.kvrouter.QueueConfig;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The router's settings in a model card: each field is taken, and means what it says. */
public final class RouterSettingsReader implements CaseReader {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Settings of the queue, and those that are accepted only as long as they ask for nothing. */
  private static final Set<String> COMPARED_APART =
      Set.of(
          "router_queue_threshold",
          "router_queue_policy",
          "router_policy_config",
          "router_tracking_hash",
          "enable_session_prefix_index",
          "skip_initial_worker_wait",
          "shared_cache_type",
          "shared_cache_multiplier",
          "conditional_disagg_policy",
          "conditional_disagg_eff_isl_threshold",
          "conditional_disagg_eff_isl_ratio_threshold",
          "conditional_disagg_prefill_busy_threshold",
          "conditional_disagg_decode_busy_threshold");

  @Override
  public String name() {
    return "router-settings";
  }

  @Override
  public boolean reads(JsonNode content) {
    return content.path("router_config").path("kv_router_config").isObject();
  }

  /** A model card has much that is no router's; what the router reads of it is all known. */
  @Override
  public CaseKeys keys() {
    return CaseKeys.any()
        .and(
            "router_config",
            "router_mode",
            "kv_router_config",
            "load_threshold_config",
            "enforce_disagg",
            "session_affinity_ttl_secs",
            "session_affinity_mode");
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    JsonNode recorded = content.get("router_config").get("kv_router_config");
    Map<?, ?> fields = JSON.convertValue(recorded, Map.class);
    Map<String, Object> ours = meaning(KvRouterConfig.fromMap(fields));
    ours.forEach(
        (name, value) -> {
          if (!Fields.isAbsent(recorded, name)) {
            replay.same(name, plain(recorded.get(name)), value);
          }
        });
    for (String name : fields.keySet().stream().map(String::valueOf).toList()) {
      if (!ours.containsKey(name)
          && !COMPARED_APART.contains(name)
          && !Fields.isAbsent(recorded, name)) {
        replay.fault("setting is not compared: name=" + name);
      }
    }
    QueueConfig queue = QueueConfig.fromMap(fields, "");
    if (!Fields.isAbsent(recorded, "router_queue_policy")) {
      replay.same(
          "router_queue_policy",
          recorded.get("router_queue_policy").asText().toUpperCase(Locale.ROOT),
          queue.classes().get(0).queuePolicy().name());
    }
    replay.same(
        "waits",
        !Fields.isAbsent(recorded, "router_queue_threshold"),
        queue.classes().get(0).prefillBusyThresholdFraction() != null);
    return replay;
  }

  private static Object plain(JsonNode value) {
    if (value.isTextual()) {
      return value.textValue();
    }
    return value.isBoolean() ? (Object) value.booleanValue() : (Object) value.asDouble();
  }

  private static Map<String, Object> meaning(KvRouterConfig config) {
    Map<String, Object> ours = new LinkedHashMap<>();
    ours.put("overlap_score_credit", config.overlapScoreCredit());
    ours.put("overlap_score_credit_decay", config.overlapScoreCreditDecay());
    ours.put("prefill_load_scale", config.prefillLoadScale());
    ours.put("decode_active_request_weight", config.decodeActiveRequestWeight());
    ours.put("host_cache_hit_weight", config.hostCacheHitWeight());
    ours.put("disk_cache_hit_weight", config.diskCacheHitWeight());
    ours.put("router_temperature", config.routerTemperature());
    ours.put("use_kv_events", config.useKvEvents());
    ours.put("router_replica_sync", config.routerReplicaSync());
    ours.put("router_track_active_blocks", config.routerTrackActiveBlocks());
    ours.put("router_track_output_blocks", config.routerTrackOutputBlocks());
    ours.put("router_assume_kv_reuse", config.routerAssumeKvReuse());
    ours.put("router_track_prefill_tokens", config.routerTrackPrefillTokens());
    ours.put("router_ttl_secs", seconds(config.routerTtl()));
    ours.put("use_remote_indexer", config.useRemoteIndexer());
    ours.put("serve_indexer", config.serveIndexer());
    ours.put("conditional_disagg_enabled", config.prefillBypass() != PrefillBypass.never());
    ours.put("router_prefill_load_model", config.expectsPrefillLoadModel() ? "ais" : "none");
    ours.put("router_event_threads", (double) config.routerEventThreads().orElse(0));
    ours.put(
        "router_predicted_ttl_secs", config.routerPredictedTtl().map(t -> seconds(t)).orElse(0.0));
    ours.put("router_approximate_cache_policy", config.routerApproximateCachePolicy().optionName());
    return ours;
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
