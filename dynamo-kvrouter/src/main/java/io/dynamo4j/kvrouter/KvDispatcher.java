// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.WorkerInstance;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Dispatches by a {@link KvRouter}: select and book, tell the attempt, send; the first token marks
 * the prefill completed, and the booking is freed before the terminal signal, inside a cancel, or
 * before the error of a worker that could not be reached.
 *
 * <p>All of it runs on the attempt's lane, when the stream is subscribed to. Where the router has a
 * queue the attempt may wait there first, no longer than its deadline; a cancel ends the wait. A
 * retry sees its own predecessor's booking gone.
 *
 * <p><b>Threads.</b> Any.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public final class KvDispatcher<Q, R> implements RequestDispatcher<Q, R> {
  private final KvRouter router;
  private final RequestPlane<Q, R> plane;
  private final RoutingAdapter<Q, R> adapter;
  private final Placer<Q> placer = new RouterPlacer();

  private KvDispatcher(KvRouter router, RequestPlane<Q, R> plane, RoutingAdapter<Q, R> adapter) {
    this.router = router;
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
    return new DispatchStream<>(placer, plane, adapter, request, attempt);
  }

  private SchedulingRequest scheduling(Q request, Attempt attempt) {
    return SchedulingRequest.builder(attempt.requestId(), adapter.tokenIds(request))
        .attempt(attempt.number())
        .routing(adapter.routing(request))
        .excludedWorkers(attempt.excludedWorkers())
        .configOverride(configOverride(request, attempt))
        .deadlineNanos(attempt.deadlineNanos())
        .build();
  }

  private RouterConfigOverride configOverride(Q request, Attempt attempt) {
    try {
      return adapter.configOverride(request);
    } catch (IllegalArgumentException outOfRange) {
      throw new DynamoException(
          ErrorType.INVALID_REQUEST,
          "override is invalid: request="
              + attempt.requestId()
              + ", fault="
              + outOfRange.getMessage(),
          null,
          attempt.number(),
          outOfRange);
    }
  }

  /** Chooses by the router, in its queue where it has one. */
  private final class RouterPlacer implements Placer<Q> {
    @Override
    public Placement place(Q request, Attempt attempt) {
      return new LeasePlacement(router.trySelect(scheduling(request, attempt)));
    }

    @Override
    public boolean waits() {
      return router.queues();
    }

    @Override
    public CompletionStage<Placement> placeLater(Q request, Attempt attempt) {
      return router.select(scheduling(request, attempt)).thenApply(LeasePlacement::new);
    }

    @Override
    public void giveUp(Attempt attempt) {
      router.cancel(new BookingKey(attempt.requestId(), attempt.number()));
    }
  }

  /** A booking as the stream sees it. */
  private record LeasePlacement(RequestLease lease) implements Placement {
    @Override
    public WorkerInstance instance() {
      return lease.instance();
    }

    @Override
    public WorkerWithDpRank worker() {
      return lease.worker();
    }

    @Override
    public void tokensArrived(int count) {
      lease.markPrefillCompleted();
      lease.addOutputTokens(count);
    }

    @Override
    public void cachedTokensReported(long tokens) {
      lease.reportCachedTokens(tokens);
    }

    @Override
    public void release() {
      lease.close();
    }
  }

  /** Builds a {@link KvDispatcher}; router and plane are required. */
  public static final class Builder<Q, R> {
    private final RoutingAdapter<Q, R> adapter;
    private @Nullable KvRouter router;
    private @Nullable RequestPlane<Q, R> requestPlane;

    private Builder(RoutingAdapter<Q, R> adapter) {
      this.adapter = Objects.requireNonNull(adapter, "adapter");
    }

    /** Sets who chooses. */
    public Builder<Q, R> router(KvRouter router) {
      this.router = Objects.requireNonNull(router, "router");
      return this;
    }

    /** Sets how requests reach workers; it stays the caller's. */
    public Builder<Q, R> requestPlane(RequestPlane<Q, R> requestPlane) {
      this.requestPlane = Objects.requireNonNull(requestPlane, "requestPlane");
      return this;
    }

    /**
     * Returns the dispatcher.
     *
     * @throws IllegalStateException if a required part is missing
     */
    public KvDispatcher<Q, R> build() {
      if (router == null || requestPlane == null) {
        throw new IllegalStateException(
            "dispatcher needs router and request plane: router="
                + (router == null ? "missing" : "set")
                + ", requestPlane="
                + (requestPlane == null ? "missing" : "set"));
      }
      return new KvDispatcher<>(router, requestPlane, adapter);
    }
  }
}
