// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.event.AttemptPhase;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.testkit.script.WorkerScript;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Every phase of an attempt has its own bound, and the request one over all. */
class TimeoutTest {
  private static final long MILLI = 1_000_000;
  private static final WorkerScript ANSWERS = WorkerScript.open().answer();

  private static Rig rig(UnaryOperator<MigrationOptions.Builder> options) {
    return Rig.of(
        Migrator.builder().options(options.apply(MigrationOptions.builder().limit(1)).build()));
  }

  private static void assertStalled(Rig rig, AttemptPhase phase, long waitedMillis) {
    MigrationEvent.Stalled stalled = rig.events(MigrationEvent.Stalled.class).get(0);
    assertThat(stalled.waitedFor()).isEqualTo(phase);
    assertThat(stalled.waitedNanos()).isEqualTo(waitedMillis * MILLI);
    assertThat(rig.migrator.stats().stalls()).isOne();
  }

  @Test
  void shouldGiveUpConnectingWhenNobodyAcknowledges() {
    Rig rig =
        rig(o -> o.connectTimeout(Duration.ofMillis(70)))
            .worker(1, WorkerScript.start().pauseNanos(900 * MILLI).answer())
            .worker(2, ANSWERS);

    assertThat(rig.run(Rig.request().build()).isCompleted()).isTrue();
    assertStalled(rig, AttemptPhase.CONNECT, 70);
    assertThat(rig.newRequests()).isOne();
  }

  @Test
  void shouldWaitForPrologueWhenAcknowledged() {
    Rig rig =
        Rig.of(
            Migrator.builder()
                .options(
                    MigrationOptions.builder()
                        .limit(1)
                        .connectTimeout(Duration.ofMillis(70))
                        .prologueTimeout(Duration.ofMillis(300))
                        .build()),
            TimeoutTest::acknowledging);
    rig.worker(1, WorkerScript.start().pauseNanos(900 * MILLI).answer()).worker(2, ANSWERS);

    assertThat(rig.run(Rig.request().build()).isCompleted()).isTrue();
    assertStalled(rig, AttemptPhase.PROLOGUE, 300);
  }

  private static <Q, R> RequestDispatcher<Q, R> acknowledging(RequestDispatcher<Q, R> workers) {
    return (request, attempt) -> {
      ResponseStream<R> stream = workers.dispatch(request, attempt);
      return subscriber -> {
        stream.subscribe(subscriber);
        attempt.lane().schedule(attempt::requestAcknowledged, 10 * MILLI);
      };
    };
  }

  @Test
  void shouldGiveUpWaitingForFirstToken() {
    Rig rig =
        rig(o -> o.firstTokenTimeout(Duration.ofMillis(200)).prologueTimeout(Duration.ofMillis(50)))
            .worker(1, WorkerScript.open().pauseNanos(900 * MILLI).answer())
            .worker(2, WorkerScript.open().tokens(1).pauseNanos(900 * MILLI).answer());

    assertThat(rig.run(Rig.request().build()).isCompleted()).isTrue();
    assertStalled(rig, AttemptPhase.FIRST_TOKEN, 200);
    assertThat(rig.ongoingRequests()).isOne();
  }

  @Test
  void shouldGiveUpBetweenTokensWithoutBoundingTheFirst() {
    Rig rig =
        rig(o -> o.stallTimeout(Duration.ofMillis(100)).firstTokenTimeout(Duration.ZERO))
            .worker(1, WorkerScript.open().pauseNanos(900 * MILLI).tokens(2))
            .worker(2, ANSWERS);

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.tokens()).containsExactly(Rig.answer(8));
    assertStalled(rig, AttemptPhase.NEXT_TOKEN, 100);
  }

  @Test
  void shouldNotCountItemsWithoutTokensAsProgressUnlessToldSo() {
    WorkerScript chatty = WorkerScript.open().tokens(1);
    for (int i = 0; i < 20; i++) {
      chatty = chatty.pauseNanos(60 * MILLI).item(LLMEngineOutput.of(TokenSlice.empty()));
    }
    Rig strict = rig(o -> o.stallTimeout(Duration.ofMillis(100))).worker(1, chatty);
    strict.worker(2, ANSWERS).run(Rig.request().build());
    Rig lenient =
        rig(o ->
                o.stallTimeout(Duration.ofMillis(100)).without(Correction.COUNT_TOKENS_AS_PROGRESS))
            .worker(1, chatty);
    lenient.worker(2, ANSWERS).run(Rig.request().build());

    assertThat(strict.events(MigrationEvent.StreamLost.class).get(0).attemptNanos())
        .isEqualTo(100 * MILLI);
    assertThat(lenient.events(MigrationEvent.StreamLost.class).get(0).attemptNanos())
        .isEqualTo(1_300 * MILLI);
  }

  @Test
  void shouldLearnPaceAndMoveStreamThatFallsSilent() {
    StallDetection detection = StallDetection.of(5, Duration.ofMillis(20));
    Rig rig = rig(o -> o.stallDetection(detection)).worker(1, paced(10, 10)).worker(2, ANSWERS);

    RecordingClient client = rig.run(longRequest());

    assertThat(client.tokens()).containsExactly(Rig.answer(16));
    assertStalled(rig, AttemptPhase.NEXT_TOKEN, 50);
  }

  @Test
  void shouldHoldFloorWhenPaceIsFast() {
    StallDetection detection = StallDetection.of(5, Duration.ofMillis(400));
    Rig rig = rig(o -> o.stallDetection(detection)).worker(1, paced(10, 10)).worker(2, ANSWERS);

    rig.run(longRequest());

    assertStalled(rig, AttemptPhase.NEXT_TOKEN, 400);
  }

  @Test
  void shouldNotJudgePaceBeforeItIsKnownOrWhenNobodyCouldGoOn() {
    StallDetection detection = StallDetection.of(5, Duration.ofMillis(20));
    Rig unknown = rig(o -> o.stallDetection(detection)).worker(1, paced(8, 10)).worker(2, ANSWERS);
    unknown.run(longRequest());
    Rig noneLeft = rig(o -> o.limit(0).stallDetection(detection)).worker(1, paced(10, 10));
    RecordingClient client = noneLeft.run(longRequest());

    assertThat(unknown.dispatches()).hasSize(1);
    assertThat(client.isEnded()).as("waits on").isFalse();
  }

  @Test
  void shouldNotTakeClientsPauseForWorkersPace() {
    StallDetection detection = StallDetection.of(2, Duration.ofMillis(20));
    Rig rig = rig(o -> o.stallDetection(detection)).worker(1, paced(16, 10)).worker(2, ANSWERS);
    RecordingClient client =
        RecordingClient.requesting(1)
            .onItem(
                self -> rig.simulation.controller().schedule(() -> self.request(1), 300 * MILLI));

    rig.run(longRequest(), client);

    assertThat(rig.dispatches()).hasSize(1);
  }

  private static WorkerScript paced(int tokens, long gapMillis) {
    WorkerScript script = WorkerScript.open();
    for (int i = 0; i < tokens; i++) {
      script = script.pauseNanos(gapMillis * MILLI).chunk(1);
    }
    return script;
  }

  private static PreprocessedRequest longRequest() {
    return Rig.request().stopConditions(StopConditions.builder().maxTokens(16).build()).build();
  }

  @Test
  void shouldFailWithDeadlineWhereverTheRequestIs() {
    WorkerScript[] scripts = {
      WorkerScript.start(),
      WorkerScript.open(),
      WorkerScript.open().tokens(3),
      WorkerScript.open().tokens(3).fail(ErrorType.DISCONNECTED)
    };
    for (WorkerScript script : scripts) {
      Rig rig = rig(o -> o.limit(9).deadline(Duration.ofMillis(250))).worker(1, script);
      rig.worker(2, WorkerScript.start());

      RecordingClient client = rig.run(Rig.request().build());

      assertThat(client.failure().errorType()).isEqualTo(ErrorType.DEADLINE_EXCEEDED);
      assertThat(client.failure().tokensDelivered()).isEqualTo(client.tokens().length);
      assertThat(rig.simulation.nowNanos()).as("%s", script).isEqualTo(250 * MILLI);
      assertThat(rig.dispatches()).allMatch(d -> d.isCancelled() || d.isEnded());
      assertThat(rig.dispatches().get(0).attempt().deadlineNanos()).isEqualTo(250 * MILLI);
    }
  }

  @Test
  void shouldSuppressLossesWhenDeadlinePasses() {
    Rig rig =
        rig(o -> o.deadline(Duration.ofMillis(250)))
            .worker(1, WorkerScript.open().tokens(3).fail(ErrorType.DISCONNECTED))
            .worker(2, WorkerScript.start());

    assertThat(rig.run(Rig.request().build()).failure().getSuppressed()).hasSize(1);
  }

  @Test
  void shouldFinishLocallyWhenOnlyTheEndIsMissingAtTheDeadline() {
    Rig rig = rig(o -> o.deadline(Duration.ofMillis(250))).worker(1, WorkerScript.open().tokens(8));

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.isCompleted()).isTrue();
    assertThat(client.finishReasons()).hasSize(1);
    assertThat(rig.simulation.nowNanos()).isEqualTo(250 * MILLI);
  }

  @Test
  void shouldRejectDetectionOutOfRange() {
    assertThatThrownBy(() -> StallDetection.of(0.5, Duration.ofSeconds(1)))
        .hasMessageContaining("factor=0.5");
    assertThatThrownBy(() -> StallDetection.of(2, Duration.ZERO))
        .hasMessageContaining("floor=PT0S");
  }
}
