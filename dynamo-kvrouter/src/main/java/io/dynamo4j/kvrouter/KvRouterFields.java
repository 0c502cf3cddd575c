// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.indexer.ApproximateCachePolicy;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Dynamo's map of router settings, as model cards and JSON carry it: strict, so that a field that
 * is not known is refused.
 */
final class KvRouterFields {
  /** Read by {@link QueueConfig#fromMap}. */
  private static final Set<String> OF_THE_QUEUE =
      set("router_queue_threshold", "router_queue_policy", "router_policy_config");

  /** Remnants of former releases, which Dynamo takes and drops as well. */
  private static final Set<String> DEAD = set("router_snapshot_threshold", "router_reset_states");

  /** How a host starts, which is its own matter. */
  private static final Set<String> OF_THE_HOST = set("skip_initial_worker_wait");

  private KvRouterFields() {}

  private static Set<String> set(String... names) {
    Set<String> set = new TreeSet<>();
    for (String name : names) {
      set.add(name);
    }
    return set;
  }

  static void apply(Map<?, ?> fields, KvRouterConfigBuilder builder) {
    fields.forEach((name, value) -> apply(String.valueOf(name), value, builder));
    // The former weight beats the fields that replace it, wherever it stands.
    Object weight = fields.get("overlap_score_weight");
    if (weight != null) {
      builder.overlapScoreWeight(number("overlap_score_weight", weight));
    }
    builder.prefillBypass(PrefillBypassFields.ofMap(fields));
  }

  private static void apply(String name, @Nullable Object value, KvRouterConfigBuilder builder) {
    if (UnsupportedFields.contains(name)) {
      UnsupportedFields.check(name, value);
    } else if (value == null) {
      requireKnown(name);
    } else if (!applyNumber(name, value, builder) && !applyFlag(name, value, builder)) {
      applyOther(name, value, builder);
    }
  }

  /** A field that is there without a value has its default. */
  private static void requireKnown(String name) {
    KvRouterConfigBuilder scratch = KvRouterConfig.builder();
    boolean isKnown =
        applyNumber(name, 1, scratch)
            || applyFlag(name, false, scratch)
            || isOther(name)
            || isElsewhere(name);
    if (!isKnown) {
      throw unknown(name);
    }
  }

  private static boolean applyNumber(String name, Object value, KvRouterConfigBuilder builder) {
    switch (name) {
      case "overlap_score_credit" -> builder.overlapScoreCredit(number(name, value));
      case "overlap_score_credit_decay" -> builder.overlapScoreCreditDecay(number(name, value));
      case "overlap_score_weight" -> builder.overlapScoreWeight(number(name, value));
      case "prefill_load_scale" -> builder.prefillLoadScale(number(name, value));
      case "decode_active_request_weight" -> builder.decodeActiveRequestWeight(number(name, value));
      case "host_cache_hit_weight" -> builder.hostCacheHitWeight(number(name, value));
      case "disk_cache_hit_weight" -> builder.diskCacheHitWeight(number(name, value));
      case "router_temperature" -> builder.routerTemperature(number(name, value));
      case "router_ttl_secs" -> builder.routerTtl(seconds(name, value));
      case "router_predicted_ttl_secs" -> builder.routerPredictedTtl(seconds(name, value));
      case "router_event_threads" -> builder.routerEventThreads(integer(name, value));
      case "shared_cache_multiplier" -> ConfigRules.requireFraction(name, number(name, value));
      default -> {
        return false;
      }
    }
    return true;
  }

  private static boolean applyFlag(String name, Object value, KvRouterConfigBuilder builder) {
    switch (name) {
      case "use_kv_events" -> builder.useKvEvents(flag(name, value));
      case "router_replica_sync" -> builder.routerReplicaSync(flag(name, value));
      case "router_track_active_blocks" -> builder.routerTrackActiveBlocks(flag(name, value));
      case "router_track_output_blocks" -> builder.routerTrackOutputBlocks(flag(name, value));
      case "router_assume_kv_reuse" -> builder.routerAssumeKvReuse(flag(name, value));
      case "router_track_prefill_tokens" -> builder.routerTrackPrefillTokens(flag(name, value));
      case "use_remote_indexer" -> builder.useRemoteIndexer(flag(name, value));
      case "serve_indexer" -> builder.serveIndexer(flag(name, value));
      case "durable_kv_events" -> {
        if (flag(name, value)) {
          throw new IllegalArgumentException(
              "durable_kv_events=true is not supported by this runtime");
        }
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private static boolean isOther(String name) {
    return name.equals("router_prefill_load_model")
        || name.equals("router_approximate_cache_policy");
  }

  private static boolean isElsewhere(String name) {
    return OF_THE_QUEUE.contains(name)
        || DEAD.contains(name)
        || OF_THE_HOST.contains(name)
        || PrefillBypassFields.contains(name);
  }

  private static void applyOther(String name, Object value, KvRouterConfigBuilder builder) {
    if (name.equals("router_prefill_load_model")) {
      builder.expectsPrefillLoadModel(isLoadModel(String.valueOf(value)));
    } else if (name.equals("router_approximate_cache_policy")) {
      builder.routerApproximateCachePolicy(
          ApproximateCachePolicy.byName(String.valueOf(value))
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          name + " must be ttl or lru: " + name + "=" + value)));
    } else if (!isElsewhere(name)) {
      throw unknown(name);
    }
  }

  /**
   * Reads which prefill load model is asked for.
   *
   * @throws IllegalArgumentException if the name is none of Dynamo's
   */
  static boolean isLoadModel(String name) {
    return switch (name) {
      case "none" -> false;
      case "ais", "aic" -> true;
      default ->
          throw new IllegalArgumentException(
              "router_prefill_load_model must be none or ais: router_prefill_load_model=" + name);
    };
  }

  private static IllegalArgumentException unknown(String name) {
    return new IllegalArgumentException("router setting is not known: field=" + name);
  }

  static double number(String name, Object value) {
    if (value instanceof Number number) {
      return number.doubleValue();
    }
    throw new IllegalArgumentException(name + " must be a number: " + name + "=" + value);
  }

  static int integer(String name, Object value) {
    double number = number(name, value);
    if (number != Math.rint(number) || Math.abs(number) > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(name + " must be an integer: " + name + "=" + value);
    }
    return (int) number;
  }

  private static Duration seconds(String name, Object value) {
    return KvRouterEnvironment.seconds(number(name, value));
  }

  static boolean flag(String name, Object value) {
    if (value instanceof Boolean flag) {
      return flag;
    }
    throw new IllegalArgumentException(name + " must be a boolean: " + name + "=" + value);
  }
}
