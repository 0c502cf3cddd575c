// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.interop;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.EventChannelDirectory;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.transport.nats.NatsEventPlane;
import io.dynamo4j.transport.nats.NatsOptions;
import io.dynamo4j.transport.nats.NatsRequestPlane;
import io.dynamo4j.transport.nats.NatsTransport;
import io.dynamo4j.transport.tcp.PayloadCodec;
import io.dynamo4j.transport.tcp.TcpRequestPlane;
import io.dynamo4j.transport.zmq.ZmqBrokers;
import io.dynamo4j.transport.zmq.ZmqEventPlane;
import io.dynamo4j.transport.zmq.ZmqTransport;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;

/** Threads, transports and planes of one process of a fleet, each kind as asked for. */
final class MatrixPlanes implements AutoCloseable {

  /** How events go. */
  enum Events {
    ZMQ_DIRECT,
    ZMQ_BROKER,
    NATS
  }

  /** How requests go. */
  enum Requests {
    TCP,
    NATS
  }

  /** What the processes of a fleet share. */
  record Shared(String nats, ZmqBrokers brokers, EventChannelDirectory channels) {}

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Requests requestKind;
  private final Environment environment;
  private final NatsTransport nats;
  private final EventPlane events;
  private final RequestPlane<PreprocessedRequest, LLMEngineOutput> requests;
  private final RequestPlane<byte[], byte[]> queries;

  MatrixPlanes(Events eventKind, Requests requestKind, Shared shared) {
    this.requestKind = requestKind;
    RealEnvironment threads = opened(RealEnvironment.create());
    environment = threads.environment();
    nats =
        opened(
            NatsTransport.create(
                environment, NatsOptions.fromEnvironment(Map.of("NATS_SERVER", shared.nats()))));
    events = opened(events(eventKind, shared));
    requests = opened(plane(PayloadCodec.generate()));
    queries = opened(plane(PayloadCodec.raw()));
  }

  private EventPlane events(Events kind, Shared shared) {
    if (kind == Events.NATS) {
      return NatsEventPlane.builder(nats).build();
    }
    ZmqTransport zmq = opened(ZmqTransport.create(environment));
    return kind == Events.ZMQ_DIRECT
        ? ZmqEventPlane.direct(zmq, shared.channels()).build()
        : ZmqEventPlane.brokered(zmq, shared.brokers()).build();
  }

  private <Q, R> RequestPlane<Q, R> plane(PayloadCodec<Q, R> codec) {
    return requestKind == Requests.NATS
        ? NatsRequestPlane.builder(codec, nats).build()
        : TcpRequestPlane.builder(codec, environment).build();
  }

  private <T extends AutoCloseable> T opened(T resource) {
    open.push(resource);
    return resource;
  }

  Environment environment() {
    return environment;
  }

  EventPlane events() {
    return events;
  }

  RequestPlane<PreprocessedRequest, LLMEngineOutput> requests() {
    return requests;
  }

  RequestPlane<byte[], byte[]> queries() {
    return queries;
  }

  /** Returns where a plane of this process may serve a worker's endpoint. */
  Address address(RequestPlane<?, ?> plane, long workerId, String endpoint) {
    return plane instanceof TcpRequestPlane<?, ?> tcp
        ? tcp.address(TcpRequestPlane.path(workerId, "dynamo", "backend", endpoint))
        : NatsRequestPlane.address(workerId, "dynamo", "backend", endpoint);
  }

  /** Runs an action once everything served before can be reached. */
  void whenServed(Scheduler lane, Runnable action) {
    nats.whenConfirmed(lane, action);
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
