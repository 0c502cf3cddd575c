// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.indexer.ApproximateCachePolicy;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Dynamo's environment variables of {@link KvRouterConfig}: unparseable text counts as absent. */
final class KvRouterEnvironment {

  private KvRouterEnvironment() {}

  static void apply(Map<String, String> environment, KvRouterConfigBuilder builder) {
    number(environment, "DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT", builder::overlapScoreCredit);
    number(
        environment, "DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT_DECAY", builder::overlapScoreCreditDecay);
    number(environment, "DYN_ROUTER_PREFILL_LOAD_SCALE", builder::prefillLoadScale);
    number(
        environment, "DYN_ROUTER_DECODE_ACTIVE_REQUEST_WEIGHT", builder::decodeActiveRequestWeight);
    number(environment, "DYN_ROUTER_HOST_CACHE_HIT_WEIGHT", builder::hostCacheHitWeight);
    number(environment, "DYN_ROUTER_DISK_CACHE_HIT_WEIGHT", builder::diskCacheHitWeight);
    number(environment, "DYN_ROUTER_TEMPERATURE", builder::routerTemperature);
    flag(environment, "DYN_ROUTER_TRACK_ACTIVE_BLOCKS", builder::routerTrackActiveBlocks);
    flag(environment, "DYN_ROUTER_TRACK_OUTPUT_BLOCKS", builder::routerTrackOutputBlocks);
    flag(environment, "DYN_ROUTER_ASSUME_KV_REUSE", builder::routerAssumeKvReuse);
    flag(environment, "DYN_ROUTER_TRACK_PREFILL_TOKENS", builder::routerTrackPrefillTokens);
    flag(environment, "DYN_ROUTER_USE_KV_EVENTS", builder::useKvEvents);
    seconds(environment, "DYN_ROUTER_TTL_SECS", builder::routerTtl);
    seconds(environment, "DYN_ROUTER_PREDICTED_TTL_SECS", builder::routerPredictedTtl);
    ApproximateCachePolicy.byName(
            environment.getOrDefault("DYN_ROUTER_APPROXIMATE_CACHE_POLICY", "").strip())
        .ifPresent(builder::routerApproximateCachePolicy);
    flag(environment, "DYN_USE_REMOTE_INDEXER", builder::useRemoteIndexer);
    flag(environment, "DYN_SERVE_INDEXER", builder::serveIndexer);
    flag(environment, "DYN_ROUTER_REPLICA_SYNC", builder::routerReplicaSync);
    number(
        environment,
        "DYN_ROUTER_EVENT_THREADS",
        threads -> {
          if (threads == Math.rint(threads) && Math.abs(threads) <= Integer.MAX_VALUE) {
            builder.routerEventThreads(threads.intValue());
          }
        });
    number(
        environment,
        "DYN_SHARED_CACHE_MULTIPLIER",
        multiplier -> ConfigRules.requireFraction("shared_cache_multiplier", multiplier));
    String loadModel = environment.getOrDefault("DYN_ROUTER_PREFILL_LOAD_MODEL", "").strip();
    if (!loadModel.isEmpty()) {
      builder.expectsPrefillLoadModel(KvRouterFields.isLoadModel(loadModel));
    }
    UnsupportedFields.check(environment);
    builder.prefillBypass(PrefillBypassFields.ofEnvironment(environment));
    // The former weight beats the fields that replace it, the newer spelling the older one.
    number(environment, "DYN_OVERLAP_SCORE_WEIGHT", builder::overlapScoreWeight);
    number(environment, "DYN_ROUTER_KV_OVERLAP_SCORE_WEIGHT", builder::overlapScoreWeight);
    flag(
        environment,
        "DYN_ROUTER_LOAD_AWARE",
        on -> {
          if (on) {
            builder.loadAware();
          }
        });
  }

  static void number(Map<String, String> environment, String name, Consumer<Double> setter) {
    String text = environment.get(name);
    if (text == null) {
      return;
    }
    try {
      setter.accept(Double.valueOf(text.strip()));
    } catch (NumberFormatException absent) {
      return;
    }
  }

  private static void seconds(
      Map<String, String> environment, String name, Consumer<Duration> setter) {
    number(environment, name, value -> setter.accept(seconds(value)));
  }

  static Duration seconds(double value) {
    return Duration.ofNanos(Math.round(value * 1e9));
  }

  private static void flag(Map<String, String> environment, String name, Consumer<Boolean> setter) {
    Boolean value = parseFlag(environment.get(name));
    if (value != null) {
      setter.accept(value);
    }
  }

  static @Nullable Boolean parseFlag(@Nullable String text) {
    if (text == null) {
      return null;
    }
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "true", "1", "yes", "on" -> Boolean.TRUE;
      case "false", "0", "no", "off" -> Boolean.FALSE;
      default -> null;
    };
  }
}
