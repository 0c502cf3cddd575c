// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.simulation.fleet.FleetSeams;
import java.util.HashMap;
import java.util.Map;

/** The last frame of an attempt that failed comes once more, as the first of the next attempt. */
final class LateFrames {

  private LateFrames() {}

  static FleetSeams seams() {
    Map<String, LLMEngineOutput> lastFrames = new HashMap<>();
    return new FleetSeams() {
      @Override
      public RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher(
          RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher) {
        return (request, attempt) -> {
          ResponseStream<LLMEngineOutput> stream = dispatcher.dispatch(request, attempt);
          LLMEngineOutput late = lastFrames.remove(attempt.requestId());
          return subscriber ->
              stream.subscribe(
                  new Relay(subscriber) {
                    private boolean pending = late != null;

                    @Override
                    public void onNext(LLMEngineOutput item) {
                      if (pending && late != null) {
                        pending = false;
                        super.onNext(late);
                      }
                      lastFrames.put(attempt.requestId(), item);
                      super.onNext(item);
                    }
                  });
        };
      }
    };
  }
}
