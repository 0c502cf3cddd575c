// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.policy;

import io.dynamo4j.simulation.fleet.FleetConditions;
import java.util.List;
import java.util.function.Supplier;

/**
 * Something that goes wrong in a fleet.
 *
 * @param spread whether arrivals are spread, so that bursts do not hide it
 */
record Disturbance(String name, boolean spread, Supplier<FleetConditions.Builder> conditions) {
  private static final long MILLI = 1_000_000L;

  /** Every one that the reference comparison of the two policies reports. */
  static final List<Disturbance> ALL =
      List.of(
          new Disturbance("none", false, FleetConditions::builder),
          new Disturbance(
              "events 10 s late",
              false,
              () -> FleetConditions.builder().eventDelayNanos(10_000 * MILLI)),
          new Disturbance("two routers, sync 5 ms", false, () -> routers(5)),
          new Disturbance("two routers, no sync", false, () -> routers(-1)),
          new Disturbance("spread", true, FleetConditions::builder),
          new Disturbance("spread, two routers, sync 5 ms", true, () -> routers(5)),
          new Disturbance("spread, two routers, sync 100 ms", true, () -> routers(100)),
          new Disturbance("spread, two routers, sync 1 s", true, () -> routers(1_000)),
          new Disturbance("spread, two routers, no sync", true, () -> routers(-1)),
          new Disturbance(
              "one worker 4 times slower", false, () -> FleetConditions.builder().slowFactor(4)),
          new Disturbance(
              "one worker dies at 120 s",
              false,
              () -> FleetConditions.builder().deathNanos(120_000 * MILLI)));

  /** The four that a quick look tries. */
  static final List<Disturbance> QUICK = List.of(ALL.get(1), ALL.get(2), ALL.get(9), ALL.get(10));

  private static FleetConditions.Builder routers(int syncMillis) {
    return FleetConditions.builder()
        .routers(2)
        .syncDelayNanos(syncMillis < 0 ? -1 : syncMillis * MILLI);
  }

  /** Returns the setting as this disturbance wants it. */
  PolicySetting of(PolicySetting setting) {
    return spread
        ? new PolicySetting(
            setting.trace() + "~",
            setting.workers(),
            setting.blocks(),
            setting.speedup(),
            setting.concurrency())
        : setting;
  }
}
