// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.migration.RequestProfile;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.simulation.fleet.FleetSeams;
import org.jspecify.annotations.Nullable;

/** Sends a pinned request to any worker once its own has failed. */
final class DroppedPin implements FleetSeams {

  @Override
  public ReplayAdapter<PreprocessedRequest, LLMEngineOutput> adapter(
      ReplayAdapter<PreprocessedRequest, LLMEngineOutput> adapter) {
    return new Blind(adapter);
  }

  @Override
  public RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher(
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher) {
    return (request, attempt) ->
        dispatcher.dispatch(attempt.number() == 0 ? request : unpinned(request), attempt);
  }

  private static PreprocessedRequest unpinned(PreprocessedRequest request) {
    return request.toBuilder().routing(RoutingHints.builder().build()).build();
  }

  /** Sees no pin. */
  private record Blind(ReplayAdapter<PreprocessedRequest, LLMEngineOutput> right)
      implements ReplayAdapter<PreprocessedRequest, LLMEngineOutput> {

    @Override
    public RequestProfile profile(PreprocessedRequest request) {
      return right.profile(unpinned(request));
    }

    @Override
    public PreprocessedRequest continuation(
        PreprocessedRequest request, TokenSlice allTokens, long delivered) {
      return right.continuation(request, allTokens, delivered);
    }

    @Override
    public TokenSlice tokens(LLMEngineOutput item) {
      return right.tokens(item);
    }

    @Override
    public @Nullable FinishReason finishReason(LLMEngineOutput item) {
      return right.finishReason(item);
    }

    @Override
    public LLMEngineOutput finished(@Nullable LLMEngineOutput item, int kept, FinishReason reason) {
      return right.finished(item, kept, reason);
    }
  }
}
