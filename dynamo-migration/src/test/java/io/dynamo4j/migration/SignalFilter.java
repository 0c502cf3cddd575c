// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.AttemptListener;
import io.dynamo4j.plane.ResponseStream;
import java.util.Set;
import java.util.concurrent.Flow;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;

/** Streams that change one kind of signal on its way. */
final class SignalFilter {

  private SignalFilter() {}

  static ResponseStream<LLMEngineOutput> items(
      ResponseStream<LLMEngineOutput> stream, UnaryOperator<LLMEngineOutput> change) {
    return subscriber ->
        stream.subscribe(
            new Filtered(subscriber) {
              @Override
              public void onNext(LLMEngineOutput item) {
                target.onNext(change.apply(item));
              }
            });
  }

  /** Changes each request of items; 0 drops it. */
  static ResponseStream<LLMEngineOutput> demand(
      ResponseStream<LLMEngineOutput> stream, LongUnaryOperator change) {
    return subscriber ->
        stream.subscribe(
            new Filtered(subscriber) {
              @Override
              void request(Flow.Subscription subscription, long n) {
                long changed = change.applyAsLong(n);
                if (changed > 0) {
                  subscription.request(changed);
                }
              }
            });
  }

  static ResponseStream<LLMEngineOutput> ignoringCancel(ResponseStream<LLMEngineOutput> stream) {
    return subscriber ->
        stream.subscribe(
            new Filtered(subscriber) {
              @Override
              void cancel(Flow.Subscription subscription) {}
            });
  }

  static ResponseStream<LLMEngineOutput> swallowingErrors(ResponseStream<LLMEngineOutput> stream) {
    return subscriber ->
        stream.subscribe(
            new Filtered(subscriber) {
              @Override
              public void onError(Throwable error) {}
            });
  }

  static ResponseStream<LLMEngineOutput> hidingErrors(ResponseStream<LLMEngineOutput> stream) {
    return subscriber ->
        stream.subscribe(
            new Filtered(subscriber) {
              @Override
              public void onError(Throwable error) {
                target.onComplete();
              }
            });
  }

  static ResponseStream<LLMEngineOutput> completingTwice(ResponseStream<LLMEngineOutput> stream) {
    return subscriber ->
        stream.subscribe(
            new Filtered(subscriber) {
              @Override
              public void onComplete() {
                target.onComplete();
                target.onComplete();
              }
            });
  }

  /** Copies an attempt under other exclusions, with or without news of the prologue. */
  static Attempt copy(Attempt attempt, Set<WorkerWithDpRank> excluded, boolean tellsOpening) {
    return copy(attempt, attempt.lane(), excluded, tellsOpening, false);
  }

  /** Copies an attempt whose stream seems open as soon as a worker is chosen. */
  static Attempt openingAtOnce(Attempt attempt) {
    return copy(attempt, attempt.lane(), attempt.excludedWorkers(), true, true);
  }

  /** Copies an attempt onto another view of its lane. */
  static Attempt onLane(Attempt attempt, Scheduler lane) {
    return copy(attempt, lane, attempt.excludedWorkers(), true, false);
  }

  private static Attempt copy(
      Attempt attempt,
      Scheduler lane,
      Set<WorkerWithDpRank> excluded,
      boolean tellsOpening,
      boolean opensAtOnce) {
    return Attempt.builder(attempt.requestId(), lane)
        .number(attempt.number())
        .excludedWorkers(excluded)
        .deadlineNanos(attempt.deadlineNanos())
        .listener(
            new AttemptListener() {
              @Override
              public void workerChosen(WorkerWithDpRank worker) {
                attempt.workerChosen(worker);
                if (opensAtOnce) {
                  attempt.streamOpened();
                }
              }

              @Override
              public void streamOpened() {
                if (tellsOpening) {
                  attempt.streamOpened();
                }
              }
            })
        .build();
  }

  /** Passes every signal on as it is. */
  static class Filtered implements Flow.Subscriber<LLMEngineOutput> {
    final Flow.Subscriber<? super LLMEngineOutput> target;

    Filtered(Flow.Subscriber<? super LLMEngineOutput> target) {
      this.target = target;
    }

    void request(Flow.Subscription subscription, long n) {
      subscription.request(n);
    }

    void cancel(Flow.Subscription subscription) {
      subscription.cancel();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      target.onSubscribe(
          new Flow.Subscription() {
            @Override
            public void request(long n) {
              Filtered.this.request(subscription, n);
            }

            @Override
            public void cancel() {
              Filtered.this.cancel(subscription);
            }
          });
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      target.onNext(item);
    }

    @Override
    public void onError(Throwable error) {
      target.onError(error);
    }

    @Override
    public void onComplete() {
      target.onComplete();
    }
  }
}
