// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.memory.InMemoryEventPlane;

class RealEventPlaneTest extends EventPlaneContract {
  @Override
  protected LaneHarness newHarness() {
    return RealLanes.pooled(3);
  }

  @Override
  protected EventPlane newPlane(Environment environment, int queueCapacity) {
    return InMemoryEventPlane.create(environment, queueCapacity);
  }
}
