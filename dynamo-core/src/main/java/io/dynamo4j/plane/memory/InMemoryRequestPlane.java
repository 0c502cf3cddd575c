// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.OrderIrrelevant;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.transport.ColdStream;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests and streams inside one process.
 *
 * <p>A request goes to the endpoint served under its target's address and worker id; without one
 * the stream fails with {@code CANNOT_CONNECT}. A handler that throws refuses: a {@link
 * DynamoException} reaches the caller as it is, anything else as {@code BACKEND_UNKNOWN} with its
 * cause.
 *
 * <p><b>Lanes.</b> Signals run on the attempt's lane; the handler and its {@code onCancel} action
 * on the endpoint's. A burst of items costs one task of the attempt's lane, an item on its own one
 * task, an item nobody has asked for none.
 *
 * <p><b>Buffer.</b> Items wait per stream until they are asked for. A stream whose buffer overflows
 * fails with {@code BUFFER_OVERFLOW} and loses what it holds, as it does when its deadline passes
 * or its endpoint breaks: such errors overtake items. An error that the worker itself sends comes
 * after the items before it. A deadline ends when the worker has ended the stream, however slowly
 * the rest is read.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
@OrderIrrelevant("endpoints are only looked up by address; what is iterated is a sorted set")
public final class InMemoryRequestPlane<Q, R> implements RequestPlane<Q, R> {
  /** The {@link Address#transport()} of addresses made by {@link #address}. */
  public static final String TRANSPORT = "memory";

  /** Items that wait for one subscriber at most, unless told otherwise. */
  public static final int DEFAULT_BUFFER_CAPACITY = 65_536;

  private final Environment environment;
  private final int bufferCapacity;
  private final BooleanSupplier framesSurviveAbort;
  private final ConcurrentHashMap<Address, MemoryEndpoint<Q, R>> endpoints =
      new ConcurrentHashMap<>();
  // Served endpoints, and closed ones whose streams still run.
  private final ConcurrentSkipListSet<MemoryEndpoint<Q, R>> living = new ConcurrentSkipListSet<>();
  private final AtomicLong ids = new AtomicLong();
  private final AtomicLong overflows = new AtomicLong();
  private volatile boolean closed;

  private InMemoryRequestPlane(Builder<Q, R> builder) {
    this.environment = builder.environment;
    this.bufferCapacity = builder.bufferCapacity;
    this.framesSurviveAbort = builder.framesSurviveAbort;
  }

  /** Returns an open plane with default settings. */
  public static <Q, R> InMemoryRequestPlane<Q, R> create(Environment environment) {
    return InMemoryRequestPlane.<Q, R>builder(environment).build();
  }

  /** Starts a plane; the environment supplies the lanes of endpoints that bring none. */
  public static <Q, R> Builder<Q, R> builder(Environment environment) {
    return new Builder<>(environment);
  }

  /** Returns an address of this transport; any two names differ, nothing is dialled. */
  public static Address address(String name) {
    return new Address(TRANSPORT, name);
  }

  @Override
  public ResponseStream<R> send(WorkerInstance target, Q request, Attempt attempt) {
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(request, "request");
    return ColdStream.of(
        attempt, subscriber -> new MemoryExchange<>(this, target, request, attempt, subscriber));
  }

  /** Serves on a new lane of the plane's environment. */
  @Override
  public ServedEndpoint serve(WorkerInstance instance, RequestHandler<Q, R> handler) {
    String name = "serve-" + Long.toUnsignedString(instance.workerId());
    return serve(instance, environment.lanes().lane(name), handler);
  }

  /**
   * Answers requests on a lane of the worker's own, so that what is pending there ends with the
   * worker.
   *
   * <p>If that lane is closed, new requests fail with {@code CANNOT_CONNECT}. If it drops tasks
   * silently, as a simulated crash does, streams stay open until {@link ServedEndpoint#abort}, a
   * deadline or a cancel, as with a peer that vanished.
   *
   * @param lane where the handler and the actions given to {@code onCancel} run
   * @throws IllegalStateException if the address is already served
   * @throws DynamoException of type {@code CLOSED} if this plane is closed
   */
  public ServedEndpoint serve(
      WorkerInstance instance, Scheduler lane, RequestHandler<Q, R> handler) {
    requireOpen();
    MemoryEndpoint<Q, R> endpoint =
        new MemoryEndpoint<>(this, ids.getAndIncrement(), instance, lane, handler);
    if (endpoints.putIfAbsent(instance.address(), endpoint) != null) {
      throw new IllegalStateException("address is already served: address=" + instance.address());
    }
    living.add(endpoint);
    if (closed) {
      endpoint.close();
      requireOpen();
    }
    return endpoint;
  }

  /** Returns how many streams have failed because their buffer was full. */
  public long overflowCount() {
    return overflows.get();
  }

  /** Fails open streams with {@code CLOSED} and ends served endpoints; idempotent. */
  @Override
  public void close() {
    closed = true;
    for (MemoryEndpoint<Q, R> endpoint : living) {
      endpoint.close();
      endpoint.breakStreams(ErrorType.CLOSED, "request plane closed", true);
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new DynamoException(ErrorType.CLOSED, "request plane is closed");
    }
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns the endpoint that answers for {@code target}, or null. */
  @Nullable MemoryEndpoint<Q, R> find(WorkerInstance target) {
    MemoryEndpoint<Q, R> endpoint = endpoints.get(target.address());
    return endpoint != null && endpoint.workerId() == target.workerId() ? endpoint : null;
  }

  void withdraw(Address address, MemoryEndpoint<Q, R> endpoint) {
    endpoints.remove(address, endpoint);
  }

  void forget(MemoryEndpoint<Q, R> endpoint) {
    living.remove(endpoint);
  }

  long nextId() {
    return ids.getAndIncrement();
  }

  int bufferCapacity() {
    return bufferCapacity;
  }

  boolean framesSurviveAbort() {
    return framesSurviveAbort.getAsBoolean();
  }

  void countOverflow() {
    overflows.incrementAndGet();
  }

  /** Builds an {@link InMemoryRequestPlane}. */
  public static final class Builder<Q, R> {
    private final Environment environment;
    private int bufferCapacity = DEFAULT_BUFFER_CAPACITY;
    private BooleanSupplier framesSurviveAbort = () -> false;

    private Builder(Environment environment) {
      this.environment = Objects.requireNonNull(environment, "environment");
    }

    /**
     * Bounds the items that wait for one subscriber.
     *
     * @throws IllegalArgumentException if the capacity is not positive
     */
    public Builder<Q, R> bufferCapacity(int items) {
      if (items < 1) {
        throw new IllegalArgumentException("bufferCapacity must be positive: items=" + items);
      }
      this.bufferCapacity = items;
      return this;
    }

    /**
     * Decides, once for each stream that {@link ServedEndpoint#abort} breaks, whether its frames
     * still arrive before the error, as a socket may or may not deliver what was in flight. By
     * default they are lost.
     *
     * @param choice called on the thread that aborts
     */
    public Builder<Q, R> framesSurviveAbort(BooleanSupplier choice) {
      this.framesSurviveAbort = Objects.requireNonNull(choice, "choice");
      return this;
    }

    public InMemoryRequestPlane<Q, R> build() {
      return new InMemoryRequestPlane<>(this);
    }
  }
}
