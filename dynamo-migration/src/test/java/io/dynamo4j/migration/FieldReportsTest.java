// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.testkit.script.WorkerScript;
import java.time.Duration;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

/** Faults that users of comparable systems reported, each played with scripted workers. */
class FieldReportsTest {
  private static final WorkerScript HEALTHY = WorkerScript.open().answer();
  private static final long FIFTY_MILLIS = Duration.ofMillis(50).toNanos();

  private static WorkerScript breakAfter(int tokens) {
    return WorkerScript.open().tokens(tokens).fail(ErrorType.DISCONNECTED);
  }

  @Test
  void a01ShouldSurfaceDisconnectWhenConstrainedOutputBreaks() {
    Rig rig = Rig.withLimit(3).worker(1, breakAfter(3)).worker(2, HEALTHY);

    RecordingClient client = rig.run(MigrationRulesTest.StateThatTokensDoNotCarry.guided());

    assertThat(client.tokens()).containsExactly(Rig.answer(3));
    assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
    assertThat(rig.dispatchedWorkers()).containsExactly(1L);
  }

  @Test
  void a02ShouldNotReplayWhenSeveralChoicesWereAskedFor() {
    LLMEngineOutput a = LLMEngineOutput.of(TokenSlice.of(1));
    LLMEngineOutput b = LLMEngineOutput.of(TokenSlice.of(2)).withIndex(1);
    WorkerScript twoChoices = WorkerScript.open().item(a).item(b).fail(ErrorType.DISCONNECTED);
    Rig rig = Rig.withLimit(3).worker(1, twoChoices).worker(2, HEALTHY);

    RecordingClient client =
        rig.run(Rig.request().samplingOptions(SamplingOptions.builder().n(2).build()).build());

    assertThat(client.items()).containsExactly(a, b);
    assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
    assertThat(rig.dispatchedWorkers()).containsExactly(1L);
  }

  @Test
  void a04ShouldRejectLimitWhenItIsNegativeOrTooLarge() {
    assertThatThrownBy(() -> Migrator.builder().limit(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> Migrator.builder().limit(0x1_0000_0000L))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a07ShouldWaitForTypedCauseWhenFrameSaysCancelled() {
    WorkerScript shuttingDown =
        WorkerScript.open()
            .tokens(1)
            .finish(FinishReason.CANCELLED)
            .pauseNanos(FIFTY_MILLIS)
            .fail(ErrorType.ENGINE_SHUTDOWN);
    Rig rig = Rig.withLimit(1).worker(1, shuttingDown).worker(2, HEALTHY);
    Rig last = Rig.withLimit(0).worker(1, shuttingDown);

    RecordingClient migrated = rig.run(Rig.request().build());
    RecordingClient failed = last.run(Rig.request().build());

    assertThat(migrated.finishReasons()).containsExactly(FinishReason.LENGTH);
    assertThat(migrated.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
    assertThat(rig.events(MigrationEvent.StreamLost.class).get(0).cause().errorType())
        .isEqualTo(ErrorType.ENGINE_SHUTDOWN);
    assertThat(failed.finishReasons()).isEmpty();
    assertThat(failed.failure().errorType()).isEqualTo(ErrorType.ENGINE_SHUTDOWN);
  }

  @Test
  void a07ShouldTreatAttemptAsIncompleteWhenNoTypedCauseComesInTime() {
    WorkerScript silent = WorkerScript.open().tokens(1).finish(FinishReason.CANCELLED);
    Rig rig = Rig.withLimit(1).worker(1, silent).worker(2, HEALTHY);
    Rig last = Rig.of(Migrator.builder().endTimeout(Duration.ofSeconds(2))).worker(1, silent);

    RecordingClient migrated = rig.run(Rig.request().build());
    RecordingClient failed = last.run(Rig.request().build());

    assertThat(migrated.isCompleted()).isTrue();
    assertThat(rig.simulation.nowNanos()).isEqualTo(Duration.ofSeconds(5).toNanos());
    assertThat(failed.failure().errorType()).isEqualTo(ErrorType.STREAM_INCOMPLETE);
    assertThat(last.simulation.nowNanos()).isEqualTo(Duration.ofSeconds(2).toNanos());
    assertThat(last.dispatches().get(0).isCancelled()).isTrue();
  }

  @Test
  void a08ShouldMigrateWhenWorkerNeverOpensItsStream() {
    Rig rig =
        Rig.of(Migrator.builder().limit(1).stallTimeout(Duration.ofSeconds(1)))
            .worker(1, WorkerScript.start())
            .worker(2, HEALTHY);

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.isCompleted()).isTrue();
    assertThat(rig.newRequests()).isEqualTo(1);
    assertThat(rig.events(MigrationEvent.StreamLost.class).get(0).cause().errorType())
        .isEqualTo(ErrorType.CONNECTION_TIMEOUT);
    assertThat(rig.dispatches().get(0).isCancelled()).isTrue();
  }

  @Test
  void a10ShouldReleaseFailedAttemptBeforeNextIsDispatched() {
    boolean[] released = {true};
    Rig rig =
        Rig.of(
            Migrator.builder().limit(1).stallTimeout(Duration.ofSeconds(1)),
            next -> bookkeeping(next, released));
    rig.worker(1, WorkerScript.open().tokens(1)).worker(2, HEALTHY);

    assertThat(rig.run(Rig.request().build()).isCompleted()).isTrue();
  }

  /** Holds one booking an attempt, released by a task that its end or its cancel queues. */
  private static RequestDispatcher<PreprocessedRequest, LLMEngineOutput> bookkeeping(
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> next, boolean[] released) {
    return (request, attempt) -> {
      assertThat(released[0]).as("booking of the attempt before").isTrue();
      released[0] = false;
      Runnable release = () -> released[0] = true;
      return Decorators.onCancel(
          next.dispatch(request, attempt), () -> attempt.lane().execute(release));
    };
  }

  @Test
  void a16ShouldContinueFromDeliveredTokensWhenErrorCarriesNone() {
    Rig rig = Rig.withLimit(1).worker(1, breakAfter(2)).worker(2, HEALTHY);

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
  }

  @Test
  void a19ShouldCountByPrologueWhenStreamFailsOnFirstRequest() {
    for (boolean open : new boolean[] {false, true}) {
      Rig rig =
          Rig.of(Migrator.builder().limit(1), next -> failingOnFirstRequest(next, open))
              .worker(2, HEALTHY);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
      assertThat(rig.newRequests()).isEqualTo(open ? 0 : 1);
      assertThat(rig.ongoingRequests()).isEqualTo(open ? 1 : 0);
    }
  }

  private static RequestDispatcher<PreprocessedRequest, LLMEngineOutput> failingOnFirstRequest(
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> next, boolean open) {
    return (request, attempt) -> {
      if (attempt.number() > 0) {
        return next.dispatch(request, attempt);
      }
      return subscriber ->
          attempt
              .lane()
              .execute(
                  () ->
                      subscriber.onSubscribe(
                          new Flow.Subscription() {
                            @Override
                            public void request(long n) {
                              attempt.lane().execute(this::fail);
                            }

                            private void fail() {
                              if (open) {
                                attempt.streamOpened();
                              }
                              subscriber.onError(
                                  new DynamoException(ErrorType.DISCONNECTED, "lazy failure"));
                            }

                            @Override
                            public void cancel() {}
                          }));
    };
  }

  @Test
  void a20ShouldKeepTypeAndMessageWhenRequestIsInvalid() {
    Rig rig =
        Rig.withLimit(3)
            .worker(1, WorkerScript.open().fail(ErrorType.BACKEND_INVALID_ARGUMENT))
            .worker(2, HEALTHY);

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.BACKEND_INVALID_ARGUMENT);
    assertThat(client.failure()).hasMessage("scripted: type=BACKEND_INVALID_ARGUMENT");
    assertThat(rig.dispatches()).hasSize(1);
  }

  @Test
  void a22ShouldRetryElsewhereWhenNobodyListens() {
    Rig rig =
        Rig.withLimit(1)
            .worker(1, WorkerScript.refuse(ErrorType.CANNOT_CONNECT))
            .worker(2, HEALTHY);

    assertThat(rig.run(Rig.request().build()).tokens()).containsExactly(Rig.answer(Rig.ANSWER));
  }
}
