// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.EventChannelDirectory;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.simulation.fleet.GatewayPlanes;
import io.dynamo4j.transport.nats.NatsEventPlane;
import io.dynamo4j.transport.nats.NatsOptions;
import io.dynamo4j.transport.nats.NatsRequestPlane;
import io.dynamo4j.transport.nats.NatsTransport;
import io.dynamo4j.transport.tcp.PayloadCodec;
import io.dynamo4j.transport.tcp.TcpOptions;
import io.dynamo4j.transport.tcp.TcpPhase;
import io.dynamo4j.transport.tcp.TcpRequestPlane;
import io.dynamo4j.transport.zmq.ZmqEventPlane;
import io.dynamo4j.transport.zmq.ZmqTransport;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Real planes of one process, and the transports below them. */
final class LivePlanes implements AutoCloseable {
  private static final EventScope.Endpoint SCOPE = GatewayPlanes.SCOPE;

  private final Deque<AutoCloseable> open;
  private final Parts parts;

  /**
   * What planes have in common.
   *
   * @param requestAddress where requests to one life of a worker go
   * @param queryAddress where queries about the events of one life of a worker go
   * @param whenServed runs an action on a lane once what was served before is reached
   */
  private record Parts(
      EventPlane events,
      RequestPlane<PreprocessedRequest, LLMEngineOutput> requests,
      RequestPlane<byte[], byte[]> queries,
      LongFunction<Address> requestAddress,
      LongFunction<Address> queryAddress,
      BiConsumer<Scheduler, Runnable> whenServed) {}

  private LivePlanes(Deque<AutoCloseable> open, Parts parts) {
    this.open = open;
    this.parts = parts;
  }

  /**
   * Opens planes.
   *
   * @param server the URL of the NATS server, where one is needed
   * @param channels where publishers over ZMQ are found
   * @param timeScale how much faster time is on the lanes of attempts, which bound what a peer may
   *     take; its sockets are no faster
   */
  static LivePlanes open(
      DemoPlane plane,
      @Nullable String server,
      Environment environment,
      EventChannelDirectory channels,
      double timeScale) {
    Deque<AutoCloseable> open = new ArrayDeque<>();
    return new LivePlanes(
        open,
        plane == DemoPlane.NATS && server != null
            ? overNats(open, server, environment, timeScale)
            : overZmqAndTcp(open, environment, channels, timeScale));
  }

  private static Parts overNats(
      Deque<AutoCloseable> open, String server, Environment environment, double timeScale) {
    NatsTransport nats =
        opened(
            open,
            NatsTransport.create(
                environment, NatsOptions.fromEnvironment(Map.of("NATS_SERVER", server))));
    return new Parts(
        opened(open, NatsEventPlane.builder(nats).build()),
        opened(
            open,
            NatsRequestPlane.builder(PayloadCodec.generate(), nats)
                .options(patient(NatsRequestPlane.defaultOptions(), timeScale))
                .build()),
        opened(open, NatsRequestPlane.builder(PayloadCodec.raw(), nats).build()),
        life -> natsAddress(life, SCOPE.endpoint()),
        life -> natsAddress(life, "worker_kv_query_dp0"),
        nats::whenConfirmed);
  }

  private static Address natsAddress(long life, String endpoint) {
    return NatsRequestPlane.address(life, SCOPE.namespace(), SCOPE.component(), endpoint);
  }

  private static Parts overZmqAndTcp(
      Deque<AutoCloseable> open,
      Environment environment,
      EventChannelDirectory channels,
      double timeScale) {
    ZmqTransport zmq = opened(open, ZmqTransport.create(environment));
    EventPlane events = opened(open, ZmqEventPlane.direct(zmq, channels).build());
    TcpRequestPlane<PreprocessedRequest, LLMEngineOutput> requests =
        opened(
            open,
            TcpRequestPlane.builder(PayloadCodec.generate(), environment)
                .options(patient(TcpOptions.ofDefaults(), timeScale))
                .build());
    TcpRequestPlane<byte[], byte[]> queries =
        opened(open, TcpRequestPlane.builder(PayloadCodec.raw(), environment).build());
    return new Parts(
        events,
        requests,
        queries,
        life -> requests.address("generate/" + Long.toHexString(life)),
        life -> queries.address("worker_kv_query/" + Long.toHexString(life)),
        Scheduler::execute);
  }

  private static TcpOptions patient(TcpOptions options, double timeScale) {
    TcpOptions patient = options;
    for (TcpPhase phase : TcpPhase.values()) {
      double nanos = options.bound(phase).toNanos() * Math.max(1, timeScale);
      patient = patient.withBound(phase, Duration.ofNanos((long) nanos));
    }
    return patient;
  }

  private static <T extends AutoCloseable> T opened(Deque<AutoCloseable> open, T plane) {
    open.push(plane);
    return plane;
  }

  EventPlane events() {
    return parts.events();
  }

  RequestPlane<PreprocessedRequest, LLMEngineOutput> requests() {
    return parts.requests();
  }

  RequestPlane<byte[], byte[]> queries() {
    return parts.queries();
  }

  /** Returns where requests to one life of a worker go. */
  Address requestAddress(long life) {
    return parts.requestAddress().apply(life);
  }

  /** Returns where queries about the events of one life of a worker go. */
  Address queryAddress(long life) {
    return parts.queryAddress().apply(life);
  }

  /** Runs an action once what was served before is reached. */
  void whenServed(Scheduler lane, Runnable action) {
    parts.whenServed().accept(lane, action);
  }

  /** Closes planes before what they stand on. */
  @Override
  public void close() {
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        throw new IllegalStateException("plane cannot be closed", e);
      }
    }
  }
}
