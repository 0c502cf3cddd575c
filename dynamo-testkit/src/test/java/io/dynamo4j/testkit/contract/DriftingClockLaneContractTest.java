// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.testkit.simulation.Simulation;

class DriftingClockLaneContractTest extends SchedulerContract {
  @Override
  protected LaneHarness newHarness() {
    Simulation simulation = Simulation.builder().seed(7).build();
    simulation.node("node").adjustClock(-1_000_000_000, 200);
    return SimulatedLaneHarness.over(simulation);
  }
}
