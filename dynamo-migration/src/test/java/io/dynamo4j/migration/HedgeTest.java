// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.event.AttemptReason;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.testkit.script.WorkerScript;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A second attempt when the first token is late. */
class HedgeTest {
  private static final long MILLI = 1_000_000;
  private static final LLMEngineOutput NOTE = LLMEngineOutput.of(TokenSlice.empty());

  private static Rig rig(long limit) {
    return Rig.of(
        Migrator.builder()
            .options(
                MigrationOptions.builder()
                    .limit(limit)
                    .hedgeAfter(Duration.ofMillis(100))
                    .build()));
  }

  @Test
  void shouldTakeSecondWorkersTokensWhenFirstIsLate() {
    Rig rig =
        rig(1)
            .worker(1, WorkerScript.open().pauseNanos(900 * MILLI).answer())
            .worker(2, WorkerScript.open().pauseNanos(50 * MILLI).answer());

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
    assertThat(client.finishReasons()).containsExactly(FinishReason.LENGTH);
    assertThat(rig.dispatchedWorkers()).containsExactly(1L, 2L);
    assertThat(rig.dispatches().get(0).isCancelled()).isTrue();
    assertThat(rig.dispatches().get(1).attempt().excludedWorkers())
        .containsExactly(WorkerWithDpRank.of(1));
    assertThat(rig.migrator.stats().hedges()).isOne();
    assertThat(rig.migrator.stats().hedgesWon()).isOne();
    assertThat(rig.ongoingRequests() + rig.newRequests()).isZero();
    MigrationEvent.HedgeDecided decided = rig.events(MigrationEvent.HedgeDecided.class).get(0);
    assertThat(decided.winner()).isOne();
    assertThat(decided.losingWorker()).isEqualTo(WorkerWithDpRank.of(1));
    assertThat(decided.raceNanos()).isEqualTo(50 * MILLI);
    assertThat(rig.events(MigrationEvent.AttemptStarted.class).get(1).reason())
        .isEqualTo(AttemptReason.HEDGE);
  }

  @Test
  void shouldKeepFirstWorkerWhenItIsFasterAfterAll() {
    Rig rig =
        rig(1)
            .worker(1, WorkerScript.open().pauseNanos(150 * MILLI).answer())
            .worker(2, WorkerScript.open().pauseNanos(900 * MILLI).answer());

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
    assertThat(rig.dispatches().get(1).isCancelled()).isTrue();
    assertThat(rig.migrator.stats().hedgesWon()).isZero();
  }

  @Test
  void shouldNotHedgeWhenFirstTokenIsInTimeOrNoAttemptIsLeft() {
    Rig inTime = rig(1).worker(1, WorkerScript.open().tokens(1).pauseNanos(900 * MILLI).answer());
    inTime.worker(2, WorkerScript.open().answer()).run(Rig.request().build());
    Rig noneLeft = rig(0).worker(1, WorkerScript.open().pauseNanos(900 * MILLI).answer());
    noneLeft.worker(2, WorkerScript.open().answer()).run(Rig.request().build());

    assertThat(inTime.dispatches()).hasSize(1);
    assertThat(noneLeft.dispatches()).hasSize(1);
  }

  @Test
  void shouldSpendBudgetWhenHedging() {
    Rig rig =
        rig(1)
            .worker(1, WorkerScript.open().pauseNanos(900 * MILLI).answer())
            .worker(2, WorkerScript.open().tokens(2).fail(ErrorType.DISCONNECTED))
            .worker(3, WorkerScript.open().answer());

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
    assertThat(rig.dispatches()).hasSize(2);
  }

  @Test
  void shouldGoOnWithTheOtherWhenOneOfTwoFails() {
    for (int failing = 1; failing <= 2; failing++) {
      WorkerScript fails = WorkerScript.open().pauseNanos(300 * MILLI).fail(ErrorType.DISCONNECTED);
      WorkerScript answers = WorkerScript.open().pauseNanos(700 * MILLI).answer();
      Rig rig = rig(1).worker(1, failing == 1 ? fails : answers);
      rig.worker(2, failing == 2 ? fails : answers);

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.tokens()).as("failing=%s", failing).containsExactly(Rig.answer(8));
      assertThat(client.isCompleted()).isTrue();
      assertThat(rig.ongoingRequests()).isOne();
    }
  }

  @Test
  void shouldFailAtOnceWhenOneOfTwoVetoes() {
    Rig rig =
        rig(1)
            .worker(1, WorkerScript.open().pauseNanos(900 * MILLI).answer())
            .worker(2, WorkerScript.refuse(ErrorType.BACKEND_INVALID_ARGUMENT));

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.BACKEND_INVALID_ARGUMENT);
    assertThat(rig.dispatches().get(0).isCancelled()).isTrue();
  }

  @Test
  void shouldStayWithFirstWhenThereIsNoSecondWorker() {
    Rig rig = rig(1).worker(1, WorkerScript.open().pauseNanos(900 * MILLI).answer());

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.isCompleted()).isTrue();
    assertThat(rig.newRequests()).isZero();
    assertThat(rig.migrator.stats().hedges()).isZero();
  }

  @Test
  void shouldDeliverOnlyWinnersNotesWhenBothBringSome() {
    LLMEngineOutput winners = LLMEngineOutput.of(TokenSlice.empty());
    Rig rig =
        rig(1)
            .worker(
                1,
                WorkerScript.open()
                    .pauseNanos(200 * MILLI)
                    .item(NOTE)
                    .pauseNanos(900 * MILLI)
                    .answer())
            .worker(2, WorkerScript.open().item(winners).pauseNanos(250 * MILLI).answer());

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.items()).filteredOn(item -> item == winners).hasSize(1);
    assertThat(client.items()).filteredOn(item -> item == NOTE).isEmpty();
    assertThat(client.tokens()).containsExactly(Rig.answer(8));
  }

  @Test
  void shouldHedgeContinuationWhenItsFirstTokenIsLate() {
    Rig rig =
        rig(3)
            .worker(1, WorkerScript.open().tokens(3).fail(ErrorType.DISCONNECTED))
            .worker(2, WorkerScript.open().pauseNanos(900 * MILLI).answer())
            .worker(3, WorkerScript.open().answer());

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.tokens()).containsExactly(Rig.answer(8));
    assertThat(rig.dispatchedWorkers()).containsExactly(1L, 2L, 3L);
    assertThat(rig.dispatches().get(2).request().tokenIds().toArray())
        .containsExactly(Rig.sequence(3));
  }

  @Test
  void shouldCancelBothWhenClientLeavesInTheRace() {
    Rig rig =
        rig(1)
            .worker(1, WorkerScript.open().pauseNanos(900 * MILLI).answer())
            .worker(2, WorkerScript.open().pauseNanos(900 * MILLI).answer());
    RecordingClient client = RecordingClient.unbounded();
    rig.subscribe(Rig.request().build(), rig.migrator.options(), client);
    rig.simulation.runFor(200 * MILLI);

    client.cancel();
    rig.simulation.run();

    assertThat(rig.dispatches()).hasSize(2).allMatch(dispatch -> dispatch.isCancelled());
    assertThat(rig.simulation.nowNanos()).isLessThan(300 * MILLI + 900 * MILLI);
    assertThat(rig.events(MigrationEvent.Ended.class))
        .extracting(MigrationEvent.Ended::outcome)
        .isEqualTo(List.of(MigrationEvent.Outcome.CANCELLED));
  }
}
