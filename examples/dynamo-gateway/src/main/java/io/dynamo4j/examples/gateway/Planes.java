// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.gateway;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.EventChannelDirectory;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.PlaneSelection;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.transport.nats.NatsEventPlane;
import io.dynamo4j.transport.nats.NatsOptions;
import io.dynamo4j.transport.nats.NatsRequestPlane;
import io.dynamo4j.transport.nats.NatsTransport;
import io.dynamo4j.transport.tcp.PayloadCodec;
import io.dynamo4j.transport.tcp.TcpRequestPlane;
import io.dynamo4j.transport.zmq.ZmqEventPlane;
import io.dynamo4j.transport.zmq.ZmqTransport;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The planes that a selection names, and the transports below them. */
final class Planes implements AutoCloseable {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final EventPlane events;
  private final RequestPlane<PreprocessedRequest, LLMEngineOutput> requests;
  private final RequestPlane<byte[], byte[]> queries;
  private final @Nullable NatsTransport nats;

  /**
   * Opens what is named.
   *
   * @param variables those of the process, {@code NATS_SERVER} among them
   * @param channels where publishers over ZMQ are found
   */
  Planes(
      PlaneSelection selection,
      Map<String, String> variables,
      Environment environment,
      EventChannelDirectory channels) {
    nats =
        selection.needsNats()
            ? opened(NatsTransport.create(environment, NatsOptions.fromEnvironment(variables)))
            : null;
    events = opened(events(selection, nats, environment, channels));
    requests = opened(requests(selection, nats, environment, PayloadCodec.generate()));
    queries = opened(requests(selection, nats, environment, PayloadCodec.raw()));
  }

  private EventPlane events(
      PlaneSelection selection,
      @Nullable NatsTransport nats,
      Environment environment,
      EventChannelDirectory channels) {
    if (nats != null && selection.events().equals(PlaneSelection.NATS)) {
      return NatsEventPlane.builder(nats).build();
    }
    ZmqTransport zmq = opened(ZmqTransport.create(environment));
    return ZmqEventPlane.direct(zmq, channels).build();
  }

  private static <Q, R> RequestPlane<Q, R> requests(
      PlaneSelection selection,
      @Nullable NatsTransport nats,
      Environment environment,
      PayloadCodec<Q, R> codec) {
    if (nats != null && selection.requests().equals(PlaneSelection.NATS)) {
      return NatsRequestPlane.builder(codec, nats).build();
    }
    return TcpRequestPlane.builder(codec, environment).build();
  }

  private <T extends AutoCloseable> T opened(T plane) {
    open.push(plane);
    return plane;
  }

  /** Returns the transport of NATS, null if no plane needs one. */
  @Nullable NatsTransport nats() {
    return nats;
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
