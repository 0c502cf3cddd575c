// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

class RealRequestPlaneTest extends InMemoryRequestPlaneContract {
  @Override
  protected LaneHarness newHarness() {
    return RealLanes.pooled(3);
  }
}
