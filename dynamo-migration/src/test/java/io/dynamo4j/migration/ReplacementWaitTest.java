// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.script.WorkerScript;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** M10, second half: a pool that is empty for a moment. */
class ReplacementWaitTest {
  private static final long MILLI = 1_000_000;

  private static MigrationOptions waiting(long limit) {
    return MigrationOptions.builder()
        .limit(limit)
        .replacementWait(Duration.ofSeconds(2))
        .replacementPoll(BackOff.fixed(Duration.ofMillis(100)))
        .build();
  }

  private static Rig rig(long limit) {
    return Rig.of(Migrator.builder().options(waiting(limit)));
  }

  private static RecordingClient open(Rig rig) {
    RecordingClient client = RecordingClient.unbounded();
    rig.subscribe(Rig.request().build(), rig.migrator.options(), client);
    return client;
  }

  @Test
  void m10ShouldGoOnAtReplacementWhenLastWorkerDied() {
    Rig rig = rig(1).worker(1, WorkerScript.open().tokens(3).fail(ErrorType.DISCONNECTED));
    RecordingClient client = open(rig);
    rig.simulation.runFor(1_950 * MILLI);
    assertThat(client.isEnded()).isFalse();

    rig.worker(2, WorkerScript.open().answer());
    rig.simulation.run();

    assertThat(client.tokens()).containsExactly(Rig.answer(8));
    assertThat(rig.dispatches().get(1).attempt().number()).as("looking is no attempt").isOne();
    assertThat(rig.migrator.stats().waits()).isOne();
    assertThat(rig.ongoingRequests()).isOne();
    MigrationEvent.Delayed delayed = rig.events(MigrationEvent.Delayed.class).get(0);
    assertThat(delayed.forReplacement()).isTrue();
  }

  @Test
  void m10ShouldWaitForFirstWorkerWhenPoolIsEmptyAtTheStart() {
    Rig rig = rig(0);
    RecordingClient client = open(rig);
    rig.simulation.runFor(1_000 * MILLI);

    rig.worker(1, WorkerScript.open().answer());
    rig.simulation.run();

    assertThat(client.isCompleted()).isTrue();
    assertThat(rig.newRequests()).isZero();
  }

  @Test
  void m10ShouldFailWithBreakWhenNobodyComesInTime() {
    Rig rig = rig(1).worker(1, WorkerScript.open().tokens(3).fail(ErrorType.DISCONNECTED));
    RecordingClient client = open(rig);

    rig.simulation.run();

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.DISCONNECTED);
    assertThat(rig.simulation.nowNanos()).isEqualTo(2_000 * MILLI);
  }

  @Test
  void m10ShouldNotWaitUnlessAsked() {
    Rig rig = Rig.withLimit(1).worker(1, WorkerScript.open().fail(ErrorType.DISCONNECTED));

    assertThat(rig.run(Rig.request().build()).isEnded()).isTrue();
    assertThat(rig.simulation.nowNanos()).isZero();
  }

  @Test
  void shouldWaitAnewInEverySearch() {
    Rig rig = rig(5).worker(1, WorkerScript.open().tokens(1).fail(ErrorType.DISCONNECTED));
    RecordingClient client = open(rig);
    rig.simulation.runFor(1_500 * MILLI);
    rig.worker(2, WorkerScript.open().tokens(1).fail(ErrorType.DISCONNECTED));
    rig.simulation.runFor(1_500 * MILLI);
    rig.worker(3, WorkerScript.open().answer());
    rig.simulation.run();

    assertThat(client.tokens()).containsExactly(Rig.answer(8));
    assertThat(rig.migrator.stats().waits()).isEqualTo(2);
  }

  @Test
  void shouldEndAtOnceWhenClientLeavesWaiting() {
    Rig rig = rig(1);
    RecordingClient client = open(rig);
    rig.simulation.runFor(450 * MILLI);

    client.cancel();
    rig.simulation.run();

    assertThat(rig.simulation.nowNanos()).isLessThan(460 * MILLI);
    assertThat(rig.events).last().isInstanceOf(MigrationEvent.Ended.class);
  }

  @Test
  void shouldEndAtOnceWhenClosedWaiting() {
    Rig rig = rig(1);
    RecordingClient client = open(rig);
    rig.simulation.runFor(450 * MILLI);

    rig.migrator.close();
    rig.simulation.run();

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.CLOSED);
    assertThat(rig.simulation.nowNanos()).isLessThan(460 * MILLI);
  }

  @Test
  void shouldGoOnAtOnceAndAtNextLifeOfTheSameWorkerWhenDirectoryIsKnown() {
    InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
    Rig rig = Rig.withLimit(0);
    rig.worker(
        1,
        WorkerScript.open().tokens(3).fail(ErrorType.DISCONNECTED),
        WorkerScript.open().answer());
    RecordingClient client = RecordingClient.unbounded();
    Migrator.builder()
        .options(
            waiting(1).toBuilder().replacementPoll(BackOff.fixed(Duration.ofSeconds(9))).build())
        .adapter(ReplayAdapter.preprocessed())
        .dispatcher(rig.workers)
        .environment(rig.simulation.environment("gateway"))
        .directory(directory)
        .build()
        .migrate(Rig.request().build())
        .subscribe(client);
    rig.simulation.runFor(777 * MILLI);
    Address address = InMemoryRequestPlane.address("worker");

    directory.register(WorkerInstance.builder(1, address).incarnation(2).build());
    rig.simulation.run();

    assertThat(client.tokens()).containsExactly(Rig.answer(8));
    assertThat(rig.simulation.nowNanos()).isLessThan(780 * MILLI);
  }

  @Test
  void shouldRejectPollWithoutPause() {
    assertThatThrownBy(() -> MigrationOptions.builder().replacementPoll(BackOff.none()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
