// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.search;

import io.dynamo4j.testkit.simulation.Simulation;
import java.util.Collections;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What one run came to: its trace, the invariant it broke, and which rare states it reached. */
public final class RunOutcome {
  private final long traceHash;
  private final long eventCount;
  private final long[] checkpoints;
  private final @Nullable Violation violation;
  private final SortedMap<String, Long> facts;

  private RunOutcome(
      long traceHash,
      long eventCount,
      long[] checkpoints,
      @Nullable Violation violation,
      SortedMap<String, Long> facts) {
    this.traceHash = traceHash;
    this.eventCount = eventCount;
    this.checkpoints = checkpoints;
    this.violation = violation;
    this.facts = Collections.unmodifiableSortedMap(new TreeMap<>(facts));
  }

  /** Returns the outcome of a run that kept every invariant. */
  public static RunOutcome clean(Simulation simulation, SortedMap<String, Long> facts) {
    return new RunOutcome(
        simulation.traceHash(),
        simulation.eventCount(),
        simulation.traceCheckpoints(),
        null,
        facts);
  }

  /** Returns the outcome of a run that broke an invariant. */
  public static RunOutcome violated(
      Simulation simulation, Violation violation, SortedMap<String, Long> facts) {
    return new RunOutcome(
        simulation.traceHash(),
        simulation.eventCount(),
        simulation.traceCheckpoints(),
        Objects.requireNonNull(violation, "violation"),
        facts);
  }

  public long traceHash() {
    return traceHash;
  }

  public long eventCount() {
    return eventCount;
  }

  /** Returns the running trace hash after every 2^k events; a copy. */
  public long[] checkpoints() {
    return checkpoints.clone();
  }

  /** Returns the broken invariant; empty if all held. */
  public Optional<Violation> violation() {
    return Optional.ofNullable(violation);
  }

  /** Returns how often each "sometimes" fact occurred, by name. */
  public SortedMap<String, Long> facts() {
    return facts;
  }

  /**
   * A broken invariant.
   *
   * @param kind the invariant's short name; shrinking keeps it
   * @param detail what was seen, on one line
   */
  public record Violation(String kind, String detail) {
    public Violation {
      Objects.requireNonNull(kind, "kind");
      Objects.requireNonNull(detail, "detail");
    }
  }
}
