// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.health;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.testkit.search.FaultSpec;
import io.dynamo4j.testkit.search.ScenarioSpec;
import java.util.ArrayList;
import java.util.List;

/** Draws fleets whose health is looked at. */
public final class HealthDraw {
  static final String RANKS = "ranks";
  static final String BLOCKS = "blocks";
  static final String GAP_MILLIS = "gap-ms";
  static final String DELAY_MILLIS = "delay-ms";
  static final String RECOVERY = "recovery";
  static final String PEER = "peer";
  static final String LORA = "lora";

  /** A worker that leaves and comes back as another life. */
  static final String RESTART = "restart";

  /** When something that is not there from the start begins. */
  static final int PLANTED_MILLIS = 20_000;

  private HealthDraw() {}

  /** Draws a fleet in which nothing is wrong; workers may leave and come back. */
  public static ScenarioSpec healthy(long seed) {
    RandomSource random = RandomSource.seeded(seed).split("healthy");
    int workers = 1 + random.nextInt(4);
    List<FaultSpec> restarts = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      restarts.add(
          new FaultSpec(
              RESTART,
              "at" + (5_000 + random.nextInt(70_000)),
              "worker" + random.nextInt(workers),
              1 + random.nextInt(8_000)));
    }
    return ScenarioSpec.of(seed, workers, 0)
        .withSetting(RANKS, 1 + random.nextInt(2))
        .withSetting(BLOCKS, 64 << random.nextInt(6))
        .withSetting(GAP_MILLIS, 40 + random.nextInt(400))
        .withSetting(DELAY_MILLIS, random.nextInt(4) == 0 ? random.nextInt(1_000) : 1)
        .withSetting(RECOVERY, random.nextInt(2))
        .withSetting(PEER, random.nextInt(2))
        .withSetting(LORA, random.nextInt(2))
        .withFaults(restarts);
  }

  /** Draws a fleet of three workers with two ranks each, in which one thing is wrong. */
  public static ScenarioSpec planted(HealthPlant plant, long seed) {
    RandomSource random = RandomSource.seeded(seed).split("planted");
    int millis = plant.isFromTheStart() ? 0 : PLANTED_MILLIS;
    return ScenarioSpec.of(seed, 3, 0)
        .withSetting(RANKS, 2)
        .withSetting(BLOCKS, 2_048)
        .withSetting(GAP_MILLIS, 60 + random.nextInt(60))
        .withSetting(DELAY_MILLIS, 1)
        .withSetting(RECOVERY, plant.needsLoss() ? 0 : 1)
        .withSetting(PEER, plant.needsPeer() ? 1 : 0)
        .withSetting(LORA, plant == HealthPlant.LORA ? 1 : 0)
        .withFaults(
            List.of(new FaultSpec(plant.name(), "at" + millis, "worker" + random.nextInt(3), 0)));
  }
}
