// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
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
    return Dispatch.stream(placer, plane, adapter, request, attempt);
  }

  /** Chooses by the router, in its queue where it has one. */
  private final class RouterPlacer implements Placer<Q> {
    @Override
    public Placement place(Q request, Attempt attempt) {
      return new LeasePlacement(router.trySelect(Scheduling.of(adapter, request, attempt)));
    }

    @Override
    public boolean waits() {
      return router.queues();
    }

    @Override
    public CompletionStage<Placement> placeLater(Q request, Attempt attempt) {
      return router.select(Scheduling.of(adapter, request, attempt)).thenApply(LeasePlacement::new);
    }

    @Override
    public void giveUp(Attempt attempt) {
      router.cancel(new BookingKey(attempt.requestId(), attempt.number()));
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
     * @throws IllegalArgumentException if the router is configured for two pools
     */
    public KvDispatcher<Q, R> build() {
      if (router == null || requestPlane == null) {
        throw new IllegalStateException(
            "dispatcher needs router and request plane: router="
                + (router == null ? "missing" : "set")
                + ", requestPlane="
                + (requestPlane == null ? "missing" : "set"));
      }
      if (router.config().prefillBypass().applies()) {
        throw new IllegalArgumentException(
            "conditional_disagg_enabled goes with two pools and a DisaggregatedDispatcher:"
                + " conditional_disagg_enabled=true");
      }
      return new KvDispatcher<>(router, requestPlane, adapter);
    }
  }
}
