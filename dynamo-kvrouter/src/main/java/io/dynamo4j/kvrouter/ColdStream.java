// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.ResponseStream;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The cold side of an attempt: hands its first subscriber to whoever runs it, on the attempt's
 * lane.
 */
final class ColdStream<R> implements ResponseStream<R> {
  private final Scheduler lane;
  private final Consumer<Flow.Subscriber<? super R>> run;
  private final AtomicBoolean subscribed = new AtomicBoolean();

  ColdStream(Scheduler lane, Consumer<Flow.Subscriber<? super R>> run) {
    this.lane = lane;
    this.run = run;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super R> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    if (subscribed.compareAndSet(false, true)) {
      lane.execute(() -> run.accept(subscriber));
    } else {
      lane.execute(() -> refuse(subscriber));
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
