// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.soak;

import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.simulation.index.IndexDraw;
import io.dynamo4j.simulation.index.IndexScenario;
import io.dynamo4j.testkit.search.ScenarioSpec;
import io.dynamo4j.testkit.search.SeedSearch;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongFunction;

/**
 * Indexes of several routers under loss, repetition, delay, reordering, partitions and restarts, on
 * seeds that no earlier run has seen: when the faults end, each must soon equal the engines' caches
 * exactly. Fails with the line that replays.
 */
public final class IndexerSoak implements Bench {
  private static final int SEEDS = 10_000;
  private static final int QUICK_SEEDS = 30;

  @Override
  public String name() {
    return "soak-indexer";
  }

  @Override
  public String description() {
    return "indexes against engines' caches under random faults; fails with the line that replays";
  }

  @Override
  public BenchResult run(BenchOptions options) {
    long firstSeed = System.currentTimeMillis();
    int seeds = options.quick() ? QUICK_SEEDS : SEEDS;
    System.err.println("soak-indexer: first seed " + firstSeed + ", Java " + Runtime.version());
    SortedMap<String, Long> reached = new TreeMap<>();
    search("swarm", IndexDraw::swarm, firstSeed, seeds / 2, reached);
    search("all-on", IndexDraw::allOn, firstSeed, seeds / 4, reached);
    search("directed", IndexDraw::directed, firstSeed, seeds / 4, reached);
    List<Fact> facts = new ArrayList<>();
    reached.forEach((fact, times) -> facts.add(new Fact("soak-indexer " + fact, times, "count")));
    return new BenchResult(List.of(), facts);
  }

  private static void search(
      String mix,
      LongFunction<ScenarioSpec> draw,
      long firstSeed,
      int seeds,
      SortedMap<String, Long> reached) {
    SeedSearch.Report report = SeedSearch.of(new IndexScenario(), draw).run(firstSeed, seeds);
    report.facts().forEach((fact, times) -> reached.merge(fact, times, Long::sum));
    reached.merge("events", report.events(), Long::sum);
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
}
