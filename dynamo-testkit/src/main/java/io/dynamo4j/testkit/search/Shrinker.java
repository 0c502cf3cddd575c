// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.search;

import io.dynamo4j.testkit.search.RunOutcome.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reduces a scenario that breaks an invariant while it goes on breaking the same one.
 *
 * <p>In turn: fewer requests, whole kinds of faults off, fewer workers, settings back to their
 * defaults, then single faults by delta debugging (<b>source</b>: Zeller, Hildebrandt: Simplifying
 * and isolating failure-inducing input, 2002); again, until nothing can be taken away or the runs
 * are used up.
 */
public final class Shrinker {
  private final ScenarioRunner runner;
  private final String violationKind;
  private final int maxRuns;
  private ScenarioSpec best;
  private RunOutcome outcome;
  private int runs;

  private Shrinker(
      ScenarioRunner runner, ScenarioSpec spec, RunOutcome outcome, String kind, int maxRuns) {
    this.runner = runner;
    this.best = spec;
    this.outcome = outcome;
    this.violationKind = kind;
    this.maxRuns = maxRuns;
  }

  /**
   * Reduces a scenario.
   *
   * @param outcome what {@code spec} came to; it must have broken an invariant
   * @param maxRuns how many runs reducing may take
   */
  public static Reduced shrink(
      ScenarioRunner runner, ScenarioSpec spec, RunOutcome outcome, int maxRuns) {
    String kind =
        outcome
            .violation()
            .map(Violation::kind)
            .orElseThrow(() -> new IllegalArgumentException("run broke nothing: spec=" + spec));
    Shrinker shrinker = new Shrinker(runner, spec, outcome, kind, maxRuns);
    shrinker.reduce();
    return new Reduced(shrinker.best, shrinker.outcome, shrinker.runs);
  }

  private void reduce() {
    ScenarioSpec before;
    do {
      before = best;
      reduceRequests();
      reduceFaultKinds();
      reduceWorkers();
      reduceSettings();
      reduceFaults();
    } while (!before.equals(best) && runs < maxRuns);
  }

  private void reduceRequests() {
    for (int step = best.requests() / 2; step > 0; step /= 2) {
      while (best.requests() > step && accept(best.withRequests(best.requests() - step))) {}
    }
  }

  private void reduceFaultKinds() {
    TreeSet<String> kinds = new TreeSet<>();
    best.faults().forEach(fault -> kinds.add(fault.kind()));
    for (String kind : kinds) {
      List<FaultSpec> others = new ArrayList<>(best.faults());
      others.removeIf(fault -> fault.kind().equals(kind));
      accept(best.withFaults(others));
    }
  }

  private void reduceWorkers() {
    for (int step = best.workers() / 2; step > 0; step /= 2) {
      while (best.workers() > step && accept(best.withWorkers(best.workers() - step))) {}
    }
  }

  private void reduceSettings() {
    for (String name : best.settings().keySet()) {
      SortedMap<String, Double> others = new TreeMap<>(best.settings());
      others.remove(name);
      accept(new ScenarioSpec(best.seed(), best.workers(), best.requests(), others, best.faults()));
    }
  }

  private void reduceFaults() {
    int parts = 2;
    while (best.faults().size() > 1 && parts <= best.faults().size()) {
      if (dropOneOf(parts)) {
        parts = Math.max(2, parts - 1);
      } else if (parts == best.faults().size()) {
        break;
      } else {
        parts = Math.min(best.faults().size(), parts * 2);
      }
    }
    if (best.faults().size() == 1) {
      accept(best.withFaults(List.of()));
    }
  }

  /** Tries to leave out each of {@code parts} equal runs of faults. */
  private boolean dropOneOf(int parts) {
    List<FaultSpec> faults = best.faults();
    for (int part = 0; part < parts; part++) {
      int from = (int) ((long) faults.size() * part / parts);
      int to = (int) ((long) faults.size() * (part + 1) / parts);
      List<FaultSpec> others = new ArrayList<>(faults.subList(0, from));
      others.addAll(faults.subList(to, faults.size()));
      if (accept(best.withFaults(others))) {
        return true;
      }
    }
    return false;
  }

  private boolean accept(ScenarioSpec candidate) {
    if (runs >= maxRuns || candidate.equals(best)) {
      return false;
    }
    runs++;
    RunOutcome candidateOutcome = runner.run(candidate);
    Optional<Violation> violation = candidateOutcome.violation();
    if (violation.isEmpty() || !violation.get().kind().equals(violationKind)) {
      return false;
    }
    best = candidate;
    outcome = candidateOutcome;
    return true;
  }

  /**
   * A reduced scenario.
   *
   * @param spec the smallest scenario found
   * @param outcome what it comes to
   * @param runs how many runs reducing took
   */
  public record Reduced(ScenarioSpec spec, RunOutcome outcome, int runs) {

    /** Returns the line that replays the reduced run. */
    public String replayLine() {
      return ReplayLine.of(spec, outcome);
    }
  }
}
