// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.SnapshotStore;
import io.dynamo4j.testkit.contract.LaneHarness;
import io.dynamo4j.testkit.contract.RealLanes;
import io.dynamo4j.testkit.contract.SnapshotStoreContract;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(JetStreamExtension.class)
class NatsSnapshotStoreTest extends SnapshotStoreContract {
  private final NatsStorageRun run;

  NatsSnapshotStoreTest(NatsServer server) {
    this.run = new NatsStorageRun(server);
  }

  @AfterEach
  void close() {
    run.close();
  }

  @Override
  protected LaneHarness newHarness() {
    return RealLanes.pooled(3);
  }

  @Override
  protected SnapshotStore open(Environment environment) {
    return NatsSnapshotStore.open(run.transport(environment), run.config().build());
  }
}
