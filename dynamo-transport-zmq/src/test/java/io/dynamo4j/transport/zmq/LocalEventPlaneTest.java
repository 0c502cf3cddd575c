// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.memory.InMemoryEventChannels;
import io.dynamo4j.testkit.contract.EventPlaneContract;
import io.dynamo4j.testkit.contract.LaneHarness;
import io.dynamo4j.testkit.contract.RealLanes;

/** The contract where publisher and subscriber share a plane. */
class LocalEventPlaneTest extends EventPlaneContract {

  @Override
  protected LaneHarness newHarness() {
    return RealLanes.owned();
  }

  @Override
  protected EventPlane newPlane(Environment environment, int queueCapacity) {
    ZmqTransport zmq = ZmqTransport.create(environment);
    ZmqEventPlane plane =
        ZmqEventPlane.direct(zmq, InMemoryEventChannels.create())
            .queueCapacity(queueCapacity)
            .build();
    return new OwningPlane(plane, zmq::close);
  }
}
