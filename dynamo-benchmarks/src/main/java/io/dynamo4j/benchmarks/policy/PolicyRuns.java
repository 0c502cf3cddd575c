// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.policy;

import io.dynamo4j.simulation.fleet.FleetConditions;
import io.dynamo4j.simulation.fleet.FleetPolicy;
import io.dynamo4j.simulation.fleet.FleetResult;
import io.dynamo4j.simulation.fleet.FleetRun;
import io.dynamo4j.simulation.trace.TraceRow;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Serves settings with the real router, index, migrator and mock engines; every token checked. */
final class PolicyRuns {
  private final PolicyTraces traces = new PolicyTraces();

  /** Serves a setting as it is. */
  PolicyFigures run(PolicySetting setting, FleetPolicy policy, int seeds) {
    return run(setting, policy, seeds, false, FleetConditions::builder);
  }

  /**
   * Serves a setting.
   *
   * @param seeds how many seeds of ties, from 1
   * @param secondHalf whether the first half of the requests only warms the fleet up
   * @param conditions what goes wrong
   * @throws IllegalStateException if a stream failed, or was not what its client was owed
   */
  PolicyFigures run(
      PolicySetting setting,
      FleetPolicy policy,
      int seeds,
      boolean secondHalf,
      Supplier<FleetConditions.Builder> conditions) {
    List<TraceRow> rows = traces.rows(setting.trace());
    List<PolicyFigures> figures = new ArrayList<>();
    for (int seed = 1; seed <= seeds; seed++) {
      FleetResult result =
          FleetRun.run(setting.fleet(policy, seed, conditions.get()), rows, arrived -> {});
      if (!result.tokens().isExact() || result.failedStreams() > 0) {
        throw new IllegalStateException(
            "streams are not exact: setting=" + setting + ", tokens=" + result.tokens());
      }
      int from = secondHalf ? rows.size() / 2 : 0;
      figures.add(
          new PolicyFigures(
              100 * result.hitRate(from), result.ttft(from).mean(), result.ttft(from).at(0.99)));
    }
    return PolicyFigures.mean(figures);
  }
}
