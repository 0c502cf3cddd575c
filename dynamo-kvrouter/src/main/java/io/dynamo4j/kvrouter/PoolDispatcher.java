// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerHealth;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Dispatches without looking at caches: round-robin, random or least-loaded over the ranks that may
 * take the request.
 *
 * <p>Pins, allow-lists, ranks that failed this request, drain marks and recent failures hold as
 * they do for a {@link KvRouter}; policies apply to what they leave, so that nothing concentrates
 * on the neighbour of a rank that is out. The choice is made when the stream is subscribed to, and
 * an attempt in flight is given back before the terminal signal or inside a cancel.
 *
 * <p>With round-robin and all ranks able, the i-th first attempt goes to rank i modulo their
 * number, counted from 0.
 *
 * <p><b>Threads.</b> Any.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public final class PoolDispatcher<Q, R> implements RequestDispatcher<Q, R> {
  private final WorkerPool pool;
  private final RequestPlane<Q, R> plane;
  private final RoutingAdapter<Q, R> adapter;
  private final Placer<Q> placer = this::place;

  private PoolDispatcher(WorkerPool pool, RequestPlane<Q, R> plane, RoutingAdapter<Q, R> adapter) {
    this.pool = pool;
    this.plane = plane;
    this.adapter = adapter;
  }

  /** Starts a dispatcher of this library's own request and response types. */
  public static Builder<PreprocessedRequest, LLMEngineOutput> builder() {
    return builder(RoutingAdapter.preprocessed());
  }

  /** Starts a dispatcher of a host's own types. */
  public static <Q, R> Builder<Q, R> builder(RoutingAdapter<Q, R> adapter) {
    return new Builder<>(adapter);
  }

  @Override
  public ResponseStream<R> dispatch(Q request, Attempt attempt) {
    return Dispatch.stream(placer, plane, adapter, request, attempt);
  }

  /** Returns the number of attempts in flight. */
  public int inFlightCount() {
    return pool.inFlightCount();
  }

  private Placement place(Q request, Attempt attempt) {
    return pool.place(
        new BookingKey(attempt.requestId(), attempt.number()),
        adapter.routing(request),
        attempt.excludedWorkers());
  }

  /** Builds a {@link PoolDispatcher}; policy, directory, plane and environment are required. */
  public static final class Builder<Q, R> {
    private final RoutingAdapter<Q, R> adapter;
    private @Nullable WorkerHealth health;
    private @Nullable LoadMonitor loadMonitor;
    private @Nullable PoolPolicy policy;
    private @Nullable WorkerDirectory directory;
    private @Nullable RequestPlane<Q, R> requestPlane;
    private @Nullable Environment environment;

    private Builder(RoutingAdapter<Q, R> adapter) {
      this.adapter = Objects.requireNonNull(adapter, "adapter");
    }

    public Builder<Q, R> policy(PoolPolicy policy) {
      this.policy = Objects.requireNonNull(policy, "policy");
      return this;
    }

    /** Sets who is registered. */
    public Builder<Q, R> directory(WorkerDirectory directory) {
      this.directory = Objects.requireNonNull(directory, "directory");
      return this;
    }

    /** Sets who failed just now or drains; default nobody. */
    public Builder<Q, R> health(WorkerHealth health) {
      this.health = Objects.requireNonNull(health, "health");
      return this;
    }

    /**
     * Sets who knows which workers are too busy; default nobody. This dispatcher books nothing, so
     * only what workers report counts.
     */
    public Builder<Q, R> loadMonitor(LoadMonitor monitor) {
      this.loadMonitor = Objects.requireNonNull(monitor, "monitor");
      return this;
    }

    /** Sets how requests reach workers; it stays the caller's. */
    public Builder<Q, R> requestPlane(RequestPlane<Q, R> requestPlane) {
      this.requestPlane = Objects.requireNonNull(requestPlane, "requestPlane");
      return this;
    }

    /** Sets where chance comes from. */
    public Builder<Q, R> environment(Environment environment) {
      this.environment = Objects.requireNonNull(environment, "environment");
      return this;
    }

    /**
     * Returns the dispatcher.
     *
     * @throws IllegalStateException if a required part is missing
     */
    public PoolDispatcher<Q, R> build() {
      RandomSource random = require(environment, "environment").random().split("pool-dispatcher");
      WorkerPool pool =
          new WorkerPool(
              require(policy, "policy"),
              require(directory, "directory"),
              health,
              loadMonitor,
              random);
      return new PoolDispatcher<>(pool, require(requestPlane, "request plane"), adapter);
    }

    private static <T> T require(@Nullable T part, String name) {
      if (part == null) {
        throw new IllegalStateException("dispatcher lacks a required part: missing=" + name);
      }
      return part;
    }
  }
}
