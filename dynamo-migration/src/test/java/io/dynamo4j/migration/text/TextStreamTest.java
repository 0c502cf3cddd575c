// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.MigrationException;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.testkit.script.ScriptedDispatcher;
import io.dynamo4j.testkit.script.WorkerScript;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class TextStreamTest {
  private static final TokenSlice PROMPT = TokenSlice.of('h', 'e', 'l', 'l', 'o');

  private final Simulation simulation = Simulation.builder().build();
  private final Environment environment = simulation.environment("gateway");
  private final ScriptedDispatcher workers =
      ScriptedDispatcher.generating(
          (prompt, generated) -> 'a' + prompt.length() - PROMPT.length() + generated.length());
  private final Migrator<PreprocessedRequest, LLMEngineOutput> migrator =
      Migrator.builder()
          .limit(3)
          .adapter(ReplayAdapter.preprocessed())
          .dispatcher(workers)
          .environment(environment)
          .build();

  private static PreprocessedRequest request(int maxTokens, String... stop) {
    return PreprocessedRequest.builder("r1", PROMPT)
        .stopConditions(StopConditions.builder().maxTokens(maxTokens).stop(List.of(stop)).build())
        .build();
  }

  private static PreprocessedRequest visible(PreprocessedRequest request) {
    return request.toBuilder()
        .samplingOptions(SamplingOptions.builder().includeStopInOutput(true).build())
        .build();
  }

  private TextClient<LLMEngineOutput> run(PreprocessedRequest request) {
    return run(TextClient.unbounded(), request, TextOptions.of(request));
  }

  private TextClient<LLMEngineOutput> run(
      TextClient<LLMEngineOutput> client, PreprocessedRequest request, TextOptions options) {
    TextStream.overTokens(ByteTokens.detokenizers(), environment)
        .over(migrator.migrate(request), options)
        .subscribe(client);
    simulation.run();
    return client;
  }

  @Test
  void m3ShouldFindAVisibleStopStringThatABreakCuts() {
    workers
        .worker(1, WorkerScript.open().tokens(3).fail(ErrorType.DISCONNECTED))
        .worker(2, WorkerScript.open().answer());

    TextClient<LLMEngineOutput> client = run(visible(request(8, "cd")));

    assertThat(client.text()).isEqualTo("abcd");
    assertThat(client.finishReasons()).containsExactly(FinishReason.STOP);
    assertThat(workers.dispatches().get(1).isCancelled()).isTrue();
  }

  @Test
  void m3ShouldFindAHiddenStopStringOverThreeAttemptsAndLeakNothing() {
    workers
        .worker(1, WorkerScript.open().tokens(2).fail(ErrorType.DISCONNECTED))
        .worker(2, WorkerScript.open().tokens(1).fail(ErrorType.DISCONNECTED))
        .worker(3, WorkerScript.open().answer());

    TextClient<LLMEngineOutput> client = run(request(8, "bcde"));

    assertThat(client.text()).isEqualTo("a");
    assertThat(client.completed).isTrue();
    assertThat(client.outputs.get(client.outputs.size() - 1).usage())
        .isEqualTo(CompletionUsage.of(5, 5));
  }

  @Test
  void m3ShouldNotDispatchAgainWhenTheAnswerHasStopped() {
    workers
        .worker(1, WorkerScript.open().tokens(4).fail(ErrorType.DISCONNECTED).ignoringCancel())
        .worker(2, WorkerScript.open().answer());

    TextClient<LLMEngineOutput> client = run(request(8, "bc"));

    assertThat(client.text()).isEqualTo("a");
    assertThat(workers.dispatches()).hasSize(1);
  }

  @Test
  void m11ShouldLetWithheldTextGoBeforeTheError() {
    workers.worker(1, WorkerScript.open().tokens(3).fail(ErrorType.BACKEND_UNKNOWN));

    TextClient<LLMEngineOutput> client = run(request(8, "cz"));

    assertThat(client.text()).isEqualTo("abc");
    assertThat(client.error).isInstanceOf(MigrationException.class);
    assertThat(client.finishReasons()).isEmpty();
    assertThat(client.outputs.get(3).item()).isNull();
  }

  @Test
  void m11ShouldKeepTheErrorBackUntilTheClientAsksForTheWithheldText() {
    workers.worker(1, WorkerScript.open().tokens(3).fail(ErrorType.BACKEND_UNKNOWN));
    PreprocessedRequest request = request(8, "cz");

    TextClient<LLMEngineOutput> client =
        run(TextClient.requesting(3), request, TextOptions.of(request));
    assertThat(client.text()).isEqualTo("ab");
    assertThat(client.error).isNull();

    Objects.requireNonNull(client.subscription).request(1);
    assertThat(client.text()).isEqualTo("ab");
    simulation.run();

    assertThat(client.text()).isEqualTo("abc");
    assertThat(client.error).isInstanceOf(MigrationException.class);
  }

  @Test
  void shouldSignalNothingWhenTheClientLeavesBeforeItAskedForTheWithheldText() {
    workers.worker(1, WorkerScript.open().tokens(3).fail(ErrorType.BACKEND_UNKNOWN));
    PreprocessedRequest request = request(8, "cz");
    TextClient<LLMEngineOutput> client =
        run(TextClient.requesting(3), request, TextOptions.of(request));

    Objects.requireNonNull(client.subscription).cancel();
    Objects.requireNonNull(client.subscription).request(1);
    simulation.run();

    assertThat(client.outputs).hasSize(3);
    assertThat(client.error).isNull();
  }

  @Test
  void shouldTellAClientThatAsksForNothingEvenAfterTheEnd() {
    workers.worker(1, WorkerScript.open().tokens(3).fail(ErrorType.BACKEND_UNKNOWN));
    PreprocessedRequest request = request(8, "cz");
    TextClient<LLMEngineOutput> client =
        run(TextClient.requesting(3), request, TextOptions.of(request));

    Objects.requireNonNull(client.subscription).request(0);
    simulation.run();

    assertThat(client.error).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldEndWithStopWhenAStreamEndsCleanlyWithTextWithheld() {
    ResponseStream<LLMEngineOutput> raw =
        subscriber ->
            environment
                .lanes()
                .lane("raw")
                .execute(
                    () -> {
                      subscriber.onSubscribe(new Ignored());
                      subscriber.onNext(LLMEngineOutput.of(TokenSlice.of('a', 'c')));
                      subscriber.onComplete();
                    });
    TextClient<LLMEngineOutput> client = TextClient.unbounded();

    TextStream.overTokens(ByteTokens.detokenizers(), environment)
        .over(raw, request(8, "cz"))
        .subscribe(client);
    simulation.run();

    assertThat(client.text()).isEqualTo("ac");
    assertThat(client.finishReasons()).containsExactly(FinishReason.STOP);
    assertThat(client.completed).isTrue();
  }

  private static final class Ignored implements Flow.Subscription {
    private boolean cancelled;

    @Override
    public void request(long n) {
      // The stream sends what it has anyway.
    }

    @Override
    public void cancel() {
      cancelled = true;
    }
  }

  @Test
  void shouldTellTheSameIdAndTimeThroughoutTheRoleOnceAndAnnotationsOnce() {
    workers
        .worker(
            1,
            WorkerScript.open().tokens(3).pauseNanos(5_000_000_000L).fail(ErrorType.DISCONNECTED))
        .worker(2, WorkerScript.open().answer());
    PreprocessedRequest request = request(6);

    TextClient<LLMEngineOutput> client =
        run(
            TextClient.unbounded(),
            request,
            TextOptions.of(request).toBuilder().annotation("token_ids", "[1]").build());

    assertThat(client.outputs).extracting(TextOutput::requestId).containsOnly("r1");
    assertThat(client.outputs.stream().map(TextOutput::created).distinct()).hasSize(1);
    assertThat(client.outputs.stream().filter(TextOutput::isFirst)).hasSize(1);
    assertThat(client.outputs.get(0).isFirst()).isTrue();
    assertThat(client.outputs.get(0).annotations()).isEqualTo(Map.of("token_ids", "[1]"));
    assertThat(client.outputs.stream().filter(each -> !each.annotations().isEmpty())).hasSize(1);
    assertThat(client.text()).isEqualTo("abcdef");
  }

  @Test
  void shouldKeepTheOrderOfChoicesAndEndEachByItself() {
    WorkerScript script = WorkerScript.open();
    for (char token : new char[] {'a', 'b', 'c'}) {
      for (int choice = 0; choice < 2; choice++) {
        script = script.item(LLMEngineOutput.of(TokenSlice.of(token + choice)).withIndex(choice));
      }
    }
    workers.worker(
        1,
        script
            .item(LLMEngineOutput.last(TokenSlice.empty(), FinishReason.LENGTH).withIndex(1))
            .complete());
    PreprocessedRequest request =
        request(8, "bc").toBuilder()
            .samplingOptions(SamplingOptions.builder().n(2).build())
            .build();

    TextClient<LLMEngineOutput> client = run(request);

    assertThat(client.text(0)).isEqualTo("a");
    assertThat(client.text(1)).isEmpty();
    assertThat(client.outputs).extracting(TextOutput::index).startsWith(0, 1, 0, 1);
    assertThat(client.outputs.stream().filter(TextOutput::isFirst)).hasSize(2);
    assertThat(client.finishReasons()).containsExactly(FinishReason.STOP, FinishReason.STOP);
    assertThat(client.completed).isTrue();
  }

  @Test
  void m4ShouldTellRightUsageInEveryOutput() {
    workers
        .worker(
            1,
            WorkerScript.open()
                .item(token('a').withUsage(new CompletionUsage(5, 1, 4)))
                .item(token('b').withUsage(new CompletionUsage(5, 2, 4)))
                .fail(ErrorType.DISCONNECTED))
        .worker(
            2,
            WorkerScript.open()
                .item(token('c').withUsage(new CompletionUsage(7, 1, 6)))
                .item(
                    LLMEngineOutput.last(TokenSlice.of('d'), FinishReason.LENGTH)
                        .withUsage(new CompletionUsage(7, 2, 6)))
                .complete());

    TextClient<LLMEngineOutput> client = run(request(8));

    assertThat(client.outputs)
        .extracting(TextOutput::usage)
        .containsExactly(
            new CompletionUsage(5, 1, 4),
            new CompletionUsage(5, 2, 4),
            new CompletionUsage(5, 3, 5),
            new CompletionUsage(5, 4, 5));
  }

  @Test
  void m4ShouldCountThePromptItselfWhenNoWorkerReports() {
    workers
        .worker(1, WorkerScript.open().tokens(3).fail(ErrorType.DISCONNECTED))
        .worker(2, WorkerScript.open().answer());

    TextClient<LLMEngineOutput> client = run(request(8));

    assertThat(client.outputs.get(client.outputs.size() - 1).usage())
        .isEqualTo(CompletionUsage.of(5, 8));
  }

  @Test
  void shouldPassLogProbsOnOnceForEachTokenAlsoOfWithheldText() {
    workers
        .worker(
            1,
            WorkerScript.open()
                .item(token('a').withLogProbs(-1, -1))
                .item(token('c').withLogProbs(-3, -2))
                .fail(ErrorType.DISCONNECTED))
        .worker(
            2,
            WorkerScript.open()
                .item(token('d').withLogProbs(-3, -3))
                .finish(FinishReason.LENGTH)
                .complete());

    TextClient<LLMEngineOutput> client = run(request(8, "cz"));

    assertThat(client.text()).isEqualTo("acd");
    assertThat(client.outputs.stream().flatMapToDouble(TextStreamTest::logProbs))
        .containsExactly(-1.0, -2.0, -3.0);
    assertThat(Objects.requireNonNull(client.outputs.get(2).item()).cumLogProbs()).isEqualTo(-6);
  }

  private static DoubleStream logProbs(TextOutput<LLMEngineOutput> output) {
    LLMEngineOutput item = output.item();
    return item == null ? DoubleStream.empty() : DoubleStream.of(item.logProbs());
  }

  @Test
  void shouldCancelTheStreamBelowWhenTheClientThrows() {
    Ignored below = new Ignored();
    ResponseStream<LLMEngineOutput> raw = subscriber -> send(subscriber, below);
    TextClient<LLMEngineOutput> client =
        TextClient.<LLMEngineOutput>unbounded()
            .onOutput(
                each -> {
                  throw new IllegalStateException("planted");
                });

    assertThatThrownBy(
            () ->
                TextStream.overTokens(ByteTokens.detokenizers(), environment)
                    .over(raw, request(8))
                    .subscribe(client))
        .hasMessage("planted");

    assertThat(below.cancelled).isTrue();
    assertThat(client.outputs).hasSize(1);
  }

  private static void send(
      Flow.Subscriber<? super LLMEngineOutput> subscriber, Flow.Subscription subscription) {
    subscriber.onSubscribe(subscription);
    subscriber.onNext(token('a'));
  }

  private static LLMEngineOutput token(int token) {
    return LLMEngineOutput.of(TokenSlice.of(token));
  }
}
