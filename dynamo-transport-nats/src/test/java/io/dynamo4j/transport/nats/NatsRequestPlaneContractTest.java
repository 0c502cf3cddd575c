// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.testkit.contract.LaneHarness;
import io.dynamo4j.testkit.contract.RealLanes;
import io.dynamo4j.testkit.contract.RequestPlaneContract;
import io.dynamo4j.transport.tcp.TextCodec;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NatsServerExtension.class)
class NatsRequestPlaneContractTest extends RequestPlaneContract<String, String> {
  private static final AtomicLong COUNT = new AtomicLong();

  private final NatsServer server;

  NatsRequestPlaneContractTest(NatsServer server) {
    this.server = server;
  }

  @Override
  protected LaneHarness newHarness() {
    return RealLanes.pooled(3);
  }

  @Override
  protected RequestPlane<String, String> newPlane(Environment environment) {
    NatsTransport transport =
        NatsTransport.create(environment, NatsRun.quick(server.url()).build());
    NatsRun.eventually(() -> transport.status().state() == NatsState.CONNECTED);
    return new Owning(
        transport,
        NatsRequestPlane.builder(TextCodec.INSTANCE, transport)
            .options(NatsRequestPlaneTest.PATIENT)
            .build(),
        "contract" + COUNT.incrementAndGet());
  }

  @Override
  protected WorkerInstance instance(RequestPlane<String, String> plane, long workerId) {
    String namespace = ((Owning) plane).namespace();
    return WorkerInstance.builder(
            workerId, NatsRequestPlane.address(workerId, namespace, "worker", "generate"))
        .build();
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

  /** A plane that takes its transport with it, and a namespace that no other test uses. */
  private record Owning(
      NatsTransport transport, NatsRequestPlane<String, String> plane, String namespace)
      implements RequestPlane<String, String> {

    @Override
    public ResponseStream<String> send(WorkerInstance target, String request, Attempt attempt) {
      return plane.send(target, request, attempt);
    }

    @Override
    public ServedEndpoint serve(WorkerInstance instance, RequestHandler<String, String> handler) {
      return plane.serve(instance, handler);
    }

    @Override
    public void close() {
      plane.close();
      transport.close();
    }
  }
}
