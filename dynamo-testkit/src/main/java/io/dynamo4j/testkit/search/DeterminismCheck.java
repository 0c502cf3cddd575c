// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.search;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Runs scenarios again and compares traces, in the two ways that catch different leaks.
 *
 * <p>A rerun in the same JVM finds what changes with every use: real time, identity hashes, static
 * counters. A rerun in a fresh JVM finds what is fixed for the life of one: the salt of {@code
 * Set.of} and {@code Map.of}. The fresh JVM also gives all objects one identity hash, so that an
 * order which depends on them shows there too.
 *
 * <p><b>Cost.</b> Three runs a scenario and one JVM start for all of them.
 */
public final class DeterminismCheck {
  private final Class<? extends ScenarioRunner> runnerClass;

  private DeterminismCheck(Class<? extends ScenarioRunner> runnerClass) {
    this.runnerClass = runnerClass;
  }

  /**
   * Checks scenarios of one runner.
   *
   * @param runnerClass public, with a public constructor without arguments
   */
  public static DeterminismCheck of(Class<? extends ScenarioRunner> runnerClass) {
    return new DeterminismCheck(Objects.requireNonNull(runnerClass, "runnerClass"));
  }

  /** Does both reruns of every scenario; the result is empty if all traces agree. */
  public List<TraceDifference> check(List<ScenarioSpec> specs) throws IOException {
    List<TraceDifference> differences = new ArrayList<>(checkInThisJvm(specs));
    differences.addAll(checkInFreshJvm(specs));
    return differences;
  }

  /** Runs every scenario twice in this JVM. */
  public List<TraceDifference> checkInThisJvm(List<ScenarioSpec> specs) {
    List<TraceDifference> differences = new ArrayList<>();
    for (ScenarioSpec spec : specs) {
      TraceRecord first = run(runnerClass, spec);
      TraceRecord second = run(runnerClass, spec);
      first.compare(second, spec, TraceDifference.Rerun.SAME_JVM).ifPresent(differences::add);
    }
    return differences;
  }

  /** Runs every scenario once here and once in a JVM started for it. */
  public List<TraceDifference> checkInFreshJvm(List<ScenarioSpec> specs) throws IOException {
    List<TraceRecord> theirs = FreshJvm.run(runnerClass, specs);
    List<TraceDifference> differences = new ArrayList<>();
    for (int i = 0; i < specs.size(); i++) {
      ScenarioSpec spec = specs.get(i);
      run(runnerClass, spec)
          .compare(theirs.get(i), spec, TraceDifference.Rerun.FRESH_JVM)
          .ifPresent(differences::add);
    }
    return differences;
  }

  /** Runs a scenario with a runner of its own, as every rerun does. */
  static TraceRecord run(Class<? extends ScenarioRunner> runnerClass, ScenarioSpec spec) {
    try {
      return TraceRecord.of(runnerClass.getConstructor().newInstance().run(spec));
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(
          "runner needs a public constructor without arguments: class=" + runnerClass.getName(), e);
    }
  }
}
