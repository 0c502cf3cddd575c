// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.testkit.script.WorkerScript;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What Dynamo 1.6.1 gets wrong: rows M1 to M12, as far as they concern streams of tokens. */
class MigrationCorrectionsTest {
  private static final WorkerScript HEALTHY = WorkerScript.open().answer();
  private static final LLMEngineOutput USAGE =
      LLMEngineOutput.of(TokenSlice.empty()).withText("usage");

  private static PreprocessedRequest withTokens(long maxTokens) {
    return Rig.request()
        .stopConditions(StopConditions.builder().maxTokens(maxTokens).build())
        .build();
  }

  @ParameterizedTest
  @EnumSource(names = {"DISCONNECTED", "INTERNAL", "POOL_EXHAUSTED"})
  void m1ShouldCompleteWhenFinishedAnswerIsFollowedByFailure(ErrorType late) {
    for (long limit : new long[] {0, 3}) {
      Rig rig =
          Rig.withLimit(limit)
              .worker(1, WorkerScript.open().tokens(3).finish(FinishReason.STOP).fail(late))
              .worker(2, HEALTHY);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.isCompleted()).isTrue();
      assertThat(client.tokens()).containsExactly(Rig.answer(3));
      assertThat(client.finishReasons()).containsExactly(FinishReason.STOP);
      assertThat(rig.dispatches()).hasSize(1);
      assertThat(rig.ongoingRequests()).isZero();
    }
  }

  @Test
  void m1ShouldDropTokensAndSecondFinishWhenTheyFollowFinish() {
    Rig rig =
        Rig.withLimit(1)
            .worker(
                1,
                WorkerScript.open()
                    .tokens(2)
                    .finish(FinishReason.STOP)
                    .tokens(2)
                    .item(USAGE)
                    .finish(FinishReason.LENGTH)
                    .complete());

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.isCompleted()).isTrue();
    assertThat(client.tokens()).containsExactly(Rig.answer(2));
    assertThat(client.finishReasons()).containsExactly(FinishReason.STOP);
    assertThat(client.items()).contains(USAGE);
    assertThat(rig.migrator.stats().droppedSignals()).isEqualTo(3);
  }

  @Test
  void m1ShouldCompleteWhenStreamStaysOpenAfterFinish() {
    Rig rig = Rig.withLimit(1).worker(1, WorkerScript.open().tokens(2).finish(FinishReason.STOP));

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.isCompleted()).isTrue();
    assertThat(rig.simulation.nowNanos()).isEqualTo(Duration.ofSeconds(5).toNanos());
    assertThat(rig.dispatches().get(0).isCancelled()).isTrue();
  }

  @Test
  void m1ShouldCompleteWhenAllChoicesFinishedBeforeFailure() {
    WorkerScript script = WorkerScript.open();
    for (int choice = 0; choice < 2; choice++) {
      LLMEngineOutput last = LLMEngineOutput.last(TokenSlice.of(choice), FinishReason.STOP);
      script = script.item(last.withIndex(choice));
    }
    Rig rig = Rig.withLimit(1).worker(1, script.fail(ErrorType.DISCONNECTED));

    RecordingClient client =
        rig.run(Rig.request().samplingOptions(SamplingOptions.builder().n(2).build()).build());

    assertThat(client.isCompleted()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"DISCONNECTED", "INTERNAL"})
  void m2ShouldFinishWithLengthWhenBudgetIsSpentAndStreamFails(ErrorType late) {
    Rig rig =
        Rig.withLimit(3).worker(1, WorkerScript.open().tokens(4).fail(late)).worker(2, HEALTHY);

    RecordingClient client = rig.run(withTokens(4));

    assertThat(client.isCompleted()).isTrue();
    assertThat(client.tokens()).containsExactly(Rig.answer(4));
    assertThat(client.finishReasons()).containsExactly(FinishReason.LENGTH);
    assertThat(rig.dispatches()).hasSize(1);
  }

  @Test
  void m2ShouldHoldEndBackWhenClientHasAskedForNoMore() {
    Rig rig =
        Rig.withLimit(3).worker(1, WorkerScript.open().tokens(4).fail(ErrorType.DISCONNECTED));
    RecordingClient client = RecordingClient.requesting(4);

    rig.run(withTokens(4), client);
    assertThat(client.isEnded()).isFalse();
    client.request(1);
    rig.simulation.run();

    assertThat(client.isCompleted()).isTrue();
    assertThat(client.finishReasons()).containsExactly(FinishReason.LENGTH);
  }

  @Test
  void m2ShouldFinishWithLengthWhenWorkerHangsAfterLastAllowedToken() {
    Rig rig = Rig.withLimit(3).worker(1, WorkerScript.open().tokens(4)).worker(2, HEALTHY);

    RecordingClient client = rig.run(withTokens(4));

    assertThat(client.isCompleted()).isTrue();
    assertThat(client.finishReasons()).containsExactly(FinishReason.LENGTH);
    assertThat(rig.dispatches().get(0).isCancelled()).isTrue();
  }

  @Test
  void m2ShouldClipWhenWorkerOverruns() {
    for (WorkerScript script :
        List.of(
            WorkerScript.open().tokens(9),
            WorkerScript.open().chunk(9),
            WorkerScript.open().chunk(9, FinishReason.EOS).complete(),
            WorkerScript.open().chunk(3).chunk(3))) {
      Rig rig = Rig.withLimit(3).worker(1, script);

      RecordingClient client = rig.run(withTokens(4));

      assertThat(client.isCompleted()).as("%s", script).isTrue();
      assertThat(client.tokens()).containsExactly(Rig.answer(4));
      assertThat(client.finishReasons()).containsExactly(FinishReason.LENGTH);
    }
  }

  @Test
  void m2ShouldClipAgainstOriginalBudgetWhenReplacementOverruns() {
    Rig rig =
        Rig.withLimit(3)
            .worker(1, WorkerScript.open().tokens(3).fail(ErrorType.DISCONNECTED))
            .worker(2, WorkerScript.open().tokens(9));

    RecordingClient client = rig.run(withTokens(4));

    assertThat(client.tokens()).containsExactly(Rig.answer(4));
    assertThat(rig.dispatches().get(1).isCancelled()).isTrue();
  }

  @Test
  void m2ShouldKeepWorkersOwnFinishWhenItFollowsLastAllowedToken() {
    Rig rig =
        Rig.withLimit(0)
            .worker(1, WorkerScript.open().tokens(4).finish(FinishReason.EOS).complete());

    assertThat(rig.run(withTokens(4)).finishReasons()).containsExactly(FinishReason.EOS);
  }

  @Test
  void m2ShouldFinishWithStopWhenStopTokenWasDeliveredBeforeFailure() {
    int stop = Rig.answer(3)[2];
    Rig rig =
        Rig.withLimit(3)
            .worker(1, WorkerScript.open().tokens(3).fail(ErrorType.DISCONNECTED))
            .worker(2, HEALTHY);

    RecordingClient client =
        rig.run(
            Rig.request()
                .stopConditions(StopConditions.builder().stopTokenIds(List.of(stop)).build())
                .build());

    assertThat(client.isCompleted()).isTrue();
    assertThat(client.finishReasons()).containsExactly(FinishReason.STOP);
    assertThat(rig.dispatches()).hasSize(1);
  }

  @Test
  void m5ShouldExcludeFailedWorkerWhenItRaisesItsOwnDisconnect() {
    Rig rig =
        Rig.withLimit(3)
            .worker(1, WorkerScript.open().tokens(1).fail(ErrorType.BACKEND_DISCONNECTED))
            .worker(2, HEALTHY);

    rig.run(Rig.request().build());

    assertThat(rig.dispatchedWorkers()).containsExactly(1L, 2L);
  }

  @Test
  void m6ShouldAskOneWorkerWhenItRefusesABadRequest() {
    DynamoException refusal =
        new DynamoException(
            ErrorType.CANNOT_CONNECT,
            "worker failed before its stream opened",
            null,
            DynamoException.NO_ATTEMPT,
            new DynamoException(ErrorType.BACKEND_INVALID_ARGUMENT, "prompt is too long"));
    Rig rig = Rig.withLimit(3).worker(1, WorkerScript.start().fail(refusal)).worker(2, HEALTHY);

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(rig.dispatches()).hasSize(1);
    assertThat(client.failure().errorType()).isEqualTo(ErrorType.BACKEND_INVALID_ARGUMENT);
    assertThat(client.failure()).hasMessage("prompt is too long").hasCause(refusal);
  }

  @Test
  void m6ShouldTryAnotherWorkerWhenOneRefusesForUnknownReasons() {
    Rig rig =
        Rig.withLimit(1)
            .worker(1, WorkerScript.refuse(ErrorType.BACKEND_UNKNOWN))
            .worker(2, HEALTHY);

    assertThat(rig.run(Rig.request().build()).isCompleted()).isTrue();
    assertThat(rig.newRequests()).isEqualTo(1);
  }

  @Test
  void m6ShouldNotVetoNorReportCancellationWhenWorkerCancelsByItself() {
    Rig rig =
        Rig.withLimit(1)
            .worker(1, WorkerScript.open().tokens(2).fail(ErrorType.BACKEND_CANCELLED))
            .worker(2, WorkerScript.open().tokens(1).fail(ErrorType.BACKEND_CANCELLED));

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(rig.dispatches()).hasSize(2);
    assertThat(client.tokens()).containsExactly(Rig.answer(3));
    assertThat(client.failure().errorType()).isEqualTo(ErrorType.STREAM_INCOMPLETE);
    assertThat(client.causeType()).isEqualTo(ErrorType.BACKEND_CANCELLED);
  }

  @Test
  void m8ShouldMigrateWhenOnlyItemsWithoutTokensCome() {
    WorkerScript chatter = WorkerScript.open().tokens(2);
    for (int i = 0; i < 50; i++) {
      chatter = chatter.pauseNanos(Duration.ofMillis(100).toNanos()).item(USAGE);
    }
    Rig rig =
        Rig.of(Migrator.builder().limit(1).stallTimeout(Duration.ofSeconds(1)))
            .worker(1, chatter)
            .worker(2, HEALTHY);

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.isCompleted()).isTrue();
    assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
    MigrationEvent.StreamLost lost = rig.events(MigrationEvent.StreamLost.class).get(0);
    assertThat(lost.cause().errorType()).isEqualTo(ErrorType.RESPONSE_TIMEOUT);
    assertThat(rig.simulation.nowNanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
    assertThat(rig.dispatches().get(0).isCancelled()).isTrue();
  }

  @Test
  void m8ShouldEndWithExplicitErrorWhenStalledStreamIsTheLast() {
    Rig rig =
        Rig.of(Migrator.builder().stallTimeout(Duration.ofSeconds(1)))
            .worker(1, WorkerScript.open().tokens(1));

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.RESPONSE_TIMEOUT);
  }

  @Test
  void m9ShouldMigrateWhenStreamEndsWithoutFinishReason() {
    Rig rig =
        Rig.withLimit(1).worker(1, WorkerScript.open().tokens(3).complete()).worker(2, HEALTHY);

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
    assertThat(client.isCompleted()).isTrue();
  }

  @Test
  void m9ShouldFailWhenLastStreamEndsWithoutFinishReason() {
    for (WorkerScript script :
        List.of(WorkerScript.open().complete(), WorkerScript.open().tokens(3).complete())) {
      Rig rig = Rig.withLimit(0).worker(1, script);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.isCompleted()).isFalse();
      assertThat(client.failure().errorType()).isEqualTo(ErrorType.STREAM_INCOMPLETE);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"CANCELLED", "ERROR"})
  void m9ShouldMigrateOrFailWhenWorkerFinishesUnasked(FinishReason finish) {
    WorkerScript cut = WorkerScript.open().tokens(2).finish(finish).complete();
    Rig rig = Rig.withLimit(1).worker(1, cut).worker(2, HEALTHY);
    Rig last = Rig.withLimit(0).worker(1, cut);

    RecordingClient migrated = rig.run(Rig.request().build());
    RecordingClient failed = last.run(Rig.request().build());

    assertThat(migrated.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
    assertThat(migrated.finishReasons()).containsExactly(FinishReason.LENGTH);
    assertThat(failed.failure().errorType()).isEqualTo(ErrorType.STREAM_INCOMPLETE);
    assertThat(failed.finishReasons()).isEmpty();
  }

  @Test
  void m10ShouldKeepConnectRetriesWhenStateIsNotReplayable() {
    for (PreprocessedRequest request :
        List.of(
            MigrationRulesTest.StateThatTokensDoNotCarry.guided(),
            Rig.request()
                .samplingOptions(SamplingOptions.builder().n(1).guidedDecoding(Map.of()).build())
                .build())) {
      Rig rig =
          Rig.withLimit(3)
              .worker(1, WorkerScript.refuse(ErrorType.CANNOT_CONNECT))
              .worker(2, HEALTHY);

      RecordingClient client = rig.run(request);

      assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
      assertThat(rig.dispatches()).hasSize(2);
    }
  }

  @Test
  void m11ShouldReportEveryWorkerAskedWhenRequestEnds() {
    Rig rig =
        Rig.withLimit(3)
            .worker(1, WorkerScript.refuse(ErrorType.CANNOT_CONNECT))
            .worker(2, WorkerScript.open().tokens(1).fail(ErrorType.DISCONNECTED))
            .worker(3, HEALTHY);

    rig.run(Rig.request().build());

    assertThat(rig.events(MigrationEvent.Ended.class).get(0).workers())
        .containsExactly(WorkerWithDpRank.of(1), WorkerWithDpRank.of(2), WorkerWithDpRank.of(3));
    assertThat(rig.migrator.options().limit()).isEqualTo(3);
  }
}
