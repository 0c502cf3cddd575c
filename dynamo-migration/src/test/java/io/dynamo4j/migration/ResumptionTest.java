// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.WorkerHealth;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.script.ScriptedDispatcher;
import io.dynamo4j.testkit.script.TokenSource;
import io.dynamo4j.testkit.script.WorkerScript;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A grammar's state is not in the tokens, unless a worker declares that it runs it over them. */
class ResumptionTest {
  private static final String GUIDED = "guided_decoding";

  /** The grammar: one 0, then 1 2 3 in turn. */
  private static final int[] SENTENCE = {0, 1, 2, 3, 1, 2, 3, 1};

  /** An engine that advances its grammar over prompt tokens, or only over what it generates. */
  private static TokenSource engine(boolean runsGrammarOverPrompt) {
    return (prompt, generated) -> {
      int known = runsGrammarOverPrompt ? prompt.length() - Rig.PROMPT.length() : 0;
      int position = known + generated.length();
      return position == 0 ? 0 : 1 + (position - 1) % 3;
    };
  }

  private final Simulation simulation = Simulation.builder().build();
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private final WorkerHealth health = WorkerHealth.create(simulation.controller().clock());
  private final ScriptedDispatcher plain = ScriptedDispatcher.generating(engine(false));
  private final ScriptedDispatcher capable = ScriptedDispatcher.generating(engine(true));

  private void register(long workerId, String... resumes) {
    directory.register(
        WorkerInstance.builder(workerId, InMemoryRequestPlane.address("w" + workerId))
            .resumes(resumes)
            .build());
  }

  /** Asks the plain workers first, as any dispatcher would that knows nothing of grammars. */
  private RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher() {
    return (request, attempt) -> {
      boolean plainLeft =
          !attempt.excludedWorkers().contains(WorkerWithDpRank.of(1))
              || !attempt.excludedWorkers().contains(WorkerWithDpRank.of(2));
      return (plainLeft ? plain : capable).dispatch(request, attempt);
    };
  }

  private RecordingClient run(
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher,
      @Nullable InMemoryWorkerDirectory known) {
    TypedMigratorBuilder<PreprocessedRequest, LLMEngineOutput> builder =
        Migrator.builder()
            .limit(3)
            .adapter(ReplayAdapter.preprocessed())
            .dispatcher(dispatcher)
            .health(health)
            .environment(simulation.environment("gateway"));
    if (known != null) {
      builder.directory(known);
    }
    RecordingClient client = RecordingClient.unbounded();
    builder
        .build()
        .migrate(
            Rig.request()
                .samplingOptions(
                    SamplingOptions.builder().guidedDecoding(Map.of("grammar", "g")).build())
                .build())
        .subscribe(client);
    simulation.run();
    return client;
  }

  private void workers() {
    plain.worker(1, WorkerScript.open().tokens(3).fail(ErrorType.DISCONNECTED));
    plain.worker(2, WorkerScript.open().answer());
    capable.worker(3, WorkerScript.open().answer());
    register(1);
    register(2);
  }

  @Test
  void shouldContinueGuidedAnswerOnlyAtWorkerThatDeclaresIt() {
    workers();
    register(3, GUIDED);

    RecordingClient client = run(dispatcher(), directory);

    assertThat(client.isCompleted()).isTrue();
    assertThat(client.tokens()).containsExactly(SENTENCE);
    assertThat(plain.dispatches()).hasSize(1);
    assertThat(capable.dispatches()).hasSize(1);
  }

  @Test
  void shouldFailWithBreakWhenNobodyDeclaresIt() {
    workers();

    RecordingClient client = run(dispatcher(), directory);

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
    assertThat(client.tokens()).containsExactly(0, 1, 2);
    assertThat(plain.dispatches()).hasSize(1);
  }

  @Test
  void shouldFailWithBreakWhenDeclarationsAreNotKnown() {
    workers();
    register(3, GUIDED);

    RecordingClient client = run(dispatcher(), null);

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
    assertThat(plain.dispatches()).hasSize(1);
    assertThat(capable.dispatches()).isEmpty();
  }

  @Test
  void shouldNotTakeTokensOfWorkerThatCannotWhenDispatcherOverlooksIt() {
    workers();
    register(3, GUIDED);
    boolean[] overlooked = {false};
    RequestDispatcher<PreprocessedRequest, LLMEngineOutput> careless =
        (request, attempt) -> {
          if (attempt.number() == 1) {
            overlooked[0] = true;
            Set<WorkerWithDpRank> first = Collections.singleton(WorkerWithDpRank.of(1));
            return plain.dispatch(request, SignalFilter.copy(attempt, first, true));
          }
          return dispatcher().dispatch(request, attempt);
        };

    RecordingClient client = run(careless, directory);

    assertThat(overlooked).containsExactly(true);
    assertThat(client.tokens()).containsExactly(SENTENCE);
    assertThat(health.state(WorkerWithDpRank.of(2)))
        .as("not the worker's fault")
        .isEqualTo(WorkerHealth.State.AVAILABLE);
  }

  @Test
  void shouldBeginGuidedAnswerAnywhere() {
    plain.worker(1, WorkerScript.refuse(ErrorType.CANNOT_CONNECT));
    plain.worker(2, WorkerScript.open().answer());
    register(1);
    register(2);

    RecordingClient client = run(plain, directory);

    assertThat(client.tokens()).containsExactly(SENTENCE);
  }
}
