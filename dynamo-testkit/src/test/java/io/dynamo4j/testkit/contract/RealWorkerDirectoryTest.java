// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.runtime.Environment;

class RealWorkerDirectoryTest extends WorkerDirectoryContract {
  @Override
  protected LaneHarness newHarness() {
    return RealLanes.pooled(3);
  }

  @Override
  protected Registry newRegistry(Environment environment) {
    return new InMemoryRegistry();
  }
}
