// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.memory.InMemoryEventChannels;
import io.dynamo4j.testkit.contract.EventPlaneContract;
import io.dynamo4j.testkit.contract.LaneHarness;
import io.dynamo4j.testkit.contract.RealLanes;

/** The contract between two contexts that find each other through a directory, over TCP. */
class DirectEventPlaneTest extends EventPlaneContract {

  @Override
  protected LaneHarness newHarness() {
    return RealLanes.owned();
  }

  @Override
  protected EventPlane newPlane(Environment environment, int queueCapacity) {
    InMemoryEventChannels channels = InMemoryEventChannels.create();
    return new PlanePair(
        environment, zmq -> ZmqEventPlane.direct(zmq, channels), queueCapacity, () -> {});
  }
}
