// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.health;

import io.dynamo4j.testkit.search.FaultSpec;
import io.dynamo4j.testkit.search.ScenarioSpec;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What is wrong when, and at whom. */
final class Plan {
  private final @Nullable HealthPlant plant;
  private final long fromNanos;
  private final int position;
  private final LongSupplier nowNanos;

  Plan(ScenarioSpec spec, LongSupplier nowNanos) {
    this.nowNanos = nowNanos;
    HealthPlant found = null;
    long from = 0;
    int at = -1;
    for (FaultSpec fault : spec.faults()) {
      if (!fault.kind().equals(HealthDraw.RESTART)) {
        found =
            Arrays.stream(HealthPlant.values())
                .filter(value -> value.name().equals(fault.kind()))
                .findFirst()
                .orElseThrow(
                    () -> new IllegalArgumentException("unknown fault: fault=" + fault.kind()));
        from = atNanos(fault);
        at = position(fault);
      }
    }
    this.plant = found;
    this.fromNanos = from;
    this.position = at;
  }

  static long atNanos(FaultSpec fault) {
    return Long.parseLong(fault.trigger().substring(2)) * 1_000_000;
  }

  static int position(FaultSpec fault) {
    return Integer.parseInt(fault.target().substring("worker".length()));
  }

  @Nullable HealthPlant plant() {
    return plant;
  }

  /** Returns when it begins. */
  long fromNanos() {
    return fromNanos;
  }

  /** Returns the worker that it concerns. */
  int position() {
    return position;
  }

  /** Returns whether this is wrong now, at whomever. */
  boolean is(HealthPlant what) {
    return plant == what && nowNanos.getAsLong() >= fromNanos;
  }

  /** Returns whether this is wrong now at the worker at that position. */
  boolean is(HealthPlant what, int worker) {
    return is(what) && worker == position;
  }
}
