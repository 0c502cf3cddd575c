// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.testkit.contract.DurableEventLogContract;
import io.dynamo4j.testkit.contract.LaneHarness;
import io.dynamo4j.testkit.contract.RealLanes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(JetStreamExtension.class)
class NatsDurableLogTest extends DurableEventLogContract {
  private final NatsStorageRun run;

  NatsDurableLogTest(NatsServer server) {
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
  protected DurableEventLog open(Environment environment) {
    return NatsDurableLog.open(run.transport(environment), run.config().build());
  }
}
