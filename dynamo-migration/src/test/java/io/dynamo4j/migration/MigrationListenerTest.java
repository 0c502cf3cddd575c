// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.MigrationPhase;
import io.dynamo4j.migration.event.RecoveryOutcome;
import io.dynamo4j.testkit.script.WorkerScript;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class MigrationListenerTest {
  private static final long MILLI = Duration.ofMillis(1).toNanos();

  @Test
  void shouldReportEveryStepInOrderWhenStreamMigrates() {
    Rig rig =
        Rig.withLimit(1)
            .worker(1, WorkerScript.open().tokens(2).fail(ErrorType.DISCONNECTED))
            .worker(2, WorkerScript.start().pauseNanos(MILLI).chunk(0).pauseNanos(MILLI).answer());

    rig.run(Rig.request().build());

    assertThat(rig.events)
        .extracting(event -> event.getClass().getSimpleName())
        .containsExactly(
            "AttemptStarted", "StreamLost", "AttemptStarted", "RecoveryEnded", "Migrated", "Ended");
    MigrationEvent.StreamLost lost = rig.events(MigrationEvent.StreamLost.class).get(0);
    assertThat(lost.phase()).isEqualTo(MigrationPhase.ONGOING_REQUEST);
    assertThat(lost.tokensDelivered()).isEqualTo(2);
    assertThat(lost.retried()).isTrue();
    assertThat(rig.events)
        .contains(
            new MigrationEvent.RecoveryEnded(
                "r1", "m", MigrationPhase.ONGOING_REQUEST, RecoveryOutcome.SUCCESS, MILLI),
            new MigrationEvent.Migrated(
                "r1",
                "m",
                1,
                WorkerWithDpRank.of(1),
                WorkerWithDpRank.of(2),
                MigrationPhase.ONGOING_REQUEST,
                lost.cause(),
                2,
                2 * MILLI));
    MigrationEvent.Ended ended = rig.events(MigrationEvent.Ended.class).get(0);
    assertThat(ended.outcome()).isEqualTo(MigrationEvent.Outcome.COMPLETED);
    assertThat(ended.tokensDelivered()).isEqualTo(Rig.ANSWER);
  }

  @Test
  void shouldReportExhaustionWhenNoAttemptIsLeft() {
    Rig rig =
        Rig.withLimit(1)
            .worker(1, WorkerScript.refuse(ErrorType.CANNOT_CONNECT))
            .worker(2, WorkerScript.open().tokens(1).fail(ErrorType.ENGINE_SHUTDOWN));

    rig.run(Rig.request().build());

    MigrationEvent.Exhausted exhausted = rig.events(MigrationEvent.Exhausted.class).get(0);
    assertThat(exhausted.attempts()).isEqualTo(2);
    assertThat(exhausted.cause().errorType()).isEqualTo(ErrorType.ENGINE_SHUTDOWN);
    assertThat(exhausted.tokensDelivered()).isEqualTo(1);
    assertThat(rig.events(MigrationEvent.StreamLost.class))
        .extracting(MigrationEvent.StreamLost::retried)
        .containsExactly(true, false);
    MigrationEvent.Ended ended = rig.events(MigrationEvent.Ended.class).get(0);
    assertThat(ended.outcome()).isEqualTo(MigrationEvent.Outcome.FAILED);
    assertThat(ended.error()).isInstanceOf(MigrationException.class);
  }

  @Test
  void shouldGoOnWhenListenerThrows() {
    Rig rig = Rig.withLimit(1);
    rig.worker(1, WorkerScript.open().tokens(2).fail(ErrorType.DISCONNECTED))
        .worker(2, WorkerScript.open().answer());
    int[] calls = {0};
    RecordingClient client = RecordingClient.unbounded();
    Migrator.builder()
        .limit(1)
        .adapter(ReplayAdapter.preprocessed())
        .dispatcher(rig.workers)
        .environment(rig.simulation.environment("gateway"))
        .listener(
            event -> {
              calls[0]++;
              throw new IllegalStateException("planted");
            })
        .build()
        .migrate(Rig.request().build())
        .subscribe(client);
    rig.simulation.run();

    assertThat(client.isCompleted()).isTrue();
    assertThat(calls[0]).isEqualTo(6);
  }
}
