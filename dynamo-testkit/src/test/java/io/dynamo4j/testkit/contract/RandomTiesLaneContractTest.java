// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.testkit.simulation.Simulation;

class RandomTiesLaneContractTest extends SchedulerContract {
  @Override
  protected LaneHarness newHarness() {
    return SimulatedLaneHarness.over(Simulation.builder().seed(7).build());
  }
}
