// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Dispatches an attempt in two legs by a {@link DisaggregatedRouter}: the prefill worker computes
 * the prompt and says what it hands over, the decode worker answers.
 *
 * <p>Both are chosen and booked before anything is sent. The prefill booking ends with its leg, the
 * decode booking with the attempt; a failure of either leg ends both. The attempt hears of both
 * workers, of each before it is sent to, and its stream opens with the decode leg, so that a
 * prefill that fails at any point fails the attempt as one that never began. What the prefill
 * worker generates is not passed on, unless it ends the answer.
 *
 * <p>Engines whose prefill worker is asked beside the decode worker, by a room that both are told
 * (SGLang's bootstrap), are not served.
 *
 * <p><b>Threads.</b> Any.
 *
 * @param <Q> request type
 * @param <R> response item type
 */
public final class DisaggregatedDispatcher<Q, R> implements RequestDispatcher<Q, R> {
  private final DisaggregatedRouter router;
  private final RequestPlane<Q, R> prefillPlane;
  private final RequestPlane<Q, R> decodePlane;
  private final RoutingAdapter<Q, R> adapter;
  private final PrefillHandoff<Q, R> handoff;

  private DisaggregatedDispatcher(
      Builder<Q, R> builder,
      DisaggregatedRouter router,
      RequestPlane<Q, R> prefillPlane,
      RequestPlane<Q, R> decodePlane) {
    this.router = router;
    this.prefillPlane = prefillPlane;
    this.decodePlane = decodePlane;
    this.adapter = builder.adapter;
    this.handoff = builder.handoff;
  }

  /** Starts a dispatcher of this library's own request and response types. */
  public static Builder<PreprocessedRequest, LLMEngineOutput> builder() {
    return builder(RoutingAdapter.preprocessed(), PrefillHandoff.preprocessed());
  }

  /** Starts a dispatcher of a host's own types. */
  public static <Q, R> Builder<Q, R> builder(
      RoutingAdapter<Q, R> adapter, PrefillHandoff<Q, R> handoff) {
    return new Builder<>(adapter, handoff);
  }

  @Override
  public ResponseStream<R> dispatch(Q request, Attempt attempt) {
    return new ColdStream<>(
        attempt.lane(),
        subscriber -> new DisaggregatedDispatch<>(this, request, attempt, subscriber).start());
  }

  DisaggregatedRouter router() {
    return router;
  }

  RoutingAdapter<Q, R> adapter() {
    return adapter;
  }

  PrefillHandoff<Q, R> handoff() {
    return handoff;
  }

  /** Returns the stream of the leg that computes the prompt. */
  ResponseStream<R> prefill(RequestLease lease, Q request, Attempt leg) {
    return leg(prefillPlane, new LeasePlacement(lease), request, leg);
  }

  /**
   * Returns the stream of the leg that answers.
   *
   * @param computes whether that worker computes the prompt as well
   */
  ResponseStream<R> decode(RequestLease lease, Q request, Attempt leg, boolean computes) {
    return leg(decodePlane, new LeasePlacement(lease, computes), request, leg);
  }

  private ResponseStream<R> leg(
      RequestPlane<Q, R> plane, LeasePlacement placement, Q request, Attempt leg) {
    return Dispatch.stream((same, attempt) -> placement, plane, adapter, request, leg);
  }

  /** Builds a {@link DisaggregatedDispatcher}; router and plane are required. */
  public static final class Builder<Q, R> {
    private final RoutingAdapter<Q, R> adapter;
    private final PrefillHandoff<Q, R> handoff;
    private @Nullable DisaggregatedRouter router;
    private @Nullable RequestPlane<Q, R> prefillPlane;
    private @Nullable RequestPlane<Q, R> decodePlane;

    private Builder(RoutingAdapter<Q, R> adapter, PrefillHandoff<Q, R> handoff) {
      this.adapter = Objects.requireNonNull(adapter, "adapter");
      this.handoff = Objects.requireNonNull(handoff, "handoff");
    }

    /** Sets who chooses. */
    public Builder<Q, R> router(DisaggregatedRouter router) {
      this.router = Objects.requireNonNull(router, "router");
      return this;
    }

    /** Sets how requests reach workers of either pool; it stays the caller's. */
    public Builder<Q, R> requestPlane(RequestPlane<Q, R> plane) {
      this.prefillPlane = Objects.requireNonNull(plane, "plane");
      this.decodePlane = plane;
      return this;
    }

    /** Sets how requests reach prefill workers, where that differs. */
    public Builder<Q, R> prefillPlane(RequestPlane<Q, R> plane) {
      this.prefillPlane = Objects.requireNonNull(plane, "plane");
      return this;
    }

    /**
     * Returns the dispatcher.
     *
     * @throws IllegalStateException if a required part is missing
     */
    public DisaggregatedDispatcher<Q, R> build() {
      if (router == null || prefillPlane == null || decodePlane == null) {
        throw new IllegalStateException(
            "dispatcher needs router and request plane: router="
                + (router == null ? "missing" : "set")
                + ", requestPlane="
                + (decodePlane == null ? "missing" : "set"));
      }
      return new DisaggregatedDispatcher<>(this, router, prefillPlane, decodePlane);
    }
  }
}
