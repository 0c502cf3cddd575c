// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.testkit.simulation.Simulation;

class SimulatedEventPlaneTest extends EventPlaneContract {
  @Override
  protected LaneHarness newHarness() {
    return SimulatedLaneHarness.over(Simulation.builder().seed(12).build());
  }

  @Override
  protected EventPlane newPlane(Environment environment, int queueCapacity) {
    return InMemoryEventPlane.create(environment, queueCapacity);
  }
}
