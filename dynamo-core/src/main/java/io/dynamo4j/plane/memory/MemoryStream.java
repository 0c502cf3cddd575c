// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.WorkerInstance;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;

/** The cold side of an exchange: turns the first subscriber into one. */
final class MemoryStream<Q, R> implements ResponseStream<R> {
  private final InMemoryRequestPlane<Q, R> plane;
  private final WorkerInstance target;
  private final Q request;
  private final Attempt attempt;
  private final AtomicBoolean subscribed = new AtomicBoolean();

  MemoryStream(
      InMemoryRequestPlane<Q, R> plane, WorkerInstance target, Q request, Attempt attempt) {
    this.plane = plane;
    this.target = Objects.requireNonNull(target, "target");
    this.request = Objects.requireNonNull(request, "request");
    this.attempt = Objects.requireNonNull(attempt, "attempt");
  }

  @Override
  public void subscribe(Flow.Subscriber<? super R> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    if (subscribed.compareAndSet(false, true)) {
      MemoryExchange<Q, R> exchange =
          new MemoryExchange<>(plane, target, request, attempt, subscriber);
      attempt.lane().execute(exchange::start);
    } else {
      attempt.lane().execute(() -> refuse(subscriber));
    }
  }

  private static void refuse(Flow.Subscriber<?> subscriber) {
    subscriber.onSubscribe(NoSubscription.INSTANCE);
    subscriber.onError(new IllegalStateException("stream takes one subscriber"));
  }

  /** What a refused subscriber gets: nothing to ask for, nothing to cancel. */
  private enum NoSubscription implements Flow.Subscription {
    INSTANCE;

    @Override
    public void request(long n) {}

    @Override
    public void cancel() {}
  }
}
