// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.testkit.contract.LaneHarness;
import io.dynamo4j.testkit.contract.RealLanes;
import io.dynamo4j.testkit.contract.RequestPlaneContract;

class TcpRequestPlaneContractTest extends RequestPlaneContract<String, String> {
  @Override
  protected LaneHarness newHarness() {
    return RealLanes.pooled(3);
  }

  @Override
  protected RequestPlane<String, String> newPlane(Environment environment) {
    return TcpRequestPlane.builder(TextCodec.INSTANCE, environment).build();
  }

  @Override
  protected WorkerInstance instance(RequestPlane<String, String> plane, long workerId) {
    String path = TcpRequestPlane.path(workerId, "test", "worker", "generate");
    TcpRequestPlane<String, String> tcp = (TcpRequestPlane<String, String>) plane;
    return WorkerInstance.builder(workerId, tcp.address(path)).build();
  }

  @Override
  protected String request() {
    return "request";
  }

  @Override
  protected String item(int number) {
    return "item-" + number;
  }

  @Override
  protected int number(String item) {
    return Integer.parseInt(item.substring("item-".length()));
  }

  /** Time for sockets to do what they should not. */
  @Override
  protected long settleNanos() {
    return 50_000_000;
  }
}
