// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.testkit.script.WorkerScript;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Items of a continuation count from the beginning of the answer. */
class ContinuedItemsTest {
  private static final TokenSlice NONE = TokenSlice.empty();

  private static LLMEngineOutput usage(long prompt, long completion, long cached) {
    return LLMEngineOutput.of(NONE).withUsage(new CompletionUsage(prompt, completion, cached));
  }

  private static List<CompletionUsage> usages(RecordingClient client) {
    List<CompletionUsage> usages = new ArrayList<>();
    for (LLMEngineOutput item : client.items()) {
      if (item.usage() != null) {
        usages.add(item.usage());
      }
    }
    return usages;
  }

  @Test
  void m4ShouldCountReplayedTokensAsAnswerWhenWorkersReportUsage() {
    Rig rig =
        Rig.withLimit(2)
            .worker(
                1,
                WorkerScript.open().tokens(2).item(usage(3, 2, 1)).fail(ErrorType.ENGINE_SHUTDOWN))
            .worker(
                2,
                WorkerScript.open().tokens(1).item(usage(5, 1, 4)).fail(ErrorType.ENGINE_SHUTDOWN))
            .worker(
                3,
                WorkerScript.open()
                    .tokens(5)
                    .item(usage(6, 5, 6))
                    .finish(FinishReason.LENGTH)
                    .complete());

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(usages(client))
        .containsExactly(
            new CompletionUsage(3, 2, 1),
            new CompletionUsage(3, 3, 3),
            new CompletionUsage(3, 8, 3));
  }

  @Test
  void shouldSumLogProbsOverAttempts() {
    Rig rig =
        Rig.withLimit(2)
            .worker(
                1,
                WorkerScript.open()
                    .item(token(7).withLogProbs(-1, -1))
                    .item(token(8).withLogProbs(-3, -2))
                    .fail(ErrorType.DISCONNECTED))
            .worker(
                2,
                WorkerScript.open()
                    .item(token(9).withLogProbs(-4, -4))
                    .fail(ErrorType.DISCONNECTED))
            .worker(
                3,
                WorkerScript.open()
                    .item(token(10).withLogProbs(-8, -8))
                    .finish(FinishReason.STOP)
                    .complete());

    RecordingClient client = rig.run(Rig.request().build());

    List<Double> sums = new ArrayList<>();
    List<Double> each = new ArrayList<>();
    for (LLMEngineOutput item : client.items()) {
      if (!item.tokenIds().isEmpty()) {
        sums.add(item.cumLogProbs());
        each.add(item.logProbs()[0]);
      }
    }
    assertThat(sums).containsExactly(-1.0, -3.0, -7.0, -15.0);
    assertThat(each).containsExactly(-1.0, -2.0, -4.0, -8.0);
  }

  @Test
  void shouldNotInventASumThatEarlierAttemptsDidNotTell() {
    Rig rig =
        Rig.withLimit(2)
            .worker(1, WorkerScript.open().tokens(1).fail(ErrorType.DISCONNECTED))
            .worker(
                2,
                WorkerScript.open()
                    .item(token(9).withLogProbs(-4, -4))
                    .finish(FinishReason.STOP)
                    .complete());

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.items().get(1).cumLogProbs()).isNaN();
    assertThat(client.items().get(1).logProbs()).containsExactly(-4);
  }

  @Test
  void m12ShouldNotContinueAPromptGivenAsEmbeddings() {
    Map<String, Object> extensions = new LinkedHashMap<>();
    extensions.put("prompt_embeds", "AAAA");
    PreprocessedRequest request = Rig.request().extensions(extensions).build();
    Rig late =
        Rig.withLimit(3)
            .worker(1, WorkerScript.open().tokens(2).fail(ErrorType.DISCONNECTED))
            .worker(2, WorkerScript.open().answer());
    Rig early =
        Rig.withLimit(3)
            .worker(1, WorkerScript.refuse(ErrorType.CANNOT_CONNECT))
            .worker(2, WorkerScript.open().answer());

    RecordingClient lost = late.run(request);
    RecordingClient served = early.run(request);

    assertThat(Objects.requireNonNull(lost.error())).isInstanceOf(MigrationException.class);
    assertThat(late.dispatches()).hasSize(1);
    assertThat(served.isCompleted()).isTrue();
  }

  @Test
  void shouldCarryWhatTheLibraryDoesNotReadToEveryAttempt() {
    Map<String, Object> extensions = new LinkedHashMap<>();
    extensions.put("output_options", Map.of("logprobs", 2));
    extensions.put("annotations", List.of("token_ids"));
    Rig rig =
        Rig.withLimit(3)
            .worker(1, WorkerScript.open().tokens(2).fail(ErrorType.DISCONNECTED))
            .worker(2, WorkerScript.open().answer());

    rig.run(Rig.request().extensions(extensions).build());

    assertThat(rig.dispatches()).hasSize(2);
    assertThat(rig.dispatches().get(1).request().extensions()).isEqualTo(extensions);
  }

  private static LLMEngineOutput token(int id) {
    return LLMEngineOutput.of(TokenSlice.of(id));
  }
}
