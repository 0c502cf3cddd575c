// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.testkit.script.ScriptedDispatcher;
import io.dynamo4j.testkit.script.WorkerScript;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A host's tokenizer that throws ends the stream with a typed error and lets the worker go. */
class TextFaultTest {
  private static final TokenSlice PROMPT = TokenSlice.of('p');

  /** Where the tokenizer throws. */
  enum Place {
    CREATE,
    APPEND,
    PENDING
  }

  private final Simulation simulation = Simulation.builder().build();
  private final Environment environment = simulation.environment("gateway");
  private final ScriptedDispatcher workers =
      ScriptedDispatcher.generating(
          (prompt, generated) -> 'a' + prompt.length() - PROMPT.length() + generated.length());

  private static PreprocessedRequest request() {
    return PreprocessedRequest.builder("r1", PROMPT)
        .stopConditions(StopConditions.builder().maxTokens(9).stop(List.of("cx")).build())
        .build();
  }

  private Migrator<PreprocessedRequest, LLMEngineOutput> migrator() {
    return Migrator.builder()
        .limit(2)
        .adapter(ReplayAdapter.preprocessed())
        .dispatcher(workers)
        .environment(environment)
        .build();
  }

  @ParameterizedTest
  @EnumSource
  void shouldFailWithInternalWhenTheOneDetokenizerThrows(Place place) {
    workers.worker(1, WorkerScript.open().tokens(3).answer());
    TextClient<LLMEngineOutput> client = TextClient.unbounded();

    TextStream.overTokens(new Throwing(place), environment)
        .over(migrator().migrate(request()), request())
        .subscribe(client);
    simulation.run();

    requireInternal(client.error);
    assertThat(workers.dispatches()).allMatch(each -> each.isCancelled() || each.isEnded());
  }

  @Test
  void shouldLetWithheldTextGoBeforeTheError() {
    workers.worker(1, WorkerScript.open().answer());
    TextClient<LLMEngineOutput> client = TextClient.unbounded();

    TextStream.overTokens(new Throwing(Place.APPEND), environment)
        .over(migrator().migrate(request()), request())
        .subscribe(client);
    simulation.run();

    assertThat(client.text()).isEqualTo("abc");
    requireInternal(client.error);
  }

  @Test
  void shouldFailWithInternalWhenUsageCannotBeRead() {
    workers.worker(1, WorkerScript.open().answer());
    TextClient<LLMEngineOutput> client = TextClient.unbounded();

    TextStream.overTokens(ReplayAdapter.preprocessed(), ByteTokens.detokenizers(), environment)
        .usage(
            item -> {
              throw new IllegalStateException("planted");
            })
        .over(migrator().migrate(request()), request())
        .subscribe(client);
    simulation.run();

    requireInternal(client.error);
  }

  @ParameterizedTest
  @EnumSource
  void shouldFailWithInternalWhenAnAttemptsDetokenizerThrows(Place place) {
    workers.worker(1, WorkerScript.open().answer()).worker(2, WorkerScript.open().answer());
    ReplayAdapter<PreprocessedRequest, LLMEngineOutput> tokens = ReplayAdapter.preprocessed();
    TextClient<TextItem<LLMEngineOutput>> client = TextClient.unbounded();

    TextStream.overText(tokens, environment)
        .over(
            Migrator.builder()
                .limit(2)
                .adapter(TextItem.adapter(tokens))
                .dispatcher(DetokenizingDispatcher.of(workers, tokens, new Throwing(place)))
                .environment(environment)
                .build()
                .migrate(request()),
            request())
        .subscribe(client);
    simulation.run();

    requireInternal(client.error);
    assertThat(workers.dispatches()).singleElement().matches(each -> each.isCancelled());
  }

  private static void requireInternal(@Nullable Throwable error) {
    assertThat(error)
        .isInstanceOfSatisfying(
            DynamoException.class,
            failure -> assertThat(failure.errorType()).isEqualTo(ErrorType.INTERNAL))
        .hasRootCauseMessage("planted");
  }

  /** Throws at one place: of tokens, at the fourth. */
  private record Throwing(Place place) implements IncrementalDetokenizer.Factory {

    @Override
    public IncrementalDetokenizer create(TokenSlice context) {
      if (place == Place.CREATE) {
        throw new IllegalStateException("planted");
      }
      IncrementalDetokenizer sound = ByteTokens.detokenizers().create(context);
      return new IncrementalDetokenizer() {
        @Override
        public String append(int token) {
          if (place == Place.APPEND && token == 'd') {
            throw new IllegalStateException("planted");
          }
          return sound.append(token);
        }

        @Override
        public String pending() {
          if (place == Place.PENDING) {
            throw new IllegalStateException("planted");
          }
          return sound.pending();
        }
      };
    }
  }
}
