// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.testkit.script.WorkerScript;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Wherever a request is, its client's leaving, its deadline and the migrator's closing end it at
 * once, reach every worker at work, and leave no timer and no later dispatch.
 */
class EndAtEveryPointTest {
  private static final long MILLI = 1_000_000;
  private static final long LONG = 60_000 * MILLI;
  private static final WorkerScript BREAKS =
      WorkerScript.open().tokens(2).fail(ErrorType.DISCONNECTED);
  private static final WorkerScript SILENT = WorkerScript.start().pauseNanos(LONG).answer();
  private static final WorkerScript OPEN = WorkerScript.open().pauseNanos(LONG).answer();

  /** Where the request is after 500 ms. */
  enum Point {
    DISPATCH,
    PROLOGUE,
    MID_TOKEN,
    BACK_OFF,
    REDISPATCH,
    AFTER_REDISPATCH,
    HEDGE,
    WAITING_FOR_REPLACEMENT,
    MOVING
  }

  /** What ends it. */
  enum Ending {
    CANCEL,
    DEADLINE,
    CLOSE
  }

  private final MigrationOptions.Builder options =
      MigrationOptions.builder().limit(3).replacementPoll(BackOff.fixed(Duration.ofSeconds(20)));
  private MigrationPolicy policy = MigrationPolicy.ofDefaults();

  private WorkerScript[] prepare(Point point) {
    return switch (point) {
      case DISPATCH -> new WorkerScript[] {SILENT};
      case PROLOGUE -> new WorkerScript[] {OPEN};
      case MID_TOKEN -> new WorkerScript[] {WorkerScript.open().tokens(2).pauseNanos(LONG)};
      case BACK_OFF -> {
        RetryRule rule = RetryRule.builder().backOff(BackOff.fixed(Duration.ofSeconds(20))).build();
        policy = policy.toBuilder().rule(rule).build();
        yield new WorkerScript[] {BREAKS, WorkerScript.open().answer()};
      }
      case REDISPATCH -> new WorkerScript[] {BREAKS, SILENT};
      case AFTER_REDISPATCH -> new WorkerScript[] {BREAKS, OPEN};
      case HEDGE -> {
        options.hedgeAfter(Duration.ofMillis(100));
        yield new WorkerScript[] {OPEN, SILENT};
      }
      case WAITING_FOR_REPLACEMENT -> {
        options.replacementWait(Duration.ofSeconds(60));
        yield new WorkerScript[] {BREAKS};
      }
      case MOVING ->
          new WorkerScript[] {WorkerScript.open().tokens(2).pauseNanos(LONG).answer(), SILENT};
    };
  }

  @ParameterizedTest
  @CsvSource({
    "DISPATCH, CANCEL, 1",
    "DISPATCH, DEADLINE, 1",
    "DISPATCH, CLOSE, 1",
    "PROLOGUE, CANCEL, 1",
    "PROLOGUE, DEADLINE, 1",
    "PROLOGUE, CLOSE, 1",
    "MID_TOKEN, CANCEL, 1",
    "MID_TOKEN, DEADLINE, 1",
    "MID_TOKEN, CLOSE, 1",
    "BACK_OFF, CANCEL, 1",
    "BACK_OFF, DEADLINE, 1",
    "BACK_OFF, CLOSE, 1",
    "REDISPATCH, CANCEL, 2",
    "REDISPATCH, DEADLINE, 2",
    "REDISPATCH, CLOSE, 2",
    "AFTER_REDISPATCH, CANCEL, 2",
    "AFTER_REDISPATCH, DEADLINE, 2",
    "AFTER_REDISPATCH, CLOSE, 2",
    "HEDGE, CANCEL, 2",
    "HEDGE, DEADLINE, 2",
    "HEDGE, CLOSE, 2",
    "WAITING_FOR_REPLACEMENT, CANCEL, 1",
    "WAITING_FOR_REPLACEMENT, DEADLINE, 1",
    "WAITING_FOR_REPLACEMENT, CLOSE, 1",
    "MOVING, CANCEL, 2",
    "MOVING, DEADLINE, 2",
    "MOVING, CLOSE, 2"
  })
  void shouldEndAtOnce(Point point, Ending ending, int dispatches) {
    WorkerScript[] scripts = prepare(point);
    if (ending == Ending.DEADLINE) {
      options.deadline(Duration.ofMillis(500));
    }
    Rig rig = Rig.of(Migrator.builder().options(options.build()).policy(policy));
    for (int i = 0; i < scripts.length; i++) {
      rig.worker(i + 1, scripts[i]);
    }
    RecordingClient client = RecordingClient.unbounded();
    rig.subscribe(Rig.request().build(), rig.migrator.options(), client);
    rig.simulation.runFor(300 * MILLI);
    @Nullable CompletableFuture<DrainResult> drained = null;
    if (point == Point.MOVING) {
      drained = rig.migrator.drain(1, Duration.ofSeconds(60)).toCompletableFuture();
    }
    rig.simulation.runFor(200 * MILLI - 1);
    assertThat(rig.dispatches()).hasSize(dispatches);
    assertThat(client.isEnded()).isFalse();

    switch (ending) {
      case CANCEL -> client.cancel();
      case CLOSE -> rig.migrator.close();
      case DEADLINE -> rig.simulation.runFor(1);
    }
    rig.simulation.runFor(1);

    assertThat(rig.dispatches()).hasSize(dispatches).allMatch(d -> d.isCancelled() || d.isEnded());
    assertThat(rig.events(MigrationEvent.Ended.class)).hasSize(1);
    switch (ending) {
      case CANCEL -> assertThat(client.isEnded()).isFalse();
      case CLOSE -> assertThat(client.failure().errorType()).isEqualTo(ErrorType.CLOSED);
      case DEADLINE ->
          assertThat(client.failure().errorType()).isEqualTo(ErrorType.DEADLINE_EXCEEDED);
    }
    if (point == Point.MOVING) {
      assertThat(Objects.requireNonNull(drained)).isCompleted();
    }
    rig.simulation.run();
    assertThat(rig.dispatches()).hasSize(dispatches);
  }
}
