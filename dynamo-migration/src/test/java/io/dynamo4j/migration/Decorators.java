// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import java.util.concurrent.Flow;

/** Wrappers of streams that tests look or interfere through. */
final class Decorators {

  private Decorators() {}

  /** Runs {@code action} whenever the stream ends or is cancelled, before that goes on. */
  static ResponseStream<LLMEngineOutput> onCancel(
      ResponseStream<LLMEngineOutput> stream, Runnable action) {
    return subscriber -> stream.subscribe(new Watching(subscriber, action, 0));
  }

  /** A subscriber that leaves at once. */
  static Flow.Subscriber<LLMEngineOutput> cancellingSubscriber() {
    return new Flow.Subscriber<>() {
      @Override
      public void onSubscribe(Flow.Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
        subscription.cancel();
      }

      @Override
      public void onNext(LLMEngineOutput item) {
        throw new AssertionError("item after cancel");
      }

      @Override
      public void onError(Throwable error) {
        throw new AssertionError("error after cancel", error);
      }

      @Override
      public void onComplete() {
        throw new AssertionError("completion after cancel");
      }
    };
  }

  /** A dispatcher that breaks its contract. */
  @SuppressWarnings("NullAway") // The broken contract is the point.
  static RequestDispatcher<PreprocessedRequest, LLMEngineOutput> returningNull() {
    return (request, attempt) -> null;
  }

  /** Streams that send everything as soon as anything is asked for. */
  static RequestDispatcher<PreprocessedRequest, LLMEngineOutput> ignoringDemand(
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> next) {
    return (request, attempt) -> {
      ResponseStream<LLMEngineOutput> stream = next.dispatch(request, attempt);
      return subscriber -> stream.subscribe(new Watching(subscriber, () -> {}, Long.MAX_VALUE));
    };
  }

  private record Watching(
      Flow.Subscriber<? super LLMEngineOutput> target, Runnable action, long extraDemand)
      implements Flow.Subscriber<LLMEngineOutput> {

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      target.onSubscribe(
          new Flow.Subscription() {
            @Override
            public void request(long n) {
              subscription.request(n + (extraDemand > 0 ? extraDemand - n : 0));
            }

            @Override
            public void cancel() {
              action.run();
              subscription.cancel();
            }
          });
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      target.onNext(item);
    }

    @Override
    public void onError(Throwable error) {
      action.run();
      target.onError(error);
    }

    @Override
    public void onComplete() {
      action.run();
      target.onComplete();
    }
  }
}
