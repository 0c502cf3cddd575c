// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.policy;

import io.dynamo4j.simulation.fleet.FleetConditions;
import io.dynamo4j.simulation.fleet.FleetConfig;
import io.dynamo4j.simulation.fleet.FleetPolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * One fleet and what it serves, written {@code C 8/2048/4}: trace, workers, blocks, how many times
 * as fast; {@code c64} keeps 64 requests in flight instead.
 *
 * @param trace C conversation, M the first thousand of another, S synthetic; ~ spreads arrivals
 *     over the three seconds that follow the stamp
 * @param speedup what the trace's times are divided by
 * @param concurrency requests in flight, 0 for the trace's times
 */
record PolicySetting(String trace, int workers, int blocks, double speedup, int concurrency) {

  /** Parses {@code "C 8/2048/4"}. */
  static PolicySetting parse(String text) {
    String[] parts = text.split("[ /]", -1);
    boolean closed = parts[3].startsWith("c");
    return new PolicySetting(
        parts[0],
        Integer.parseInt(parts[1]),
        Integer.parseInt(parts[2]),
        closed ? 1 : Double.parseDouble(parts[3]),
        closed ? Integer.parseInt(parts[3].substring(1)) : 0);
  }

  /** Parses lines of a trace and its settings. */
  static List<PolicySetting> parseAll(String text) {
    List<PolicySetting> settings = new ArrayList<>();
    text.lines()
        .filter(line -> !line.isBlank())
        .forEach(
            line -> {
              String[] parts = line.strip().split(" ", -1);
              for (int i = 1; i < parts.length; i++) {
                settings.add(parse(parts[0] + " " + parts[i]));
              }
            });
    return Collections.unmodifiableList(settings);
  }

  /** Returns the fleet, with what goes wrong in it beside the load. */
  FleetConfig fleet(FleetPolicy policy, long seed, FleetConditions.Builder conditions) {
    return FleetConfig.builder()
        .policy(policy)
        .workers(workers)
        .blocks(blocks)
        .arrivalSpeedup(speedup)
        .killEvery(0)
        .seed(seed)
        .conditions(Objects.requireNonNull(conditions).concurrency(concurrency).build())
        .build();
  }

  @Override
  public String toString() {
    String load = concurrency > 0 ? "c" + concurrency : Long.toString(Math.round(speedup));
    return trace + " " + workers + "/" + blocks + "/" + load;
  }
}
