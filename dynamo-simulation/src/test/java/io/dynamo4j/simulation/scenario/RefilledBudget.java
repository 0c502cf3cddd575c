// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.simulation.fleet.FleetSeams;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Flow;

/** Counts a request's attempts against its limit anew after each token: success refills. */
final class RefilledBudget {

  private RefilledBudget() {}

  static FleetSeams seams(long limit) {
    Map<String, Integer> sinceToken = new LinkedHashMap<>();
    return new FleetSeams() {
      @Override
      public RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher(
          RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher) {
        return (request, attempt) -> {
          if (sinceToken.merge(attempt.requestId(), 1, Integer::sum) > limit + 1) {
            return subscriber -> refuse(attempt, subscriber);
          }
          ResponseStream<LLMEngineOutput> stream = dispatcher.dispatch(request, attempt);
          return subscriber ->
              stream.subscribe(
                  new Relay(subscriber) {
                    @Override
                    public void onNext(LLMEngineOutput item) {
                      sinceToken.put(attempt.requestId(), 0);
                      super.onNext(item);
                    }
                  });
        };
      }
    };
  }

  /** A subscription to nothing. */
  private static final class Refused implements Flow.Subscription {
    @Override
    public void request(long items) {}

    @Override
    public void cancel() {}
  }

  private static void refuse(Attempt attempt, Flow.Subscriber<? super LLMEngineOutput> subscriber) {
    attempt
        .lane()
        .execute(
            () -> {
              subscriber.onSubscribe(new Refused());
              subscriber.onError(
                  new DynamoException(ErrorType.BACKEND_INVALID_ARGUMENT, "budget spent"));
            });
  }
}
