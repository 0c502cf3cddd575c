// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.MigrationPhase;
import io.dynamo4j.migration.event.RecoveryOutcome;
import io.dynamo4j.testkit.script.ScriptedDispatch;
import io.dynamo4j.testkit.script.WorkerScript;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rules of Dynamo's migration operator, each a test. */
class MigrationRulesTest {
  private static final WorkerScript HEALTHY = WorkerScript.open().answer();

  private static WorkerScript breakAfter(int tokens) {
    return WorkerScript.open().tokens(tokens).fail(ErrorType.DISCONNECTED);
  }

  @Nested
  class Budget {

    @Test
    void shouldDispatchOnceWhenLimitIsZero() {
      Rig rig = Rig.withLimit(0).worker(1, breakAfter(3)).worker(2, HEALTHY);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(rig.dispatchedWorkers()).containsExactly(1L);
      assertThat(client.tokens()).containsExactly(Rig.answer(3));
      assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
      assertThat(rig.ongoingRequests()).isEqualTo(1);
      assertThat(rig.recoveries(MigrationPhase.ONGOING_REQUEST, RecoveryOutcome.FAILURE))
          .isEqualTo(1);
    }

    @Test
    void shouldCountNewRequestOnceWhenLimitIsZeroAndConnectFails() {
      Rig rig = Rig.withLimit(0).worker(1, WorkerScript.refuse(ErrorType.CANNOT_CONNECT));

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.failure().errorType()).isEqualTo(ErrorType.CANNOT_CONNECT);
      assertThat(rig.newRequests()).isEqualTo(1);
      assertThat(rig.recoveries(MigrationPhase.NEW_REQUEST, RecoveryOutcome.FAILURE)).isEqualTo(1);
    }

    @Test
    void shouldDispatchLimitPlusOneTimesWhenEveryConnectFails() {
      Rig rig = Rig.withLimit(3);
      for (int id = 1; id <= 9; id++) {
        rig.worker(id, WorkerScript.refuse(ErrorType.CANNOT_CONNECT));
      }

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(rig.dispatchedWorkers()).containsExactly(1L, 2L, 3L, 4L);
      assertThat(rig.newRequests()).isEqualTo(4);
      assertThat(rig.recoveries(MigrationPhase.NEW_REQUEST, RecoveryOutcome.FAILURE)).isEqualTo(1);
      assertThat(client.failure().worker()).isEqualTo(WorkerWithDpRank.of(4));
      assertThat(client.failure().attempt()).isEqualTo(3);
      assertThat(client.failure().attempts()).isEqualTo(4);
      assertThat(client.failure().getSuppressed()).hasSize(3);
    }

    @Test
    void shouldRecordSuccessesAndOneFailureWhenEveryStreamOpensAndBreaks() {
      Rig rig = Rig.withLimit(3);
      for (int id = 1; id <= 9; id++) {
        rig.worker(id, breakAfter(1));
      }

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(rig.dispatches()).hasSize(4);
      assertThat(client.tokens()).containsExactly(Rig.answer(4));
      assertThat(client.failure().tokensDelivered()).isEqualTo(4);
      assertThat(rig.ongoingRequests()).isEqualTo(4);
      assertThat(rig.recoveries(MigrationPhase.ONGOING_REQUEST, RecoveryOutcome.SUCCESS))
          .isEqualTo(3);
      assertThat(rig.recoveries(MigrationPhase.ONGOING_REQUEST, RecoveryOutcome.FAILURE))
          .isEqualTo(1);
    }

    @Test
    void shouldShareBudgetWhenConnectFailsAndThenStreamBreaks() {
      Rig rig =
          Rig.withLimit(1)
              .worker(1, WorkerScript.refuse(ErrorType.CANNOT_CONNECT))
              .worker(2, breakAfter(2))
              .worker(3, HEALTHY);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(rig.dispatchedWorkers()).containsExactly(1L, 2L);
      assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
      assertThat(rig.newRequests()).isEqualTo(1);
      assertThat(rig.ongoingRequests()).isEqualTo(1);
    }

    @Test
    void shouldGiveStreamErrorWhenStreamBreaksAndThenConnectsFail() {
      Rig rig = Rig.withLimit(3).worker(1, breakAfter(2));
      for (int id = 2; id <= 9; id++) {
        rig.worker(id, WorkerScript.refuse(ErrorType.CANNOT_CONNECT));
      }

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
      assertThat(client.failure().worker()).isEqualTo(WorkerWithDpRank.of(1));
      assertThat(client.failure().getCause()).isInstanceOf(DynamoException.class);
      assertThat(client.failure().getSuppressed()).hasSize(3);
      assertThat(rig.ongoingRequests()).isEqualTo(1);
      assertThat(rig.newRequests()).isEqualTo(3);
      assertThat(rig.recoveries(MigrationPhase.ONGOING_REQUEST, RecoveryOutcome.FAILURE))
          .isEqualTo(1);
      assertThat(rig.recoveries(MigrationPhase.NEW_REQUEST, RecoveryOutcome.FAILURE)).isZero();
    }

    @Test
    void shouldNotOverflowWhenLimitIsGreatest() {
      Rig rig =
          Rig.withLimit(MigrationOptions.MAX_UNSIGNED_INT)
              .worker(1, breakAfter(2))
              .worker(2, HEALTHY);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
      assertThat(rig.dispatches()).hasSize(2);
    }

    @Test
    void shouldStayStackSafeWhenThousandsOfAttemptsFail() {
      int[] refused = {0};
      Rig failing =
          Rig.of(
              Migrator.builder().limit(20_000),
              next ->
                  (request, attempt) -> {
                    refused[0]++;
                    throw new DynamoException(ErrorType.CANNOT_CONNECT, "refused");
                  });

      RecordingClient client = failing.run(Rig.request().build());

      assertThat(refused[0]).isEqualTo(20_001);
      assertThat(client.failure().attempts()).isEqualTo(20_001);
      assertThat(client.failure().getSuppressed()).hasSizeLessThan(10);
    }

    @Test
    void shouldObeyRequestsOwnLimitWhenItBringsOne() {
      Rig rig =
          Rig.withLimit(3).worker(1, breakAfter(2)).worker(2, breakAfter(2)).worker(3, HEALTHY);
      MigrationOptions none = rig.migrator.options().toBuilder().limit(0).build();
      MigrationOptions one = rig.migrator.options().toBuilder().limit(1).build();

      RecordingClient refused = rig.run(Rig.request().build(), none);
      assertThat(rig.dispatches()).hasSize(1);
      RecordingClient once = rig.run(Rig.request().build(), one);

      assertThat(refused.failure().attempts()).isEqualTo(1);
      assertThat(once.failure().attempts()).isEqualTo(2);
    }
  }

  @Nested
  class Continuation {

    @Test
    void shouldAppendDeliveredTokensAndRebaseBudgetsWhenStreamBreaks() {
      Rig rig = Rig.withLimit(1).worker(1, breakAfter(3)).worker(2, HEALTHY);
      PreprocessedRequest request =
          Rig.request()
              .stopConditions(
                  StopConditions.builder()
                      .maxTokens(Rig.ANSWER)
                      .minTokens(5)
                      .stop(List.of("END"))
                      .build())
              .samplingOptions(SamplingOptions.builder().seed(7).temperature(0.5).build())
              .build();

      RecordingClient client = rig.run(request);

      PreprocessedRequest second = rig.dispatches().get(1).request();
      assertThat(second.tokenIds().toArray())
          .startsWith(11, 12, 13)
          .endsWith(Rig.answer(3))
          .hasSize(6);
      assertThat(second.stopConditions().maxTokens()).isEqualTo(5);
      assertThat(second.stopConditions().minTokens()).isEqualTo(2);
      assertThat(second.stopConditions().stop()).containsExactly("END");
      assertThat(second.samplingOptions()).isSameAs(request.samplingOptions());
      assertThat(second.requestId()).isEqualTo("r1");
      assertThat(request.tokenIds().length()).isEqualTo(3);
      assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
      assertThat(client.finishReasons()).containsExactly(FinishReason.LENGTH);
    }

    @Test
    void shouldRebaseAgainstOriginalWhenStreamBreaksTwice() {
      Rig rig =
          Rig.withLimit(2).worker(1, breakAfter(3)).worker(2, breakAfter(2)).worker(3, HEALTHY);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(rig.dispatches().get(2).request().stopConditions().maxTokens()).isEqualTo(3);
      assertThat(rig.dispatches().get(2).request().tokenIds().length()).isEqualTo(8);
      assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
    }

    @Test
    void shouldFloorMinTokensAtZeroWhenMoreWereDelivered() {
      Rig rig = Rig.withLimit(1).worker(1, breakAfter(3)).worker(2, HEALTHY);

      rig.run(
          Rig.request()
              .stopConditions(StopConditions.builder().maxTokens(8).minTokens(2).build())
              .build());

      assertThat(rig.dispatches().get(1).request().stopConditions().minTokens()).isZero();
    }

    @Test
    void shouldKeepBudgetAbsentWhenRequestSetsNone() {
      Rig rig = Rig.withLimit(1).worker(1, breakAfter(3)).worker(2, HEALTHY);

      rig.run(Rig.request().stopConditions(StopConditions.ofDefaults()).build());

      assertThat(rig.dispatches().get(1).request().stopConditions().maxTokens())
          .isEqualTo(StopConditions.UNSET);
    }

    @Test
    void shouldSendOriginalRequestWhenNothingWasDelivered() {
      Rig rig = Rig.withLimit(1).worker(1, breakAfter(0)).worker(2, HEALTHY);
      PreprocessedRequest request = Rig.request().build();

      rig.run(request);

      assertThat(rig.dispatches().get(1).request()).isSameAs(request);
    }

    @Test
    void shouldExcludeEveryWorkerThatFailedWhenRetrying() {
      Rig rig =
          Rig.withLimit(3)
              .worker(1, WorkerScript.refuse(ErrorType.WORKER_OVERLOADED))
              .worker(2, breakAfter(1))
              .worker(3, HEALTHY);

      rig.run(Rig.request().build());

      List<ScriptedDispatch> dispatches = rig.dispatches();
      assertThat(dispatches.get(0).attempt().excludedWorkers()).isEmpty();
      assertThat(dispatches.get(1).attempt().excludedWorkers())
          .containsExactly(WorkerWithDpRank.of(1));
      assertThat(dispatches.get(2).attempt().excludedWorkers())
          .containsExactly(WorkerWithDpRank.of(1), WorkerWithDpRank.of(2));
      assertThat(dispatches).extracting(d -> d.attempt().number()).containsExactly(0, 1, 2);
    }

    @Test
    void shouldPassItemsWithoutTokensWhenTheyCome() {
      Rig rig =
          Rig.withLimit(1)
              .worker(
                  1,
                  WorkerScript.open()
                      .tokens(1)
                      .item(LLMEngineOutput.of(TokenSlice.empty()).withText("note"))
                      .fail(ErrorType.DISCONNECTED))
              .worker(2, HEALTHY);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.items()).extracting(LLMEngineOutput::text).contains("note");
      assertThat(rig.dispatches().get(1).request().tokenIds().length()).isEqualTo(4);
    }
  }

  @Nested
  class Phases {

    @Test
    void shouldCountOngoingWhenStreamBreaksAfterPrologueBeforeFirstToken() {
      Rig rig = Rig.withLimit(1).worker(1, breakAfter(0)).worker(2, HEALTHY);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
      assertThat(rig.ongoingRequests()).isEqualTo(1);
      assertThat(rig.newRequests()).isZero();
    }

    @Test
    void shouldCountNewWhenStreamFailsBeforePrologue() {
      Rig rig =
          Rig.withLimit(1)
              .worker(1, WorkerScript.refuse(ErrorType.DISCONNECTED))
              .worker(2, HEALTHY);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
      assertThat(rig.newRequests()).isEqualTo(1);
      assertThat(rig.recoveries(MigrationPhase.NEW_REQUEST, RecoveryOutcome.SUCCESS)).isEqualTo(1);
    }

    @Test
    void shouldNotCountNorRetryWhenNoWorkerIsLeft() {
      Rig rig = Rig.withLimit(3).worker(1, WorkerScript.refuse(ErrorType.CANNOT_CONNECT));

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.failure().errorType()).isEqualTo(ErrorType.UNAVAILABLE);
      assertThat(client.failure().getSuppressed()).hasSize(1);
      assertThat(rig.newRequests()).isEqualTo(1);
    }
  }

  @Nested
  class SequenceCap {
    private final WorkerScript threeTokens = breakAfter(3);

    @Test
    void shouldMigrateWhenSequenceIsAsLongAsCap() {
      Rig rig =
          Rig.of(Migrator.builder().limit(1).maxSeqLen(6))
              .worker(1, threeTokens)
              .worker(2, WorkerScript.open().tokens(1).finish(FinishReason.STOP).complete());

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.isCompleted()).isTrue();
      assertThat(rig.dispatches()).hasSize(2);
    }

    @Test
    void shouldNotMigrateWhenSequenceIsLongerThanCap() {
      Rig rig =
          Rig.of(Migrator.builder().limit(1).maxSeqLen(5))
              .worker(1, threeTokens)
              .worker(2, HEALTHY);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(rig.dispatches()).hasSize(1);
      assertThat(client.tokens()).containsExactly(Rig.answer(3));
      assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
      assertThat(rig.migrator.stats().maxSeqLenExceeded()).isEqualTo(1);
      assertThat(rig.ongoingRequests()).isEqualTo(1);
    }

    @Test
    void shouldDeliverWholeChunkWhenItCrossesCap() {
      Rig rig =
          Rig.of(Migrator.builder().limit(1).maxSeqLen(5))
              .worker(1, WorkerScript.open().chunk(4).fail(ErrorType.DISCONNECTED))
              .worker(2, HEALTHY);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.tokens()).containsExactly(Rig.answer(4));
      assertThat(rig.dispatches()).hasSize(1);
    }

    @Test
    void shouldCountOnceWhenCapIsPassedWithoutFailure() {
      Rig rig = Rig.of(Migrator.builder().limit(1).maxSeqLen(5)).worker(1, HEALTHY);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.isCompleted()).isTrue();
      assertThat(rig.migrator.stats().maxSeqLenExceeded()).isEqualTo(1);
    }

    @Test
    void shouldNotCountGrowthWhenLimitIsZero() {
      Rig rig = Rig.of(Migrator.builder().limit(0).maxSeqLen(5)).worker(1, HEALTHY);

      rig.run(Rig.request().build());

      assertThat(rig.migrator.stats().maxSeqLenExceeded()).isZero();
    }

    @Test
    void shouldCountPromptWhenLimitIsZero() {
      Rig rig = Rig.of(Migrator.builder().limit(0).maxSeqLen(2)).worker(1, HEALTHY);

      rig.run(Rig.request().build());

      assertThat(rig.migrator.stats().maxSeqLenExceeded()).isEqualTo(1);
    }

    @Test
    void shouldKeepConnectRetriesWhenPromptIsLongerThanCap() {
      Rig rig =
          Rig.of(Migrator.builder().limit(2).maxSeqLen(2))
              .worker(1, WorkerScript.refuse(ErrorType.CANNOT_CONNECT))
              .worker(2, HEALTHY);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
      assertThat(rig.migrator.stats().maxSeqLenExceeded()).isEqualTo(1);
    }

    @Test
    void shouldNotMigrateFromPrologueOnWhenPromptIsLongerThanCap() {
      Rig rig =
          Rig.of(Migrator.builder().limit(2).maxSeqLen(2))
              .worker(1, breakAfter(0))
              .worker(2, HEALTHY);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
      assertThat(rig.dispatches()).hasSize(1);
      assertThat(rig.ongoingRequests()).isEqualTo(1);
    }
  }

  @Nested
  class Errors {

    @ParameterizedTest
    @EnumSource(
        names = {
          "CANNOT_CONNECT",
          "DISCONNECTED",
          "CONNECTION_TIMEOUT",
          "BACKEND_CANNOT_CONNECT",
          "BACKEND_DISCONNECTED",
          "BACKEND_CONNECTION_TIMEOUT",
          "RESPONSE_TIMEOUT",
          "ENGINE_SHUTDOWN",
          "STREAM_INCOMPLETE",
          "WORKER_UNAVAILABLE",
          "WORKER_OVERLOADED",
          "BACKEND_CANCELLED",
          "CANCELLED"
        })
    void shouldMigrateWhenTypeIsEligible(ErrorType type) {
      for (WorkerScript failing :
          List.of(WorkerScript.refuse(type), WorkerScript.open().tokens(2).fail(type))) {
        Rig rig = Rig.withLimit(1).worker(1, failing).worker(2, HEALTHY);

        RecordingClient client = rig.run(Rig.request().build());

        assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
      }
    }

    @ParameterizedTest
    @EnumSource(
        names = {
          "BACKEND_INVALID_ARGUMENT",
          "INVALID_REQUEST",
          "BACKEND_PROTOCOL",
          "UNAVAILABLE",
          "CAPACITY_EXHAUSTED",
          "POOL_EXHAUSTED",
          "DEADLINE_EXCEEDED",
          "DUPLICATE_REQUEST",
          "BUFFER_OVERFLOW",
          "CLOSED",
          "INTERNAL"
        })
    void shouldFailAtOnceWithItsTypeWhenTypeIsNotEligible(ErrorType type) {
      for (WorkerScript failing :
          List.of(WorkerScript.refuse(type), WorkerScript.open().tokens(2).fail(type))) {
        Rig rig = Rig.withLimit(3).worker(1, failing).worker(2, HEALTHY);

        RecordingClient client = rig.run(Rig.request().build());

        assertThat(rig.dispatches()).hasSize(1);
        assertThat(client.failure().errorType()).isEqualTo(type);
        assertThat(client.failure().worker()).isEqualTo(WorkerWithDpRank.of(1));
        assertThat(client.failure().attempt()).isZero();
        assertThat(rig.newRequests() + rig.ongoingRequests()).isZero();
      }
    }

    @Test
    void shouldFailWithInternalWhenErrorIsUntyped() {
      Rig rig =
          Rig.withLimit(3)
              .worker(1, WorkerScript.open().tokens(2).fail(new IllegalStateException("bug")))
              .worker(2, HEALTHY);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.failure().errorType()).isEqualTo(ErrorType.INTERNAL);
      assertThat(client.failure()).hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldMigrateWhenEligibleCauseIsUnderUntypedWrapper() {
      Throwable wrapped =
          new IllegalStateException(
              "outer", new DynamoException(ErrorType.ENGINE_SHUTDOWN, "inner"));
      Rig rig =
          Rig.withLimit(1)
              .worker(1, WorkerScript.open().tokens(2).fail(wrapped))
              .worker(2, HEALTHY);

      assertThat(rig.run(Rig.request().build()).isCompleted()).isTrue();
    }

    @Test
    void shouldFailWithVetoWhenItIsUnderEligibleWrapper() {
      Throwable wrapped =
          new DynamoException(
              ErrorType.CANNOT_CONNECT,
              "outer",
              null,
              DynamoException.NO_ATTEMPT,
              new DynamoException(ErrorType.POOL_EXHAUSTED, "inner"));
      Rig rig = Rig.withLimit(1).worker(1, WorkerScript.start().fail(wrapped)).worker(2, HEALTHY);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.failure().errorType()).isEqualTo(ErrorType.POOL_EXHAUSTED);
      assertThat(rig.dispatches()).hasSize(1);
    }

    @Test
    void shouldObeyHostsTableWhenItReplacesARow() {
      MigrationPolicy policy =
          MigrationPolicy.ofDefaults().toBuilder()
              .set(ErrorType.DISCONNECTED, Verdict.NEUTRAL)
              .set(ErrorType.BACKEND_PROTOCOL, Verdict.MIGRATES)
              .build();
      Rig rig =
          Rig.of(Migrator.builder().limit(3).policy(policy))
              .worker(1, WorkerScript.open().tokens(1).fail(ErrorType.BACKEND_PROTOCOL))
              .worker(2, breakAfter(1))
              .worker(3, HEALTHY);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.tokens()).containsExactly(Rig.answer(2));
      assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
      assertThat(client.failure().worker()).isEqualTo(WorkerWithDpRank.of(2));
    }
  }

  @Nested
  class Pins {

    @Test
    void shouldFailUncountedWhenPinnedWorkerFails() {
      for (WorkerScript failing :
          List.of(WorkerScript.refuse(ErrorType.CANNOT_CONNECT), breakAfter(2))) {
        Rig rig = Rig.withLimit(3).worker(1, failing).worker(2, HEALTHY);
        RoutingHints pin = RoutingHints.builder().pinnedWorker(WorkerWithDpRank.of(1)).build();

        RecordingClient client = rig.run(Rig.request().routing(pin).build());

        assertThat(rig.dispatches()).hasSize(1);
        assertThat(client.failure().worker()).isEqualTo(WorkerWithDpRank.of(1));
        assertThat(rig.newRequests() + rig.ongoingRequests()).isZero();
        for (MigrationPhase phase : MigrationPhase.values()) {
          for (RecoveryOutcome outcome : RecoveryOutcome.values()) {
            assertThat(rig.recoveries(phase, outcome)).isZero();
          }
        }
      }
    }
  }

  @Nested
  class StateThatTokensDoNotCarry {

    @Test
    void shouldFailWhenGuidedStreamBreaks() {
      Rig rig = Rig.withLimit(3).worker(1, breakAfter(3)).worker(2, HEALTHY);

      RecordingClient client = rig.run(guided());

      assertThat(client.tokens()).containsExactly(Rig.answer(3));
      assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
      assertThat(rig.dispatches()).hasSize(1);
    }

    @Test
    void shouldFailWhenStreamOfSeveralChoicesBreaks() {
      Rig rig = Rig.withLimit(3).worker(1, breakAfter(3)).worker(2, HEALTHY);

      RecordingClient client =
          rig.run(Rig.request().samplingOptions(SamplingOptions.builder().n(2).build()).build());

      assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
      assertThat(rig.dispatches()).hasSize(1);
    }

    static PreprocessedRequest guided() {
      return Rig.request()
          .samplingOptions(SamplingOptions.builder().guidedDecoding(Map.of("regex", "a*")).build())
          .build();
    }
  }

  @Nested
  class SeveralModels {

    @Test
    void shouldNameRequestsModelWhenOneMigratorServesThree() {
      Rig rig = Rig.withLimit(1).worker(1, HEALTHY);

      for (String model : List.of("a", "b", "c")) {
        rig.run(Rig.request().model(model).build());
      }

      assertThat(rig.events(MigrationEvent.Ended.class))
          .extracting(MigrationEvent.Ended::model)
          .containsExactly("a", "b", "c");
    }
  }
}
