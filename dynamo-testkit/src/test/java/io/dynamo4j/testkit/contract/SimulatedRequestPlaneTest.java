// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.testkit.simulation.Simulation;

class SimulatedRequestPlaneTest extends InMemoryRequestPlaneContract {
  @Override
  protected LaneHarness newHarness() {
    return SimulatedLaneHarness.over(Simulation.builder().seed(11).build());
  }
}
