// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseStream;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;

/** The cold side of a dispatch: turns its first subscriber into a {@link Dispatch}. */
final class DispatchStream<Q, R> implements ResponseStream<R> {
  private final Placer<Q> placer;
  private final RequestPlane<Q, R> plane;
  private final RoutingAdapter<Q, R> adapter;
  private final Q request;
  private final Attempt attempt;
  private final AtomicBoolean subscribed = new AtomicBoolean();

  DispatchStream(
      Placer<Q> placer,
      RequestPlane<Q, R> plane,
      RoutingAdapter<Q, R> adapter,
      Q request,
      Attempt attempt) {
    this.placer = placer;
    this.plane = plane;
    this.adapter = adapter;
    this.request = Objects.requireNonNull(request, "request");
    this.attempt = Objects.requireNonNull(attempt, "attempt");
  }

  @Override
  public void subscribe(Flow.Subscriber<? super R> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    if (subscribed.compareAndSet(false, true)) {
      attempt
          .lane()
          .execute(new Dispatch<>(placer, plane, adapter, request, attempt, subscriber)::start);
    } else {
      attempt.lane().execute(() -> refuse(subscriber));
    }
  }

  private static void refuse(Flow.Subscriber<?> subscriber) {
    subscriber.onSubscribe(NoSubscription.INSTANCE);
    subscriber.onError(new IllegalStateException("stream takes one subscriber"));
  }

  /** What a refused subscriber gets: nothing to ask for, nothing to cancel. */
  private static final class NoSubscription implements Flow.Subscription {
    static final NoSubscription INSTANCE = new NoSubscription();

    @Override
    public void request(long n) {
      // There is nothing to send.
    }

    @Override
    public void cancel() {
      // There is nothing to end.
    }
  }
}
