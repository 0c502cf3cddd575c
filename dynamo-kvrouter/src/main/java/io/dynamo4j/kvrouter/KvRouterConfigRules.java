// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/** What must hold of a {@link KvRouterConfig}; messages begin with Dynamo's own text. */
final class KvRouterConfigRules {

  private KvRouterConfigRules() {}

  /**
   * Checks a configuration.
   *
   * @throws IllegalArgumentException if a number is out of range or two options contradict
   */
  static void check(KvRouterConfig config) {
    ConfigRules.requireNotNegative("overlap_score_credit", config.overlapScoreCredit());
    ConfigRules.requireNotNegative("overlap_score_credit_decay", config.overlapScoreCreditDecay());
    ConfigRules.requireFiniteAndNotNegative("prefill_load_scale", config.prefillLoadScale());
    ConfigRules.requireNotNegative(
        "decode_active_request_weight", config.decodeActiveRequestWeight());
    ConfigRules.requireFraction("host_cache_hit_weight", config.hostCacheHitWeight());
    ConfigRules.requireFraction("disk_cache_hit_weight", config.diskCacheHitWeight());
    ConfigRules.requireFiniteAndNotNegative("router_temperature", config.routerTemperature());
    ConfigRules.requirePositive("router_ttl_secs", config.routerTtl());
    ConfigRules.requirePositive(
        "router_predicted_ttl_secs", config.routerPredictedTtl().orElse(null));
    int threads = config.routerEventThreads().orElse(1);
    require(
        threads >= 1, "router_event_threads must be at least 1: router_event_threads=" + threads);
    checkTogether(config);
  }

  private static void checkTogether(KvRouterConfig config) {
    require(
        !config.expectsPrefillLoadModel() || config.routerTrackPrefillTokens(),
        "router_prefill_load_model requires router_track_prefill_tokens=true");
    require(
        !config.routerTrackOutputBlocks() || config.routerTrackActiveBlocks(),
        "router_track_output_blocks requires router_track_active_blocks=true");
    require(
        config.routerPredictedTtl().isEmpty() || config.useKvEvents(),
        "router_predicted_ttl_secs requires use_kv_events=true");
    require(
        !config.useRemoteIndexer() || !config.serveIndexer(),
        "use_remote_indexer and serve_indexer are mutually exclusive");
    require(
        !config.serveIndexer() || config.needsOverlap(),
        "serve_indexer requires overlap_score_credit > 0");
  }

  private static void require(boolean holds, String rule) {
    if (!holds) {
      throw new IllegalArgumentException(rule);
    }
  }
}
