// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.fault;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.WorkerInstance;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;

/** A stream that never reaches its worker. */
final class RefusedStream<R> implements ResponseStream<R> {
  private final WorkerInstance target;
  private final Attempt attempt;
  private final StreamFault fault;
  private final AtomicBoolean subscribed = new AtomicBoolean();

  RefusedStream(WorkerInstance target, Attempt attempt, StreamFault fault) {
    this.target = target;
    this.attempt = attempt;
    this.fault = fault;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super R> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    Throwable error =
        subscribed.compareAndSet(false, true)
            ? InjectedError.of(fault.errorType(), "connection refused", target, attempt)
            : new IllegalStateException("stream has a subscriber already: " + attempt);
    AtomicBoolean cancelled = new AtomicBoolean();
    attempt
        .lane()
        .execute(
            () -> {
              subscriber.onSubscribe(new Refused(subscriber, attempt, cancelled));
              attempt
                  .lane()
                  .schedule(
                      () -> {
                        if (cancelled.compareAndSet(false, true)) {
                          subscriber.onError(error);
                        }
                      },
                      error instanceof DynamoException ? fault.latencyNanos() : 0);
            });
  }

  private record Refused(Flow.Subscriber<?> subscriber, Attempt attempt, AtomicBoolean cancelled)
      implements Flow.Subscription {

    @Override
    public void request(long n) {
      if (n <= 0 && cancelled.compareAndSet(false, true)) {
        IllegalArgumentException error =
            new IllegalArgumentException("demand must be positive: n=" + n);
        attempt.lane().execute(() -> subscriber.onError(error));
      }
    }

    @Override
    public void cancel() {
      cancelled.set(true);
    }
  }
}
