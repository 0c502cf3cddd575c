// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.transport.tcp.PayloadCodec;
import io.dynamo4j.transport.tcp.TcpOptions;
import io.dynamo4j.transport.tcp.TcpPhase;
import io.dynamo4j.transport.tcp.TcpRequestPlane;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * Requests over NATS as Dynamo sends them; answers over TCP, on a connection that the worker dials
 * back, as with {@link TcpRequestPlane}: this process needs a port that every worker can reach.
 *
 * <p>An instance has a subject of its own, where a request is acknowledged by an empty message.
 * Where nobody serves the subject, or there is no server, a request fails at once with {@code
 * CANNOT_CONNECT}, which migrates; one that nobody acknowledges fails after {@link TcpPhase#ACK},
 * ten seconds unless told otherwise.
 *
 * <p>Addresses are {@code nats_tcp+msgpack} or {@code nats_tcp+json} with the subject; plain {@code
 * nats_tcp} means JSON, as a record without a codec does.
 *
 * <p><b>Lanes.</b> As with {@link TcpRequestPlane}; no code of the host runs on a thread of NATS'
 * client but the reading of what frames a request.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public final class NatsRequestPlane<Q, R> implements RequestPlane<Q, R> {
  private static final Duration ACK_BOUND = Duration.ofSeconds(10);
  private static final String ACK_SECONDS = "DYN_NATS_REQUEST_TIMEOUT_SECS";

  private final NatsRequestLeg leg;
  private final TcpRequestPlane<Q, R> plane;

  private NatsRequestPlane(Builder<Q, R> builder) {
    TcpOptions options = builder.options;
    this.leg = new NatsRequestLeg(builder.transport);
    this.plane =
        TcpRequestPlane.builder(builder.codec, builder.transport.environment())
            .options(options)
            .leg(leg)
            .build();
  }

  /** Starts a plane over a transport, which other planes may share. */
  public static <Q, R> Builder<Q, R> builder(PayloadCodec<Q, R> codec, NatsTransport transport) {
    return new Builder<>(codec, transport);
  }

  /**
   * Returns the defaults: those of {@link TcpOptions} for the answers' port, and ten seconds for an
   * acknowledgement.
   */
  public static TcpOptions defaultOptions() {
    return TcpOptions.builder().bound(TcpPhase.ACK, ACK_BOUND).build();
  }

  /**
   * Returns the address by which Dynamo's processes would know this instance.
   *
   * @param instanceId unsigned 64-bit pattern
   */
  public static Address address(
      long instanceId, String namespace, String component, String endpoint) {
    return NatsSubjects.address(NatsSubjects.endpoint(namespace, component, endpoint, instanceId));
  }

  @Override
  public ResponseStream<R> send(WorkerInstance target, Q request, Attempt attempt) {
    return plane.send(target, request, attempt);
  }

  /**
   * {@inheritDoc}
   *
   * <p>The subject is served once the server knows: {@link NatsTransport#whenConfirmed} tells when
   * to announce it.
   *
   * @throws IllegalArgumentException if the address is of another transport
   */
  @Override
  public ServedEndpoint serve(WorkerInstance instance, RequestHandler<Q, R> handler) {
    return plane.serve(instance, handler);
  }

  /** Returns how many sent requests have not ended. */
  public int openRequestCount() {
    return plane.openRequestCount();
  }

  int awaitedCount() {
    return leg.awaitedCount();
  }

  /** Fails open streams with {@code CLOSED}, ends served endpoints; idempotent. */
  @Override
  public void close() {
    plane.close();
  }

  /** Builds a {@link NatsRequestPlane}. */
  public static final class Builder<Q, R> {
    private final PayloadCodec<Q, R> codec;
    private final NatsTransport transport;
    private TcpOptions options = defaultOptions();

    private Builder(PayloadCodec<Q, R> codec, NatsTransport transport) {
      this.codec = Objects.requireNonNull(codec, "codec");
      this.transport = Objects.requireNonNull(transport, "transport");
    }

    /** Sets where answers come in and how long each phase of a request may take. */
    public Builder<Q, R> options(TcpOptions options) {
      this.options = Objects.requireNonNull(options, "options");
      return this;
    }

    /**
     * Takes the bound of an acknowledgement from {@code DYN_NATS_REQUEST_TIMEOUT_SECS} and the rest
     * from what {@link TcpOptions#fromEnvironment} reads.
     *
     * @throws IllegalArgumentException if a variable has a value that is none of its own
     */
    public Builder<Q, R> fromEnvironment(Map<String, String> environment) {
      this.options =
          TcpOptions.fromEnvironment(environment).withBound(TcpPhase.ACK, ackBound(environment));
      return this;
    }

    private static Duration ackBound(Map<String, String> environment) {
      String value = environment.get(ACK_SECONDS);
      if (value == null || value.isBlank()) {
        return ACK_BOUND;
      }
      try {
        return Duration.ofSeconds(Integer.parseUnsignedInt(value.strip()));
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(
            "environment variable is out of range: name=" + ACK_SECONDS + ", value=" + value, e);
      }
    }

    /**
     * Returns an open plane that workers can dial back to.
     *
     * @throws io.dynamo4j.core.model.DynamoException {@code CANNOT_CONNECT} if the port of the
     *     answers cannot be bound
     */
    public NatsRequestPlane<Q, R> build() {
      return new NatsRequestPlane<>(this);
    }
  }
}
