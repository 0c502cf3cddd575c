// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.soak;

import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.simulation.scenario.FleetScenario;
import io.dynamo4j.simulation.scenario.RareStates;
import io.dynamo4j.simulation.scenario.ScenarioDraw;
import io.dynamo4j.testkit.search.ScenarioSpec;
import io.dynamo4j.testkit.search.SeedSearch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongFunction;

/**
 * A million streams under random kills, refusals, hangs, slow workers, drains and clients that
 * leave, with random limits, lengths and stop conditions, on seeds that no earlier run has seen.
 * Every token of every stream is judged; so are dispatches, bookings, timers and ends. A broken
 * invariant fails it with the line that replays, and so does a rare state that never occurred.
 */
public final class MigrationSoak implements Bench {
  private static final long STREAMS = 1_000_000;
  private static final long QUICK_STREAMS = 3_000;
  private static final int SEEDS_A_TURN = 50;

  @Override
  public String name() {
    return "soak-migration";
  }

  @Override
  public String description() {
    return "a million streams under random faults; fails with the line that replays";
  }

  @Override
  public BenchResult run(BenchOptions options) {
    long target = options.quick() ? QUICK_STREAMS : STREAMS;
    long seed = System.currentTimeMillis();
    SortedMap<String, Long> facts = new TreeMap<>();
    System.err.println("soak-migration: first seed " + seed + ", Java " + Runtime.version());
    long turns = 0;
    while (facts.getOrDefault(RareStates.STREAMS, 0L) < target) {
      for (Map.Entry<String, LongFunction<ScenarioSpec>> mix : mixes().entrySet()) {
        search(mix.getKey(), mix.getValue(), seed, facts);
      }
      seed += SEEDS_A_TURN;
      turns++;
    }
    System.err.println("soak-migration: last seed " + (seed - 1));
    if (!options.quick()) {
      requireRareStates(facts);
    }
    List<Fact> figures = new ArrayList<>();
    figures.add(
        new Fact("soak-migration scenarios", turns * SEEDS_A_TURN * mixes().size(), "count"));
    facts.forEach((fact, times) -> figures.add(new Fact("soak-migration " + fact, times, "count")));
    return new BenchResult(List.of(), figures);
  }

  private static Map<String, LongFunction<ScenarioSpec>> mixes() {
    Map<String, LongFunction<ScenarioSpec>> mixes = new LinkedHashMap<>();
    mixes.put("swarm", ScenarioDraw::swarm);
    mixes.put("all-on", ScenarioDraw::allOn);
    mixes.put("directed", ScenarioDraw::directed);
    return Collections.unmodifiableMap(mixes);
  }

  private static void search(
      String mix, LongFunction<ScenarioSpec> draw, long seed, SortedMap<String, Long> facts) {
    SeedSearch.Report report = SeedSearch.of(new FleetScenario(), draw).run(seed, SEEDS_A_TURN);
    report.facts().forEach((fact, times) -> facts.merge(fact, times, Long::sum));
    facts.merge("events", report.events(), Long::sum);
    report
        .finding()
        .ifPresent(
            finding -> {
              throw new IllegalStateException(
                  mix
                      + ": "
                      + finding.reduced().outcome().violation().orElseThrow()
                      + ", "
                      + finding.reduced().replayLine());
            });
  }

  private static void requireRareStates(SortedMap<String, Long> facts) {
    TreeSet<String> unreached = new TreeSet<>(RareStates.all());
    unreached.removeAll(facts.keySet());
    if (!unreached.isEmpty()) {
      throw new IllegalStateException("rare states were never reached: states=" + unreached);
    }
  }
}
