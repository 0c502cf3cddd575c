// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.simulation.fleet.FleetConfig;
import io.dynamo4j.simulation.fleet.FleetPolicy;
import io.dynamo4j.simulation.fleet.FleetResult;
import io.dynamo4j.simulation.fleet.FleetRun;
import io.dynamo4j.simulation.trace.SyntheticTrace;
import io.dynamo4j.simulation.trace.TraceRow;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A fleet whose engines report nothing: the router learns from its own decisions. */
class ApproximateFleetTest {
  private static final List<TraceRow> ROWS = SyntheticTrace.generate(7, 1_500);

  private static FleetResult run(FleetPolicy policy, int killEvery) {
    FleetConfig config =
        FleetConfig.builder().policy(policy).workers(8).killEvery(killEvery).build();
    return FleetRun.run(config, ROWS, arrived -> {});
  }

  @Test
  void shouldHitFarMoreOftenThanRoundRobinWithoutAnyEvent() {
    double roundRobin = run(FleetPolicy.ROUND_ROBIN, 0).hitRate();
    double events = run(FleetPolicy.KV, 0).hitRate();
    double approximate = run(FleetPolicy.KV_APPROXIMATE, 0).hitRate();
    assertThat(approximate).isGreaterThan(roundRobin + (events - roundRobin) / 2);
  }

  @Test
  void shouldCompleteEveryStreamExactlyWhenWorkersDie() {
    FleetResult result = run(FleetPolicy.KV_APPROXIMATE, 100);
    assertThat(result.kills()).isNotEmpty();
    assertThat(result.failedStreams()).isZero();
    assertThat(result.tokens().isExact()).as("tokens %s", result.tokens()).isTrue();
  }
}
