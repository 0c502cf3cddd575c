// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.event.AttemptReason;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.plane.WorkerHealth;
import io.dynamo4j.testkit.script.ScriptedDispatch;
import io.dynamo4j.testkit.script.ScriptedDispatcher;
import io.dynamo4j.testkit.script.WorkerScript;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Healthy streams leave a worker that is about to go. */
class DrainTest {
  private static final long MILLI = 1_000_000;
  private static final WorkerScript SLOW = slow(8);

  private static WorkerScript slow(int tokens) {
    WorkerScript script = WorkerScript.open();
    for (int i = 0; i < tokens; i++) {
      script = script.pauseNanos(100 * MILLI).chunk(1);
    }
    return script.finish(FinishReason.LENGTH).complete();
  }

  private static RecordingClient open(Rig rig, PreprocessedRequest request) {
    RecordingClient client = RecordingClient.unbounded();
    rig.subscribe(request, rig.migrator.options(), client);
    return client;
  }

  private static CompletableFuture<DrainResult> drain(Rig rig, long worker, Duration within) {
    return rig.migrator.drain(worker, within).toCompletableFuture();
  }

  @Test
  void shouldMoveStreamAtTokenBoundaryWithoutSpendingBudget() {
    Rig rig = Rig.withLimit(1).worker(1, SLOW);
    rig.worker(2, WorkerScript.open().tokens(2).fail(ErrorType.DISCONNECTED));
    rig.worker(3, WorkerScript.open().answer());
    RecordingClient client = open(rig, Rig.request().build());
    rig.simulation.runFor(350 * MILLI);

    CompletableFuture<DrainResult> result = drain(rig, 1, Duration.ofSeconds(9));
    rig.simulation.run();

    assertThat(result).isCompletedWithValue(new DrainResult(1, 0, 0, 0));
    assertThat(client.tokens()).containsExactly(Rig.answer(8));
    assertThat(client.isCompleted()).isTrue();
    assertThat(rig.dispatchedWorkers()).as("the one failure is still paid for").hasSize(3);
    assertThat(rig.dispatches().get(0).isCancelled()).isTrue();
    assertThat(rig.dispatches().get(1).request().tokenIds().toArray())
        .containsExactly(Rig.sequence(3));
    assertThat(rig.migrator.stats().moves()).isOne();
    MigrationEvent.Drained drained = rig.events(MigrationEvent.Drained.class).get(0);
    assertThat(drained.from()).isEqualTo(WorkerWithDpRank.of(1));
    assertThat(drained.to()).isEqualTo(WorkerWithDpRank.of(2));
    assertThat(drained.tokensDelivered()).isEqualTo(3);
    assertThat(rig.events(MigrationEvent.AttemptStarted.class).get(1).reason())
        .isEqualTo(AttemptReason.DRAIN);
  }

  @Test
  void shouldMoveCheapestFirst() {
    Rig rig = Rig.withLimit(1).worker(1, slow(40));
    rig.worker(2, WorkerScript.start().pauseNanos(50 * MILLI).answer());
    List<RecordingClient> clients = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int length = 10 + 7 * i % 20; // Every length once, in no order.
      PreprocessedRequest request =
          PreprocessedRequest.builder("r" + length, TokenSlice.wrap(new int[length])).build();
      clients.add(open(rig, request));
    }
    rig.simulation.runFor(450 * MILLI);

    CompletableFuture<DrainResult> result = drain(rig, 1, Duration.ofSeconds(9));
    rig.simulation.run();

    assertThat(result).isCompletedWithValue(new DrainResult(20, 0, 0, 0));
    List<String> moved =
        rig.dispatches().stream().skip(20).map(dispatch -> dispatch.request().requestId()).toList();
    assertThat(moved.subList(0, 8))
        .containsExactlyInAnyOrder("r10", "r11", "r12", "r13", "r14", "r15", "r16", "r17");
    assertThat(moved.subList(16, 20)).containsExactlyInAnyOrder("r26", "r27", "r28", "r29");
    assertThat(clients).allMatch(RecordingClient::isCompleted);
  }

  @Test
  void shouldMoveFewAtATime() {
    Rig rig = Rig.withLimit(1).worker(1, slow(40));
    rig.worker(2, WorkerScript.start().pauseNanos(50 * MILLI).answer());
    for (int i = 0; i < 20; i++) {
      open(rig, PreprocessedRequest.builder("r" + i, Rig.PROMPT).build());
    }
    rig.simulation.runFor(450 * MILLI);

    CompletableFuture<DrainResult> result = drain(rig, 1, Duration.ofSeconds(9));
    rig.simulation.runFor(20 * MILLI);
    assertThat(rig.dispatches()).hasSize(28);
    rig.simulation.run();

    assertThat(result).isCompletedWithValue(new DrainResult(20, 0, 0, 0));
  }

  @Test
  void shouldStayAndTryAgainWhenNobodyTakesOver() {
    Rig rig = Rig.withLimit(1).worker(1, slow(30));
    RecordingClient client = open(rig, longRequest(30));
    rig.simulation.runFor(350 * MILLI);

    CompletableFuture<DrainResult> result = drain(rig, 1, Duration.ofSeconds(9));
    rig.simulation.runFor(700 * MILLI);
    assertThat(client.tokens()).as("goes on meanwhile").hasSize(10);
    rig.worker(2, WorkerScript.open().answer());
    rig.simulation.run();

    assertThat(result).isCompletedWithValue(new DrainResult(1, 0, 0, 0));
    assertThat(client.tokens()).containsExactly(Rig.answer(30));
  }

  @Test
  void shouldLoseNothingWhenNewWorkerRefuses() {
    Rig rig =
        Rig.withLimit(1)
            .worker(1, slow(12))
            .worker(2, WorkerScript.start().pauseNanos(250 * MILLI).fail(ErrorType.CANNOT_CONNECT));
    RecordingClient client = open(rig, longRequest(12));
    rig.simulation.runFor(350 * MILLI);

    CompletableFuture<DrainResult> result = drain(rig, 1, Duration.ofSeconds(9));
    rig.simulation.run();

    assertThat(client.tokens()).containsExactly(Rig.answer(12));
    assertThat(client.isCompleted()).isTrue();
    assertThat(result).isCompletedWithValue(new DrainResult(0, 1, 0, 0));
    assertThat(rig.newRequests()).as("no failure of the request's").isZero();
  }

  @Test
  void shouldGoOnAtNewWorkerWhenOldOneDiesInTheMove() {
    Rig rig =
        Rig.withLimit(1)
            .worker(
                1,
                WorkerScript.open()
                    .tokens(3)
                    .pauseNanos(400 * MILLI)
                    .tokens(1)
                    .fail(ErrorType.DISCONNECTED))
            .worker(2, WorkerScript.start().pauseNanos(500 * MILLI).answer());
    RecordingClient client = open(rig, Rig.request().build());
    rig.simulation.runFor(350 * MILLI);

    CompletableFuture<DrainResult> result = drain(rig, 1, Duration.ofSeconds(9));
    rig.simulation.run();

    assertThat(client.tokens()).containsExactly(Rig.answer(8));
    assertThat(result).isCompletedWithValue(new DrainResult(1, 0, 0, 0));
    assertThat(rig.dispatches()).hasSize(2);
  }

  @Test
  void shouldLeaveStreamsWhenTimeIsUp() {
    Rig rig =
        Rig.withLimit(1)
            .worker(1, slow(20))
            .worker(2, WorkerScript.start().pauseNanos(5_000 * MILLI).answer());
    RecordingClient client = open(rig, longRequest(20));
    rig.simulation.runFor(350 * MILLI);

    CompletableFuture<DrainResult> result = drain(rig, 1, Duration.ofMillis(400));
    rig.simulation.runFor(410 * MILLI);
    assertThat(result).isCompletedWithValue(new DrainResult(0, 0, 0, 1));
    rig.simulation.run();

    assertThat(client.tokens()).containsExactly(Rig.answer(20));
    assertThat(rig.dispatches().get(1).isCancelled()).isTrue();
  }

  @Test
  void shouldWaitForStreamsThatCannotMove() {
    Rig rig = Rig.withLimit(1).worker(1, SLOW).worker(2, WorkerScript.open().answer());
    PreprocessedRequest guided =
        Rig.request()
            .samplingOptions(SamplingOptions.builder().guidedDecoding(Map.of("regex", "x")).build())
            .build();
    RecordingClient client = open(rig, guided);
    rig.simulation.runFor(350 * MILLI);

    CompletableFuture<DrainResult> result = drain(rig, 1, Duration.ofSeconds(9));
    rig.simulation.run();

    assertThat(client.isCompleted()).isTrue();
    assertThat(rig.dispatches()).hasSize(1);
    assertThat(result).isCompletedWithValue(new DrainResult(0, 1, 0, 0));
  }

  @Test
  void shouldNotMoveWhenMigrationIsOffOrCorrectionIs() {
    for (MigratorBuilder builder :
        List.of(
            Migrator.builder(),
            Migrator.builder()
                .options(
                    MigrationOptions.builder()
                        .limit(1)
                        .without(Correction.MOVE_ON_DRAIN)
                        .build()))) {
      Rig rig = Rig.of(builder).worker(1, SLOW).worker(2, WorkerScript.open().answer());
      open(rig, Rig.request().build());
      rig.simulation.runFor(350 * MILLI);

      CompletableFuture<DrainResult> result = drain(rig, 1, Duration.ofSeconds(9));
      rig.simulation.run();

      assertThat(result).isCompletedWithValue(new DrainResult(0, 1, 0, 0));
      assertThat(rig.dispatches()).hasSize(1);
    }
  }

  @Test
  void shouldEndAtOnceWhenWorkerHasNoStream() {
    Rig rig = Rig.withLimit(1);

    CompletableFuture<DrainResult> result = drain(rig, 1, Duration.ofSeconds(9));
    rig.simulation.runFor(MILLI);

    assertThat(result).isCompletedWithValue(new DrainResult(0, 0, 0, 0));
    assertThat(result.join().isEmpty()).isTrue();
  }

  @Test
  void shouldKeepWorkerOutOfSelectionMeanwhile() {
    Rig rig = Rig.withLimit(1);
    WorkerHealth health = WorkerHealth.create(rig.simulation.controller().clock());
    Migrator<?, ?> migrator =
        Migrator.builder()
            .adapter(ReplayAdapter.preprocessed())
            .dispatcher(rig.workers)
            .environment(rig.simulation.environment("gateway"))
            .health(health)
            .build();

    migrator.drain(1, Duration.ofSeconds(1));

    assertThat(health.state(WorkerWithDpRank.of(1))).isEqualTo(WorkerHealth.State.DRAINING);
  }

  @Test
  void shouldShareOneDrainWhenAskedTwice() {
    Rig rig = Rig.withLimit(1).worker(1, SLOW).worker(2, WorkerScript.open().answer());
    open(rig, Rig.request().build());
    rig.simulation.runFor(350 * MILLI);

    CompletableFuture<DrainResult> first = drain(rig, 1, Duration.ofSeconds(9));
    CompletableFuture<DrainResult> second = drain(rig, 1, Duration.ofSeconds(9));
    rig.simulation.run();

    assertThat(Stream.of(first, second).map(CompletableFuture::join))
        .containsOnly(new DrainResult(1, 0, 0, 0));
    assertThat(rig.dispatches().stream().map(ScriptedDispatch::worker)).hasSize(2);
  }

  @Test
  void shouldEndWhenMigratorIsClosed() {
    Rig rig = Rig.withLimit(1).worker(1, SLOW);
    open(rig, Rig.request().build());
    rig.simulation.runFor(350 * MILLI);
    CompletableFuture<DrainResult> result = drain(rig, 1, Duration.ofSeconds(9));
    rig.simulation.runFor(MILLI);

    rig.migrator.close();
    rig.simulation.run();

    assertThat(result).isCompleted();
    assertThat(rig.simulation.nowNanos()).isLessThan(1_000 * MILLI);
  }

  @Test
  void shouldRejectNegativeTime() {
    Rig rig = Rig.withLimit(1);

    assertThatThrownBy(() -> rig.migrator.drain(1, Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("within=PT-0.001S");
  }

  private static PreprocessedRequest longRequest(int tokens) {
    return Rig.request().stopConditions(StopConditions.builder().maxTokens(tokens).build()).build();
  }

  @Test
  void shouldComeBackToWorkerThatIsNoLongerDrained() {
    assertThat(lostAfterMove(/* undrained= */ true).isCompleted()).isTrue();
    assertThat(lostAfterMove(/* undrained= */ false).failure().errorType())
        .as("worker 1 drains, and worker 2 has failed")
        .isEqualTo(ErrorType.DISCONNECTED);
  }

  /** Moves a stream from worker 1 to worker 2, which breaks half a second later. */
  private static RecordingClient lostAfterMove(boolean undrained) {
    Simulation simulation = Simulation.builder().seed(1).build();
    WorkerHealth health = WorkerHealth.create(simulation.controller().clock());
    ScriptedDispatcher workers =
        ScriptedDispatcher.create()
            .worker(1, SLOW, WorkerScript.open().answer())
            .worker(
                2,
                WorkerScript.open().tokens(2).pauseNanos(500 * MILLI).fail(ErrorType.DISCONNECTED));
    Migrator<PreprocessedRequest, LLMEngineOutput> migrator =
        Migrator.builder()
            .limit(1)
            .adapter(ReplayAdapter.preprocessed())
            .dispatcher(workers)
            .environment(simulation.environment("gateway"))
            .health(health)
            .build();
    RecordingClient client = RecordingClient.unbounded();
    simulation
        .controller()
        .execute(() -> migrator.migrate(Rig.request().build()).subscribe(client));
    simulation.runFor(350 * MILLI);
    CompletableFuture<DrainResult> result =
        migrator.drain(1, Duration.ofSeconds(9)).toCompletableFuture();
    simulation.runFor(100 * MILLI);
    assertThat(result).isCompletedWithValue(new DrainResult(1, 0, 0, 0));
    if (undrained) {
      health.undrain(1);
    }
    simulation.run();
    assertThat(workers.dispatches().get(0).isCancelled()).isTrue();
    return client;
  }
}
