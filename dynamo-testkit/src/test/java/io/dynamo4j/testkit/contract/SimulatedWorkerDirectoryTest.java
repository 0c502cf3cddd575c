// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.testkit.simulation.Simulation;

class SimulatedWorkerDirectoryTest extends WorkerDirectoryContract {
  @Override
  protected LaneHarness newHarness() {
    return SimulatedLaneHarness.over(Simulation.builder().seed(12).build());
  }

  @Override
  protected Registry newRegistry(Environment environment) {
    return new InMemoryRegistry();
  }
}
