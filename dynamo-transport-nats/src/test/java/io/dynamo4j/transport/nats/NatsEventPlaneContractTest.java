// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.testkit.contract.EventPlaneContract;
import io.dynamo4j.testkit.contract.LaneHarness;
import io.dynamo4j.testkit.contract.RealLanes;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract over one connection: what is published comes back from the server. */
@ExtendWith(NatsServerExtension.class)
class NatsEventPlaneContractTest extends EventPlaneContract {
  private final NatsServer server;

  NatsEventPlaneContractTest(NatsServer server) {
    this.server = server;
  }

  @Override
  protected LaneHarness newHarness() {
    return RealLanes.pooled(3);
  }

  @Override
  protected EventPlane newPlane(Environment environment, int queueCapacity) {
    NatsTransport transport =
        NatsTransport.create(environment, NatsRun.quick(server.url()).build());
    return new OwningPlane(
        transport, NatsEventPlane.builder(transport).queueCapacity(queueCapacity).build());
  }

  /** Time for a round trip. */
  @Override
  protected long settleNanos() {
    return 50_000_000;
  }
}
