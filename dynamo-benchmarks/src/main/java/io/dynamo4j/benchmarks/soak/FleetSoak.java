// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.soak;

import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.simulation.scenario.FleetScenario;
import io.dynamo4j.simulation.scenario.ScenarioDraw;
import io.dynamo4j.testkit.search.ScenarioSpec;
import io.dynamo4j.testkit.search.SeedSearch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongFunction;

/**
 * Random fleets under random faults, on seeds that no earlier run has seen: the first seed is the
 * wall clock's, and a finding names the scenario, so that nothing depends on it.
 */
public final class FleetSoak implements Bench {
  private static final int SEEDS = 20_000;
  private static final int QUICK_SEEDS = 25;

  @Override
  public String name() {
    return "soak-fleet";
  }

  @Override
  public String description() {
    return "random fleets under random faults on fresh seeds; fails with the line that replays";
  }

  @Override
  public BenchResult run(BenchOptions options) {
    long firstSeed = System.currentTimeMillis();
    int seeds = options.quick() ? QUICK_SEEDS : SEEDS;
    SortedMap<String, Long> reached = new TreeMap<>();
    search(ScenarioDraw::swarm, firstSeed, seeds, reached);
    search(ScenarioDraw::allOn, firstSeed, seeds, reached);
    List<BenchResult.Fact> facts = new ArrayList<>();
    facts.add(new BenchResult.Fact("soak-fleet scenarios", 2.0 * seeds, "count"));
    for (Map.Entry<String, Long> fact : reached.entrySet()) {
      facts.add(new BenchResult.Fact("soak-fleet " + fact.getKey(), fact.getValue(), "count"));
    }
    return new BenchResult(List.of(), facts);
  }

  private static void search(
      LongFunction<ScenarioSpec> mix, long firstSeed, int seeds, SortedMap<String, Long> reached) {
    SeedSearch.Report report = SeedSearch.of(new FleetScenario(), mix).run(firstSeed, seeds);
    report.facts().forEach((fact, times) -> reached.merge(fact, times, Long::sum));
    reached.merge("events", report.events(), Long::sum);
    report
        .finding()
        .ifPresent(
            finding -> {
              throw new IllegalStateException(finding.reduced().replayLine());
            });
  }
}
