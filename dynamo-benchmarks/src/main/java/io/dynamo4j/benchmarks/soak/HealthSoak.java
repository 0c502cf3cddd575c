// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.soak;

import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.simulation.health.HealthDraw;
import io.dynamo4j.simulation.health.HealthPlant;
import io.dynamo4j.simulation.health.HealthScenario;
import io.dynamo4j.testkit.search.RunOutcome;
import io.dynamo4j.testkit.search.ScenarioSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Routers over healthy fleets, of which none may find anything, and over fleets in which one thing
 * is wrong, which each must name within a virtual minute; on seeds that no earlier run has seen.
 */
public final class HealthSoak implements Bench {
  private static final int HEALTHY_SEEDS = 1_000;
  private static final int PLANTED_SEEDS = 10;
  private static final int QUICK_SEEDS = 10;

  @Override
  public String name() {
    return "soak-health";
  }

  @Override
  public String description() {
    return "health of routers: nothing found where nothing is wrong, what is planted named";
  }

  @Override
  public BenchResult run(BenchOptions options) {
    long firstSeed = System.currentTimeMillis();
    System.err.println("soak-health: first seed " + firstSeed + ", Java " + Runtime.version());
    SortedMap<String, Long> reached = new TreeMap<>();
    int healthy = options.quick() ? QUICK_SEEDS : HEALTHY_SEEDS;
    for (long seed = firstSeed; seed < firstSeed + healthy; seed++) {
      play(HealthDraw.healthy(seed), reached);
    }
    int planted = options.quick() ? 1 : PLANTED_SEEDS;
    for (HealthPlant plant : HealthPlant.values()) {
      for (long seed = firstSeed; seed < firstSeed + planted; seed++) {
        play(HealthDraw.planted(plant, seed), reached);
      }
    }
    reached.put("healthy runs", (long) healthy);
    List<Fact> facts = new ArrayList<>();
    reached.forEach((fact, times) -> facts.add(new Fact("soak-health " + fact, times, "count")));
    return new BenchResult(List.of(), facts);
  }

  private static void play(ScenarioSpec spec, SortedMap<String, Long> reached) {
    RunOutcome outcome = new HealthScenario().run(spec);
    outcome
        .violation()
        .ifPresent(
            violation -> {
              throw new IllegalStateException(violation + ", scenario=" + spec);
            });
    outcome.facts().forEach((fact, times) -> reached.merge(fact, times, Long::sum));
  }
}
