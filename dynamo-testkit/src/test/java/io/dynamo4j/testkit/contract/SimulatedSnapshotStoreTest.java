// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.SnapshotStore;

class SimulatedSnapshotStoreTest extends SnapshotStoreContract {
  private final SimulatedStorage storage = new SimulatedStorage();

  @Override
  protected LaneHarness newHarness() {
    return storage.harness();
  }

  @Override
  protected SnapshotStore open(Environment environment) {
    return storage.server.snapshots(environment);
  }
}
