// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.testkit.script.ScriptedDispatcher;
import io.dynamo4j.testkit.script.WorkerScript;
import io.dynamo4j.testkit.simulation.Simulation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A host's adapter that throws ends its request with a typed error and lets the worker go. */
class AdapterFaultTest {

  /** Where the adapter throws. */
  enum Place {
    PROFILE,
    CONTINUATION,
    TOKENS,
    FINISH_REASON,
    FINISHED
  }

  @ParameterizedTest
  @EnumSource
  void shouldFailWithInternalWhenAdapterThrows(Place place) {
    Simulation simulation = Simulation.builder().build();
    ScriptedDispatcher workers =
        ScriptedDispatcher.create()
            .worker(
                1,
                WorkerScript.open()
                    .tokens(place == Place.FINISHED ? Rig.ANSWER : 2)
                    .fail(ErrorType.DISCONNECTED))
            .worker(2, WorkerScript.open().answer());
    RecordingClient client = RecordingClient.unbounded();
    Migrator<PreprocessedRequest, LLMEngineOutput> migrator =
        Migrator.builder()
            .limit(1)
            .adapter(new Throwing(place))
            .dispatcher(workers)
            .environment(simulation.environment("gateway"))
            .build();

    migrator.migrate(Rig.request().build()).subscribe(client);
    simulation.run();

    if (place == Place.CONTINUATION) {
      // The client hears of the stream that broke; what failed in repairing it is suppressed.
      assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
      assertThat(client.failure().getSuppressed()[0]).hasMessage("planted");
    } else {
      assertThat(client.failure().errorType()).isEqualTo(ErrorType.INTERNAL);
      assertThat(client.failure()).hasRootCauseMessage("planted");
    }
    assertThat(workers.dispatches())
        .allMatch(dispatch -> dispatch.isCancelled() || dispatch.isEnded());
  }

  private record Throwing(Place place)
      implements ReplayAdapter<PreprocessedRequest, LLMEngineOutput> {

    private ReplayAdapter<PreprocessedRequest, LLMEngineOutput> at(Place here) {
      if (here == place) {
        throw new IllegalStateException("planted");
      }
      return ReplayAdapter.preprocessed();
    }

    @Override
    public RequestProfile profile(PreprocessedRequest request) {
      return at(Place.PROFILE).profile(request);
    }

    @Override
    public PreprocessedRequest continuation(
        PreprocessedRequest request, TokenSlice allTokens, long delivered) {
      return at(Place.CONTINUATION).continuation(request, allTokens, delivered);
    }

    @Override
    public TokenSlice tokens(LLMEngineOutput item) {
      return at(Place.TOKENS).tokens(item);
    }

    @Override
    public @Nullable FinishReason finishReason(LLMEngineOutput item) {
      return at(Place.FINISH_REASON).finishReason(item);
    }

    @Override
    public LLMEngineOutput finished(@Nullable LLMEngineOutput item, int kept, FinishReason reason) {
      return at(Place.FINISHED).finished(item, kept, reason);
    }
  }
}
