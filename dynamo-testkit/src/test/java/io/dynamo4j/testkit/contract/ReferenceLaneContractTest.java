// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.testkit.simulation.Mode;
import io.dynamo4j.testkit.simulation.Simulation;

class ReferenceLaneContractTest extends SchedulerContract {
  @Override
  protected LaneHarness newHarness() {
    return SimulatedLaneHarness.over(Simulation.builder().mode(Mode.REFERENCE).build());
  }
}
