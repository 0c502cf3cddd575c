// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.simulation.fleet.FleetConfig;
import io.dynamo4j.simulation.fleet.FleetPolicy;
import io.dynamo4j.simulation.fleet.Patience;
import io.dynamo4j.testkit.search.ScenarioSpec;

/** The settings that a fleet's scenario reads, with what an absent one means. */
final class ScenarioSettings {
  static final String POLICY = "policy";

  /** How many values {@link #POLICY} has. */
  static final int POLICIES = 5;

  static final String LIMIT = "limit";
  static final String BLOCK_SIZE = "block-size";
  static final String BLOCKS = "blocks";
  static final String PROMPT_BLOCKS = "prompt-blocks";
  static final String OUTPUT_TOKENS = "output-tokens";
  static final String ARRIVAL_GAP_MILLIS = "arrival-gap-ms";
  static final String STALL_TIMEOUT_MILLIS = "stall-timeout-ms";
  static final String MAX_SEQ_LEN = "max-seq-len";
  static final String MIXED_REQUESTS = "mixed-requests";
  static final String HEDGE_AFTER_MILLIS = "hedge-after-ms";
  static final String REPLACEMENT_WAIT_MILLIS = "replacement-wait-ms";
  static final String DEADLINE_MILLIS = "deadline-ms";
  static final String BACK_OFF_MILLIS = "back-off-ms";

  private ScenarioSettings() {}

  static int blockSize(ScenarioSpec spec) {
    return (int) spec.setting(BLOCK_SIZE, 4);
  }

  static int promptBlocks(ScenarioSpec spec) {
    return (int) spec.setting(PROMPT_BLOCKS, 8);
  }

  static int outputTokens(ScenarioSpec spec) {
    return (int) spec.setting(OUTPUT_TOKENS, 12);
  }

  static double arrivalGapMillis(ScenarioSpec spec) {
    return spec.setting(ARRIVAL_GAP_MILLIS, 20);
  }

  /** Returns after how long without a token a stream counts as broken; 0 for never. */
  static double stallTimeoutMillis(ScenarioSpec spec) {
    return spec.setting(STALL_TIMEOUT_MILLIS, 0);
  }

  /** Returns the longest sequence that is continued, or {@link FleetConfig#UNLIMITED}. */
  static long maxSeqLen(ScenarioSpec spec) {
    return (long) spec.setting(MAX_SEQ_LEN, FleetConfig.UNLIMITED);
  }

  /** Returns whether some requests have stop tokens, a grammar or a pinned worker. */
  static boolean hasMixedRequests(ScenarioSpec spec) {
    return spec.setting(MIXED_REQUESTS, 0) > 0;
  }

  /** Returns whether requests can name the worker that must serve them. */
  static boolean canPin(ScenarioSpec spec) {
    return policy(spec).books();
  }

  private static FleetPolicy policy(ScenarioSpec spec) {
    return switch ((int) spec.setting(POLICY, 0)) {
      case 1 -> FleetPolicy.ROUND_ROBIN;
      case 2 -> FleetPolicy.RANDOM;
      case 3 -> FleetPolicy.LEAST_LOADED;
      case 4 -> FleetPolicy.KV_PREDICTED;
      default -> FleetPolicy.KV;
    };
  }

  private static long nanos(ScenarioSpec spec, String millis) {
    return (long) (spec.setting(millis, 0) * 1e6);
  }

  static FleetConfig fleet(ScenarioSpec spec) {
    return FleetConfig.builder()
        .policy(policy(spec))
        .workers(spec.workers())
        .blockSize(blockSize(spec))
        .blocks((int) spec.setting(BLOCKS, 64))
        .killEvery(0)
        .migrationLimit((long) spec.setting(LIMIT, 3))
        .migrationMaxSeqLen(maxSeqLen(spec))
        .stallTimeoutNanos((long) (stallTimeoutMillis(spec) * 1e6))
        .patience(
            new Patience(
                nanos(spec, HEDGE_AFTER_MILLIS),
                nanos(spec, REPLACEMENT_WAIT_MILLIS),
                nanos(spec, DEADLINE_MILLIS),
                nanos(spec, BACK_OFF_MILLIS)))
        .seed(spec.seed())
        .build();
  }
}
