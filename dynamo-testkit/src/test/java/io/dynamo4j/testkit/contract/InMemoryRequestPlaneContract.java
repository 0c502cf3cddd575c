// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;

/** The contract over the in-memory plane, with text for both types. */
abstract class InMemoryRequestPlaneContract extends RequestPlaneContract<String, String> {
  @Override
  protected RequestPlane<String, String> newPlane(Environment environment) {
    return InMemoryRequestPlane.create(environment);
  }

  @Override
  protected WorkerInstance instance(RequestPlane<String, String> plane, long workerId) {
    return WorkerInstance.builder(workerId, InMemoryRequestPlane.address("w" + workerId)).build();
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
}
