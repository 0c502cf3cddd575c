// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.search;

import io.dynamo4j.testkit.search.RunOutcome.Violation;
import java.util.Optional;

/**
 * One line that says what a run did and how to run it again. The scenario stands last, in the form
 * that {@link ScenarioSpec#parse} reads, and outlives the code that drew it.
 */
public final class ReplayLine {
  private static final String SCENARIO = "scenario: ";

  private ReplayLine() {}

  /** Returns the line of a run. */
  public static String of(ScenarioSpec spec, RunOutcome outcome) {
    Optional<Violation> violation = outcome.violation();
    return "replay: violation="
        + violation.map(Violation::kind).orElse("none")
        + ", detail="
        + violation.map(Violation::detail).orElse("").replace('\n', ' ')
        + ", events="
        + outcome.eventCount()
        + ", traceHash="
        + Long.toHexString(outcome.traceHash())
        + ", jdk="
        + Runtime.version()
        + ", "
        + SCENARIO
        + spec;
  }

  /** Returns the scenario of a line, which may also be the bare scenario. */
  public static ScenarioSpec parse(String line) {
    int start = line.lastIndexOf(SCENARIO);
    return ScenarioSpec.parse(start < 0 ? line : line.substring(start + SCENARIO.length()));
  }
}
