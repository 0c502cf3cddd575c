// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.OrderIrrelevant;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.AddressPolicy;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.transport.ColdStream;
import io.dynamo4j.wire.PayloadFormat;
import io.dynamo4j.wire.RequestControl;
import io.dynamo4j.wire.TcpRequestFrame;
import io.dynamo4j.wire.TcpTarget;
import io.dynamo4j.wire.TwoPartFrame;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Requests and streams over TCP as Dynamo speaks it, with any of its workers, routers and frontends
 * on the other side.
 *
 * <p>A request goes out on a pooled connection, where the worker acknowledges it; the answer comes
 * on a connection of its own, which the worker dials back. Every phase of that is bounded ({@link
 * TcpPhase}); what takes too long fails as an error that migrates. No address that a peer named is
 * dialled unless the {@link AddressPolicy} allows it.
 *
 * <p><b>Lanes.</b> Signals run on the attempt's lane; a handler and its {@code onCancel} action on
 * one lane of the endpoint. Sockets have threads of their own, which run no code of the host but
 * the {@link PayloadCodec}.
 *
 * <p><b>Buffers.</b> A subscriber that asks slowly makes its connection rest after {@link
 * TcpOptions#readAheadItems}. A served stream whose caller reads too slowly breaks after {@link
 * TcpOptions#maxUnsentBytes}.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
@OrderIrrelevant("pools are only looked up by address; streams are all ended")
public final class TcpRequestPlane<Q, R> implements RequestPlane<Q, R> {
  private static final Duration LINGER = Duration.ofSeconds(10);

  private final Environment environment;
  private final PayloadCodec<Q, R> codec;
  private final TcpOptions options;
  private final @Nullable RequestLeg leg;
  private final TcpIo io;
  private final Scheduler timers;
  private final CallHome callHome;
  private final RequestIntake intake;
  private final Subjects subjects;
  private final ReentrantLock listening = new ReentrantLock();
  private final ConcurrentHashMap<InetSocketAddress, PeerPool> pools = new ConcurrentHashMap<>();
  private final Set<TcpExchange<Q, R>> exchanges = ConcurrentHashMap.newKeySet();
  private final Set<TcpEndpoint<Q, R>> endpoints = ConcurrentHashMap.newKeySet();
  private final AtomicLong dials = new AtomicLong();
  private final AtomicLong slowReaders = new AtomicLong();
  private volatile int port = -1;
  private volatile boolean closed;

  private TcpRequestPlane(Builder<Q, R> builder) {
    this.environment = builder.environment;
    this.codec = builder.codec;
    this.options = builder.options;
    this.leg = builder.leg;
    this.timers = environment.lanes().lane("tcp-timers");
    this.subjects = new Subjects(environment.random().split("tcp-subjects"));
    this.intake = new RequestIntake(options);
    this.io = new TcpIo(options);
    this.callHome = openCallHome();
  }

  private CallHome openCallHome() {
    try {
      return new CallHome(io, options, timers);
    } catch (DynamoException cannotBind) {
      io.close();
      throw cannotBind;
    }
  }

  /** Starts a plane with default settings; the environment supplies lanes, time and chance. */
  public static <Q, R> Builder<Q, R> builder(PayloadCodec<Q, R> codec, Environment environment) {
    return new Builder<>(codec, environment);
  }

  /* --------------- Addresses --------------- */

  /**
   * Returns the address of an endpoint that this plane may serve. Begins to listen for requests.
   *
   * @param path what names the endpoint here; Dynamo's own is {@link #path}
   * @throws DynamoException {@code CANNOT_CONNECT} if the port cannot be bound, {@code CLOSED}
   */
  public Address address(String path) {
    return Hosts.target(options, options.host(), listen(), path).address();
  }

  /** Returns the path by which Dynamo's workers name an endpoint. */
  public static String path(long instanceId, String namespace, String component, String endpoint) {
    return Long.toHexString(instanceId) + "/" + namespace + "/" + component + "/" + endpoint;
  }

  private int listen() {
    requireOpen();
    listening.lock();
    try {
      if (port < 0) {
        InetSocketAddress wanted = AddressPolicy.literal(options.host(), options.port());
        port = io.listen(wanted, intake::newHandlers).getPort();
      }
      return port;
    } finally {
      listening.unlock();
    }
  }

  /* --------------- Client --------------- */

  @Override
  public ResponseStream<R> send(WorkerInstance target, Q request, Attempt attempt) {
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(request, "request");
    return ColdStream.of(
        attempt, subscriber -> new TcpExchange<>(this, target, request, attempt, subscriber));
  }

  byte[] frame(Address address, PayloadFormat format, String requestId, String subject, Q request) {
    byte[] body = format.fromMsgpack(codec.encodeRequest(request));
    byte[] control =
        new RequestControl(requestId, format, callHome.hostAndPort(), subject).encode();
    int size = TwoPartFrame.PREFIX_BYTES + control.length + body.length;
    if (size > options.maxMessageBytes()) {
      throw new IllegalArgumentException(
          "request is too large: bytes=" + size + ", max=" + options.maxMessageBytes());
    }
    if (leg != null) {
      return TwoPartFrame.encode(control, body);
    }
    Instant now = environment.wallClock().instant();
    long sentAt = now.getEpochSecond() * 1_000_000_000L + now.getNano();
    String path = target(address).path();
    byte[] headers = TcpRequestFrame.headers(requestId, path, sentAt);
    return TcpRequestFrame.encode(path, headers, control, body);
  }

  /** Returns how an address wants bodies written, null if it is of another transport. */
  @Nullable PayloadFormat format(Address address) {
    if (leg != null) {
      String format = leg.bodyFormat(address);
      return format == null ? null : PayloadFormat.of(format);
    }
    TcpTarget target = TcpTarget.of(address);
    return target == null ? null : target.format();
  }

  private static TcpTarget target(Address address) {
    return Objects.requireNonNull(TcpTarget.of(address), "address is of another transport");
  }

  private static InetSocketAddress literal(Address address) {
    TcpTarget target = target(address);
    return AddressPolicy.literal(target.host(), target.port());
  }

  /** Tells whether a worker may be dialled for a request; another leg dials nobody. */
  boolean allows(Address address) {
    return leg != null || options.addressPolicy().allows(literal(address));
  }

  void submit(Address address, OutgoingRequest request) {
    if (leg != null) {
      leg.send(address, request);
      return;
    }
    pools
        .computeIfAbsent(
            literal(address), peer -> new PeerPool(io, options, timers, peer, dials, this::forget))
        .submit(request);
  }

  /** A request that is on its way into a forgotten pool is sent by that all the same. */
  private void forget(PeerPool empty) {
    pools.remove(empty.address(), empty);
  }

  /** Returns how many addresses of workers there are connections to, or dials. */
  int peerCount() {
    return pools.size();
  }

  String nextSubject() {
    return subjects.next();
  }

  void track(TcpExchange<Q, R> exchange, String subject) {
    exchanges.add(exchange);
    callHome.expect(subject, exchange);
  }

  void untrack(TcpExchange<Q, R> exchange, String subject) {
    exchanges.remove(exchange);
    callHome.forget(subject);
    if (leg != null) {
      leg.forget(exchange);
    }
  }

  /* --------------- Server --------------- */

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if the address is none of this plane's
   */
  @Override
  public ServedEndpoint serve(WorkerInstance instance, RequestHandler<Q, R> handler) {
    requireOpen();
    Objects.requireNonNull(handler, "handler");
    String path = servedPath(instance.address());
    Scheduler lane =
        environment.lanes().lane("serve-" + Long.toUnsignedString(instance.workerId()));
    TcpEndpoint<Q, R> endpoint = new TcpEndpoint<>(this, instance, path, lane, handler);
    if (!intake.add(path, endpoint)) {
      throw new IllegalStateException("address is already served: address=" + instance.address());
    }
    if (leg != null) {
      endpoint.takesFrom(taking(leg, instance.address(), endpoint));
    }
    endpoints.add(endpoint);
    if (closed) {
      endpoint.close();
      requireOpen();
    }
    return endpoint;
  }

  private Subscription taking(RequestLeg leg, Address address, TcpEndpoint<Q, R> endpoint) {
    try {
      return leg.serve(address, message -> !closed && intake.takeMessage(endpoint, message));
    } catch (RuntimeException notServed) {
      endpoint.close();
      throw notServed;
    }
  }

  private String servedPath(Address address) {
    if (leg != null) {
      if (leg.bodyFormat(address) == null) {
        throw new IllegalArgumentException("address is of another transport: address=" + address);
      }
      return address.value();
    }
    TcpTarget target = TcpTarget.of(address);
    if (target == null || target.port() != port) {
      throw new IllegalArgumentException(
          "address is not this plane's: address=" + address + ", port=" + port);
    }
    return target.path();
  }

  void forgetIfDrained(TcpEndpoint<Q, R> endpoint) {
    if (endpoint.openStreamCount() == 0 && endpoint.isClosed()) {
      endpoints.remove(endpoint);
    }
  }

  void countSlowReader() {
    slowReaders.incrementAndGet();
  }

  @Nullable Cancellable armLinger(Runnable close) {
    try {
      return timers.schedule(close, LINGER.toNanos());
    } catch (RejectedExecutionException lanesClosed) {
      close.run();
      return null;
    }
  }

  /* --------------- Both --------------- */

  /**
   * Returns how many connections to workers were dialled for requests; a pooled one counts once.
   */
  public long dialCount() {
    return dials.get();
  }

  /** Returns how many served streams have broken because their caller read too slowly. */
  public long slowReaderCount() {
    return slowReaders.get();
  }

  /** Returns how many sent requests have not ended. */
  public int openRequestCount() {
    return exchanges.size();
  }

  /**
   * Fails open streams with {@code CLOSED}, ends served endpoints and closes every socket, soon;
   * waits for none of it. Idempotent.
   */
  @Override
  public void close() {
    closed = true;
    exchanges.forEach(TcpExchange::planeClosed);
    endpoints.forEach(TcpEndpoint::abort);
    if (leg != null) {
      leg.close();
    }
    io.close();
  }

  private void requireOpen() {
    if (closed) {
      throw new DynamoException(ErrorType.CLOSED, "request plane is closed");
    }
  }

  boolean isClosed() {
    return closed;
  }

  PayloadCodec<Q, R> codec() {
    return codec;
  }

  TcpOptions options() {
    return options;
  }

  TcpIo io() {
    return io;
  }

  RequestIntake intake() {
    return intake;
  }

  /** Builds a {@link TcpRequestPlane}. */
  public static final class Builder<Q, R> {
    private final PayloadCodec<Q, R> codec;
    private final Environment environment;
    private TcpOptions options = TcpOptions.ofDefaults();
    private @Nullable RequestLeg leg;

    private Builder(PayloadCodec<Q, R> codec, Environment environment) {
      this.codec = Objects.requireNonNull(codec, "codec");
      this.environment = Objects.requireNonNull(environment, "environment");
    }

    public Builder<Q, R> options(TcpOptions options) {
      this.options = Objects.requireNonNull(options, "options");
      return this;
    }

    /**
     * Sends and takes requests by another leg than TCP; answers come home over TCP all the same.
     * The plane closes it.
     */
    public Builder<Q, R> leg(RequestLeg leg) {
      this.leg = Objects.requireNonNull(leg, "leg");
      return this;
    }

    /**
     * Returns an open plane that workers can dial back to.
     *
     * @throws DynamoException {@code CANNOT_CONNECT} if an address cannot be bound
     */
    public TcpRequestPlane<Q, R> build() {
      return new TcpRequestPlane<>(this);
    }
  }
}
