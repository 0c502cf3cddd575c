// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.transport;

import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.ResponseStream;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * The cold side of an exchange: turns the first subscriber into one and refuses any other.
 *
 * <p><b>Threads.</b> Any.
 *
 * @param <R> response item type
 */
public final class ColdStream<R> implements ResponseStream<R> {
  private final Attempt attempt;
  private final Function<Flow.Subscriber<? super R>, StreamExchange<R>> exchanges;
  private final AtomicBoolean subscribed = new AtomicBoolean();

  private ColdStream(
      Attempt attempt, Function<Flow.Subscriber<? super R>, StreamExchange<R>> exchanges) {
    this.attempt = Objects.requireNonNull(attempt, "attempt");
    this.exchanges = Objects.requireNonNull(exchanges, "exchanges");
  }

  /**
   * Returns the stream of an attempt.
   *
   * @param exchanges makes the exchange of the one subscriber; called in {@code subscribe}
   */
  public static <R> ColdStream<R> of(
      Attempt attempt, Function<Flow.Subscriber<? super R>, StreamExchange<R>> exchanges) {
    return new ColdStream<>(attempt, exchanges);
  }

  @Override
  public void subscribe(Flow.Subscriber<? super R> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    if (subscribed.compareAndSet(false, true)) {
      StreamExchange<R> exchange = exchanges.apply(subscriber);
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
