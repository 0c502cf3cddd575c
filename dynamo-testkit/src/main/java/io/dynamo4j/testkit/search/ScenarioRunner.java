// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.search;

/**
 * Plays a scenario in a fresh simulation.
 *
 * <p>The outcome is a function of the spec alone: running the same spec again, in this process or
 * another, gives the same trace hash. A runner that is to be checked in a fresh JVM is a public
 * class with a public constructor without arguments.
 */
@FunctionalInterface
public interface ScenarioRunner {

  /** Runs one scenario to its end. A broken invariant is part of the outcome, never thrown. */
  RunOutcome run(ScenarioSpec spec);
}
