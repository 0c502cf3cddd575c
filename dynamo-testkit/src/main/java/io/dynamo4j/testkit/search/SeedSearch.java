// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.search;

import io.dynamo4j.testkit.search.Shrinker.Reduced;
import java.util.Collections;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Runs the scenarios of consecutive seeds until one breaks an invariant, which is then reduced.
 *
 * <p>It also counts "sometimes" facts: rare states that a long enough search must have reached, or
 * it proves nothing.
 */
public final class SeedSearch {
  private static final int SHRINK_RUNS = 500;

  private final ScenarioRunner runner;
  private final LongFunction<ScenarioSpec> scenarios;

  private SeedSearch(ScenarioRunner runner, LongFunction<ScenarioSpec> scenarios) {
    this.runner = runner;
    this.scenarios = scenarios;
  }

  /**
   * Searches the scenarios of one generator.
   *
   * @param scenarios the scenario of a seed, a function of the seed alone
   */
  public static SeedSearch of(ScenarioRunner runner, LongFunction<ScenarioSpec> scenarios) {
    return new SeedSearch(
        Objects.requireNonNull(runner, "runner"), Objects.requireNonNull(scenarios, "scenarios"));
  }

  /** Runs {@code count} seeds from {@code firstSeed}; stops at the first broken invariant. */
  public Report run(long firstSeed, int count) {
    SortedMap<String, Long> facts = new TreeMap<>();
    long events = 0;
    for (int i = 0; i < count; i++) {
      ScenarioSpec spec = scenarios.apply(firstSeed + i);
      RunOutcome outcome = runner.run(spec);
      events += outcome.eventCount();
      outcome.facts().forEach((fact, times) -> facts.merge(fact, times, Long::sum));
      if (outcome.violation().isPresent()) {
        Reduced reduced = Shrinker.shrink(runner, spec, outcome, SHRINK_RUNS);
        return new Report(i + 1, events, facts, new Finding(spec, outcome, reduced));
      }
    }
    return new Report(count, events, facts, null);
  }

  /**
   * A scenario that broke an invariant.
   *
   * @param spec as drawn
   * @param outcome what it came to
   * @param reduced the same violation made small
   */
  public record Finding(ScenarioSpec spec, RunOutcome outcome, Reduced reduced) {

    /** Returns the line that replays the scenario as drawn. */
    public String replayLine() {
      return ReplayLine.of(spec, outcome);
    }
  }

  /** What a search came to. */
  public static final class Report {
    private final int seeds;
    private final long events;
    private final SortedMap<String, Long> facts;
    private final @Nullable Finding finding;

    private Report(
        int seeds, long events, SortedMap<String, Long> facts, @Nullable Finding finding) {
      this.seeds = seeds;
      this.events = events;
      this.facts = Collections.unmodifiableSortedMap(facts);
      this.finding = finding;
    }

    /** Returns how many seeds were run, the failing one included. */
    public int seeds() {
      return seeds;
    }

    /** Returns how many events those runs had. */
    public long events() {
      return events;
    }

    /** Returns how often each fact occurred over all runs. */
    public SortedMap<String, Long> facts() {
      return facts;
    }

    /** Returns the facts of {@code expected} that never occurred. */
    public SortedSet<String> unreached(Iterable<String> expected) {
      SortedSet<String> missing = new TreeSet<>();
      for (String fact : expected) {
        if (facts.getOrDefault(fact, 0L) == 0) {
          missing.add(fact);
        }
      }
      return missing;
    }

    /** Returns the first broken invariant; empty if all held. */
    public Optional<Finding> finding() {
      return Optional.ofNullable(finding);
    }
  }
}
