// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.MigrationPhase;
import io.dynamo4j.migration.event.RecoveryOutcome;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.testkit.script.ScriptedDispatch;
import io.dynamo4j.testkit.script.WorkerScript;
import io.dynamo4j.testkit.simulation.SimulationFailure;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Demand, cancellation and order of signals over all attempts. */
class FlowRulesTest {
  private static final WorkerScript HEALTHY = WorkerScript.open().answer();
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private static WorkerScript breakAfter(int tokens) {
    return WorkerScript.open().tokens(tokens).fail(ErrorType.DISCONNECTED);
  }

  @Test
  void shouldSendNothingWhenNobodySubscribes() {
    Rig rig = Rig.withLimit(1).worker(1, HEALTHY);

    ResponseStream<LLMEngineOutput> stream = rig.migrator.migrate(Rig.request().build());
    rig.simulation.run();

    assertThat(stream).isNotNull();
    assertThat(rig.dispatches()).isEmpty();
  }

  @Test
  void shouldSubscribeAtOnceWhenWorkerIsSilent() {
    Rig rig = Rig.withLimit(1).worker(1, WorkerScript.start());
    RecordingClient client = RecordingClient.unbounded();

    rig.run(Rig.request().build(), client);

    assertThat(client.isSubscribed()).isTrue();
    assertThat(client.isEnded()).isFalse();
  }

  @Test
  void shouldNotSignalInlineWhenSubscribedTo() {
    Rig rig = Rig.withLimit(1).worker(1, HEALTHY);
    RecordingClient client = RecordingClient.unbounded();
    boolean[] inline = {false};

    rig.simulation
        .controller()
        .execute(
            () -> {
              rig.migrator.migrate(Rig.request().build()).subscribe(client);
              inline[0] = client.isSubscribed();
            });
    rig.simulation.run();

    assertThat(inline[0]).isFalse();
    assertThat(client.isCompleted()).isTrue();
  }

  @Test
  void shouldRejectWhenSubscribedToTwice() {
    Rig rig = Rig.withLimit(1).worker(1, HEALTHY);
    RecordingClient first = RecordingClient.unbounded();
    RecordingClient second = RecordingClient.unbounded();

    rig.simulation
        .controller()
        .execute(
            () -> {
              ResponseStream<LLMEngineOutput> stream = rig.migrator.migrate(Rig.request().build());
              stream.subscribe(first);
              stream.subscribe(second);
            });
    rig.simulation.run();

    assertThat(first.isCompleted()).isTrue();
    assertThat(second.error()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldGiveOutstandingDemandToNewAttempt() {
    Rig rig = Rig.withLimit(1).worker(1, breakAfter(2)).worker(2, HEALTHY);
    RecordingClient client = RecordingClient.requesting(5);

    rig.run(Rig.request().build(), client);

    assertThat(client.items()).hasSize(5);
    assertThat(rig.dispatches().get(0).requestedItems()).isEqualTo(5);
    assertThat(rig.dispatches().get(1).requestedItems()).isEqualTo(3);
  }

  @Test
  void shouldGiveNoDemandToNewAttemptWhenNoneIsOutstanding() {
    Rig rig = Rig.withLimit(1).worker(1, breakAfter(2)).worker(2, HEALTHY);
    RecordingClient client = RecordingClient.requesting(2);

    rig.run(Rig.request().build(), client);
    assertThat(rig.dispatches()).hasSize(2);
    assertThat(rig.dispatches().get(1).requestedItems()).isZero();
    client.request(Long.MAX_VALUE);
    rig.simulation.run();

    assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
  }

  @Test
  void shouldStayUnboundedWhenClientAskedForAll() {
    Rig rig = Rig.withLimit(1).worker(1, breakAfter(2)).worker(2, HEALTHY);

    rig.run(Rig.request().build());

    assertThat(rig.dispatches().get(1).requestedItems()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldNotRecurseWhenClientRequestsInsideOnNext() {
    Rig rig = Rig.withLimit(1).worker(1, WorkerScript.open().answer());
    int[] depth = {0};
    RecordingClient client =
        RecordingClient.requesting(1)
            .onItem(
                self -> {
                  depth[0]++;
                  assertThat(depth[0]).isEqualTo(1);
                  self.request(1);
                  depth[0]--;
                });
    PreprocessedRequest request =
        Rig.request().stopConditions(StopConditions.builder().maxTokens(2_000).build()).build();

    rig.run(request, client);

    assertThat(client.isCompleted()).isTrue();
  }

  @Test
  void shouldFailAndCancelWorkerWhenClientRequestsZero() {
    Rig rig = Rig.withLimit(1).worker(1, HEALTHY);
    RecordingClient client = RecordingClient.requesting(1);

    rig.run(Rig.request().build(), client);
    client.request(0);
    rig.simulation.run();

    assertThat(client.error())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("n=0");
    assertThat(rig.dispatches().get(0).isCancelled()).isTrue();
  }

  @Test
  void shouldDispatchNothingWhenCancelledInsideOnSubscribe() {
    Rig rig = Rig.withLimit(1).worker(1, HEALTHY);
    rig.simulation
        .controller()
        .execute(
            () ->
                rig.migrator
                    .migrate(Rig.request().build())
                    .subscribe(Decorators.cancellingSubscriber()));
    rig.simulation.run();

    assertThat(rig.dispatches()).isEmpty();
    assertThat(rig.migrator.stats().requests(MigrationEvent.Outcome.CANCELLED)).isEqualTo(1);
  }

  @Test
  void shouldCancelWorkerWhenClientCancelsInsideOnNext() {
    Rig rig = Rig.withLimit(1).worker(1, HEALTHY);
    RecordingClient client =
        RecordingClient.unbounded()
            .onItem(
                self -> {
                  if (self.items().size() == 3) {
                    self.cancel();
                  }
                });

    rig.run(Rig.request().build(), client);

    assertThat(client.items()).hasSize(3);
    assertThat(client.isEnded()).isFalse();
    assertThat(rig.dispatches().get(0).isCancelled()).isTrue();
  }

  @Test
  void shouldCancelActiveWorkerInEveryState() {
    for (WorkerScript second :
        new WorkerScript[] {
          WorkerScript.start(), WorkerScript.open(), WorkerScript.open().tokens(2)
        }) {
      Rig rig = Rig.withLimit(2).worker(1, breakAfter(2)).worker(2, second);
      RecordingClient client = RecordingClient.unbounded();

      rig.run(Rig.request().build(), client);
      client.cancel();
      rig.simulation.run();

      assertThat(rig.dispatches().get(1).isCancelled()).isTrue();
      assertThat(rig.dispatches()).hasSize(2);
    }
  }

  @Test
  void shouldNotDispatchWhenClientLeftBeforeStreamBroke() {
    Rig rig =
        Rig.withLimit(2)
            .worker(
                1,
                WorkerScript.open()
                    .tokens(1)
                    .pauseNanos(SECOND)
                    .fail(ErrorType.DISCONNECTED)
                    .ignoringCancel())
            .worker(2, HEALTHY);
    RecordingClient client = RecordingClient.unbounded();
    rig.subscribe(Rig.request().build(), rig.migrator.options(), client);

    rig.simulation.runFor(SECOND / 2);
    client.cancel();
    rig.simulation.run();

    assertThat(rig.dispatches()).hasSize(1);
    assertThat(rig.ongoingRequests()).isZero();
    assertThat(rig.migrator.stats().droppedSignals()).isEqualTo(1);
  }

  @Test
  void shouldRecordCancelledRecoveryWhenClientLeavesBetweenAttempts() {
    Rig rig = Rig.withLimit(2).worker(1, breakAfter(1)).worker(2, WorkerScript.start());
    RecordingClient client = RecordingClient.unbounded();

    rig.run(Rig.request().build(), client);
    client.cancel();
    rig.simulation.run();

    assertThat(rig.recoveries(MigrationPhase.ONGOING_REQUEST, RecoveryOutcome.CANCELLED))
        .isEqualTo(1);
    assertThat(rig.migrator.stats().requests(MigrationEvent.Outcome.CANCELLED)).isEqualTo(1);
  }

  @Test
  void shouldDropLateSignalsWhenAttemptWasGivenUp() {
    WorkerScript late =
        WorkerScript.open().tokens(2).pauseNanos(2 * SECOND).tokens(3).complete().ignoringCancel();
    Rig rig =
        Rig.of(Migrator.builder().limit(1).stallTimeout(Duration.ofSeconds(1)))
            .worker(1, late)
            .worker(2, WorkerScript.open().tokens(1).pauseNanos(SECOND / 2).answer());

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.tokens()).startsWith(Rig.answer(3));
    assertThat(client.isEnded()).isTrue();
    assertThat(rig.migrator.stats().droppedSignals()).isEqualTo(4);
  }

  @Test
  void shouldCancelWorkerWhenSubscriberThrows() {
    Rig rig = Rig.withLimit(1).worker(1, HEALTHY).worker(2, HEALTHY);
    RecordingClient client =
        RecordingClient.unbounded()
            .onItem(
                self -> {
                  throw new IllegalStateException("planted");
                });

    // The lane reports it, and a simulation ends by what its lanes report.
    assertThatThrownBy(() -> rig.run(Rig.request().build(), client))
        .isInstanceOf(SimulationFailure.class)
        .rootCause()
        .hasMessage("planted");

    assertThat(rig.events(MigrationEvent.Ended.class)).hasSize(1);
    assertThat(client.items()).hasSize(1);
    assertThat(client.isEnded()).isFalse();
    assertThat(rig.dispatches()).hasSize(1);
    assertThat(rig.dispatches().get(0).isCancelled()).isTrue();
  }

  @Test
  void shouldNotStallWhenClientAsksForNothing() {
    Rig rig =
        Rig.of(Migrator.builder().limit(1).stallTimeout(Duration.ofSeconds(1)))
            .worker(1, HEALTHY)
            .worker(2, HEALTHY);
    RecordingClient client = RecordingClient.requesting(3);

    rig.run(Rig.request().build(), client);
    rig.simulation.runFor(60 * SECOND);
    client.request(Long.MAX_VALUE);
    rig.simulation.run();

    assertThat(client.isCompleted()).isTrue();
    assertThat(rig.dispatches()).hasSize(1);
  }

  @Test
  void shouldStallWhenDemandReturnsAndWorkerStaysSilent() {
    Rig rig =
        Rig.of(Migrator.builder().limit(1).stallTimeout(Duration.ofSeconds(1)))
            .worker(1, WorkerScript.open().tokens(3))
            .worker(2, HEALTHY);
    RecordingClient client = RecordingClient.requesting(3);

    rig.run(Rig.request().build(), client);
    rig.simulation.runFor(60 * SECOND);
    client.request(Long.MAX_VALUE);
    rig.simulation.run();

    assertThat(client.isCompleted()).isTrue();
    assertThat(client.tokens()).containsExactly(Rig.answer(Rig.ANSWER));
    assertThat(rig.dispatches()).hasSize(2);
  }

  @Test
  void shouldLeaveNoTimerWhenRequestEnds() {
    Rig rig =
        Rig.of(Migrator.builder().limit(1).stallTimeout(Duration.ofSeconds(1)))
            .worker(1, breakAfter(2))
            .worker(2, HEALTHY);

    rig.run(Rig.request().build());

    assertThat(rig.simulation.nowNanos()).isZero();
    assertThat(rig.simulation.pendingTaskCount()).isZero();
  }

  @Test
  void shouldFailOpenAndLaterStreamsWhenClosed() {
    Rig rig = Rig.withLimit(1).worker(1, WorkerScript.open().tokens(2));
    RecordingClient open = RecordingClient.unbounded();

    rig.run(Rig.request().build(), open);
    rig.migrator.close();
    rig.migrator.close();
    RecordingClient later = rig.run(Rig.request().build());

    assertThat(open.failure().errorType()).isEqualTo(ErrorType.CLOSED);
    assertThat(open.failure().tokensDelivered()).isEqualTo(2);
    assertThat(later.failure().errorType()).isEqualTo(ErrorType.CLOSED);
    assertThat(rig.dispatches()).extracting(ScriptedDispatch::isCancelled).containsExactly(true);
  }

  @Test
  void shouldFailWhenDispatcherReturnsNullOrThrows() {
    Rig nothing = Rig.of(Migrator.builder().limit(1), next -> Decorators.returningNull());
    Rig thrown =
        Rig.of(
            Migrator.builder().limit(1),
            next ->
                (request, attempt) -> {
                  throw new IllegalStateException("planted");
                });

    assertThat(nothing.run(Rig.request().build()).failure().errorType())
        .isEqualTo(ErrorType.INTERNAL);
    assertThat(thrown.run(Rig.request().build()).failure().errorType())
        .isEqualTo(ErrorType.INTERNAL);
  }

  @Test
  void shouldFailWithProtocolErrorWhenItemHasUnknownChoice() {
    Rig rig =
        Rig.withLimit(1)
            .worker(1, WorkerScript.open().item(LLMEngineOutput.of(TokenSlice.of(1)).withIndex(7)))
            .worker(2, HEALTHY);

    RecordingClient client = rig.run(Rig.request().build());

    assertThat(client.failure().errorType()).isEqualTo(ErrorType.BACKEND_PROTOCOL);
    assertThat(rig.dispatches().get(0).isCancelled()).isTrue();
  }

  @Test
  void shouldFailWithProtocolErrorWhenMoreComesThanWasAskedFor() {
    Rig rig = Rig.of(Migrator.builder(), Decorators::ignoringDemand).worker(1, HEALTHY);
    RecordingClient client = RecordingClient.requesting(2);

    rig.run(Rig.request().build(), client);

    assertThat(client.items()).hasSize(2);
    assertThat(client.failure().errorType()).isEqualTo(ErrorType.BACKEND_PROTOCOL);
  }
}
