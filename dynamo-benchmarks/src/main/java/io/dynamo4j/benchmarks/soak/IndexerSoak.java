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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongFunction;

/**
 * Indexes of several routers under loss, repetition, delay, reordering, partitions and restarts, on
 * seeds that no earlier run has seen: when the faults end, each must soon equal the engines' caches
 * exactly. Fails with the line that replays.
 *
 * <p>Before that, ten million events of 10,000 workers that join and leave: what the index takes
 * then is compared with what it took half the way before, and with fresh ones of the same content.
 */
public final class IndexerSoak implements Bench {
  private static final int SEEDS = 10_000;
  private static final int QUICK_SEEDS = 30;
  private static final int CHURN_WORKERS = 10_000;
  private static final long CHURN_EVENTS = 10_000_000;
  private static final int QUICK_CHURN_WORKERS = 100;
  private static final long QUICK_CHURN_EVENTS = 20_000;

  /** Beyond this a block takes ever more with the number of events: something is kept. */
  private static final double MOST_GROWTH = 1.05;

  /** How far an index may be from one that was told what is left of each store, either way. */
  private static final double MOST_OFF_STEPPED = 0.05;

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
    List<Fact> facts = new ArrayList<>(churned(firstSeed, options.quick()));
    SortedMap<String, Long> reached = new TreeMap<>();
    search("swarm", IndexDraw::swarm, firstSeed, seeds / 2, reached);
    search("all-on", IndexDraw::allOn, firstSeed, seeds / 4, reached);
    search("directed", IndexDraw::directed, firstSeed, seeds / 4, reached);
    reached.forEach((fact, times) -> facts.add(new Fact("soak-indexer " + fact, times, "count")));
    return new BenchResult(List.of(), facts);
  }

  private static List<Fact> churned(long seed, boolean isQuick) {
    IndexChurn.Outcome outcome;
    try {
      outcome =
          isQuick
              ? IndexChurn.run(seed, QUICK_CHURN_WORKERS, QUICK_CHURN_EVENTS)
              : IndexChurn.run(seed, CHURN_WORKERS, CHURN_EVENTS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!isQuick
        && (outcome.growth() > MOST_GROWTH
            || Math.abs(outcome.againstStepped() - 1) > MOST_OFF_STEPPED)) {
      throw new IllegalStateException("index has grown: seed=" + seed + ", outcome=" + outcome);
    }
    return List.of(
        new Fact("soak-indexer churn events", outcome.events(), "count"),
        new Fact("soak-indexer churn joins", outcome.joins(), "count"),
        new Fact("soak-indexer churn departures", outcome.departures(), "count"),
        new Fact("soak-indexer churn blocks", outcome.blocks(), "count"),
        new Fact("soak-indexer churn workers alive", outcome.workers(), "count"),
        new Fact("soak-indexer churn heap", outcome.bytes(), "B"),
        new Fact("soak-indexer churn heap a block against half the way", outcome.growth(), "ratio"),
        new Fact(
            "soak-indexer churn heap of a fresh index, same stores", outcome.steppedBytes(), "B"),
        new Fact("soak-indexer churn heap against it", outcome.againstStepped(), "ratio"),
        new Fact(
            "soak-indexer churn heap of a fresh index, whole chains", outcome.freshBytes(), "B"),
        new Fact("soak-indexer churn heap against that", outcome.againstFresh(), "ratio"));
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
