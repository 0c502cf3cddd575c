// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.MigrationPhase;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.testkit.script.ScriptedDispatch;
import io.dynamo4j.testkit.script.ScriptedDispatcher;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Plays one scenario through the migrator and compares everything visible with the model. */
final class MigrationHarness {
  private static final int REQUESTS = 2;

  private final Scenario scenario;
  private MigrationModel model;
  private boolean joined;
  private final PlantedBug bug;
  private final PlantedBug.Memory memory = new PlantedBug.Memory();
  private final Simulation simulation;
  private final TimerLedger timers;
  private final RandomSource thinking;
  private final List<MigrationEvent> events = new ArrayList<>();
  private final ScriptedDispatcher workers = ScriptedDispatcher.create();
  private final Migrator<PreprocessedRequest, LLMEngineOutput> migrator;
  private @Nullable CompletableFuture<DrainResult> drained;
  private final List<Long> dispatchTimes = new ArrayList<>();
  private long startNanos;
  private int timersAtEnd;
  private int clientFaults;

  private MigrationHarness(long seed, PlantedBug bug) {
    this.scenario = Scenario.draw(seed);
    this.model = MigrationModel.of(scenario, /* joined= */ false);
    this.bug = bug;
    this.simulation = Simulation.builder().seed(seed).maxEvents(100_000).build();
    this.thinking = simulation.random("thinking");
    Environment gateway = simulation.environment("gateway");
    this.timers =
        new TimerLedger(
            ClientFaults.caught(gateway.lanes(), () -> clientFaults++),
            bug != PlantedBug.TIMER_NOT_CANCELLED);
    int last = scenario.workers.size() - 1;
    for (int i = 0; i <= last; i++) {
      if (i < last || scenario.joinAt == Long.MAX_VALUE) {
        addWorker(i);
      }
    }
    this.migrator =
        Migrator.builder()
            .policy(bug.policy(scenario.policy))
            .adapter(bug.adapter())
            .dispatcher(interfering())
            .environment(new Environment(timers, gateway.wallClock(), gateway.random()))
            .listener(this::record)
            .build();
  }

  /** Throws an {@link AssertionError} or the simulation's failure if anything differs. */
  static void check(long seed, PlantedBug bug) {
    MigrationHarness harness = new MigrationHarness(seed, bug);
    try {
      for (int i = 0; i < REQUESTS; i++) {
        harness.playOne();
      }
    } catch (RuntimeException | AssertionError failure) {
      throw new AssertionError(
          "seed=" + seed + ", bug=" + bug + ", " + harness.scenario + ", model=" + harness.model,
          failure);
    }
  }

  /** Returns whether the scenario of a seed makes the model take this many attempts. */
  static MigrationModel model(long seed) {
    return MigrationModel.of(Scenario.draw(seed), /* joined= */ false);
  }

  private void addWorker(int index) {
    workers.worker(index + 1, Act.script(scenario.workers.get(index), scenario.deaf.get(index)));
  }

  private RequestDispatcher<PreprocessedRequest, LLMEngineOutput> interfering() {
    return (request, attempt) -> {
      dispatchTimes.add(simulation.nowNanos() - startNanos);
      // Workers' pauses are timers of the attempt's lane, but not the migrator's.
      Attempt seen = SignalFilter.onLane(attempt, TimerLedger.uncounted(attempt.lane()));
      return bug.onAttempt(workers.dispatch(request, bug.attempt(seen, memory)), attempt, memory);
    };
  }

  private void scheduleEvents() {
    drained = null;
    if (scenario.drainAt != Long.MAX_VALUE && bug.drains()) {
      simulation.controller().schedule(this::drain, scenario.drainAt);
    }
    if (scenario.joinAt != Long.MAX_VALUE && !joined) {
      joined = true;
      simulation
          .controller()
          .schedule(() -> addWorker(scenario.workers.size() - 1), scenario.joinAt);
    }
  }

  private void drain() {
    drained =
        migrator
            .drain(scenario.drained, Duration.ofNanos(Scenario.DRAIN_TIME))
            .toCompletableFuture();
  }

  private void playOne() {
    model = MigrationModel.of(scenario, joined);
    int dispatchesBefore = workers.dispatches().size();
    MigratorStats before = migrator.stats();
    events.clear();
    dispatchTimes.clear();
    startNanos = simulation.nowNanos();
    clientFaults = 0;
    RecordingClient client = client();
    simulation
        .controller()
        .execute(
            () ->
                bug.onAnswer(migrator.migrate(scenario.request(), bug.options(scenario.options)))
                    .subscribe(client));
    if (scenario.client == Scenario.ClientShape.CANCELS) {
      simulation
          .controller()
          .schedule(
              () -> leave(client), Duration.ofMillis(1 + 37L * scenario.clientStopsAt).toNanos());
    }
    scheduleEvents();
    simulation.run();
    assertThat(drained == null || drained.isDone()).as("drain ended").isTrue();
    if (scenario.client == Scenario.ClientShape.PAUSING && !client.isEnded()) {
      client.request(Long.MAX_VALUE);
      simulation.run();
    }
    List<ScriptedDispatch> dispatches =
        workers.dispatches().subList(dispatchesBefore, workers.dispatches().size());
    checkDispatches(dispatches);
    assertThat(clientFaults)
        .as("reports of a client's throw")
        .isEqualTo(client.hasThrown() ? 1 : 0);
    if (client.isCancelled() || client.hasThrown()) {
      checkLeft(client, dispatches);
    } else {
      checkAnswer(client, dispatches);
      checkCounts(before, migrator.stats());
    }
    if (!client.isEnded() && !client.isCancelled() && !client.hasThrown()) {
      client.cancel(); // A stream that hangs would take part in the next one's drain.
      simulation.run();
    }
  }

  private void record(MigrationEvent event) {
    events.add(event);
    if (event instanceof MigrationEvent.Ended) {
      timersAtEnd += timers.alive();
    }
  }

  private static void leave(RecordingClient client) {
    if (!client.isEnded()) {
      client.cancel();
    }
  }

  private RecordingClient client() {
    return switch (scenario.client) {
      case UNBOUNDED, CANCELS -> RecordingClient.unbounded();
      case WINDOW ->
          RecordingClient.requesting(scenario.clientWindow).onItem(self -> self.request(1));
      case SLOW ->
          RecordingClient.requesting(scenario.clientWindow)
              .onItem(
                  self ->
                      simulation
                          .controller()
                          .schedule(
                              () -> self.request(1),
                              Duration.ofMillis(1 + thinking.nextInt(50)).toNanos()));
      case PAUSING -> RecordingClient.requesting(scenario.clientStopsAt);
      case CANCELS_INSIDE ->
          RecordingClient.unbounded()
              .onItem(
                  self -> {
                    if (self.items().size() > scenario.clientStopsAt) {
                      self.cancel();
                    }
                  });
      case THROWS ->
          RecordingClient.unbounded()
              .onItem(
                  self -> {
                    if (self.items().size() > scenario.clientStopsAt) {
                      self.throwPlanted();
                    }
                  });
    };
  }

  private void checkDispatches(List<ScriptedDispatch> dispatches) {
    assertThat(dispatches).hasSizeLessThanOrEqualTo(model.log.dispatches.size());
    for (int i = 0; i < dispatches.size(); i++) {
      ScriptedDispatch dispatch = dispatches.get(i);
      ModelLog.Dispatch expected = model.log.dispatches.get(i);
      int delivered = expected.delivered();
      assertThat(dispatch.worker()).isEqualTo(WorkerWithDpRank.of(expected.worker()));
      assertThat(dispatch.attempt().number()).isEqualTo(expected.number());
      assertThat(dispatch.attempt().excludedWorkers())
          .extracting(worker -> (int) worker.workerId())
          .containsExactlyElementsOf(expected.excluded());
      assertThat(dispatch.request().requestId()).isEqualTo("r1");
      assertThat(dispatch.request().tokenIds().toArray()).containsExactly(Rig.sequence(delivered));
      assertThat(dispatch.request().stopConditions().maxTokens())
          .isEqualTo(
              scenario.maxTokens == StopConditions.UNSET
                  ? StopConditions.UNSET
                  : scenario.maxTokens - delivered);
      assertThat(dispatch.sentItems()).isLessThanOrEqualTo(dispatch.requestedItems());
    }
  }

  private void checkAnswer(RecordingClient client, List<ScriptedDispatch> dispatches) {
    assertThat(dispatches).hasSameSizeAs(model.log.dispatches);
    assertThat(client.tokens()).containsExactly(model.tokens());
    if (scenario.client != Scenario.ClientShape.SLOW
        && scenario.client != Scenario.ClientShape.PAUSING) {
      assertThat(dispatchTimes).as("times of dispatches").isEqualTo(model.log.dispatchTimes);
    }
    assertThat(client.isEnded()).isEqualTo(model.end() != ModelState.End.HANGS);
    assertThat(client.isCompleted()).isEqualTo(model.end() == ModelState.End.COMPLETED);
    if (model.end() == ModelState.End.FAILED) {
      assertThat(client.failure().errorType()).isEqualTo(model.error());
      assertThat(client.failure().tokensDelivered()).isEqualTo(model.tokens().length);
    }
    if (model.finish() == null) {
      assertThat(client.finishReasons()).isEmpty();
    } else {
      assertThat(client.finishReasons()).hasSize(1);
      if (scenario.client != Scenario.ClientShape.PAUSING) {
        assertThat(client.finishReasons()).containsExactly(model.finish());
      }
    }
    if (client.isEnded()) {
      checkNothingLeft(dispatches);
    }
  }

  private void checkLeft(RecordingClient client, List<ScriptedDispatch> dispatches) {
    int received = client.tokens().length;
    assertThat(received).isLessThanOrEqualTo(model.tokens().length);
    assertThat(client.tokens()).containsExactly(Arrays.copyOf(model.tokens(), received));
    checkNothingLeft(dispatches);
  }

  private void checkNothingLeft(List<ScriptedDispatch> dispatches) {
    assertThat(dispatches).allMatch(dispatch -> dispatch.isEnded() || dispatch.isCancelled());
    assertThat(timersAtEnd).as("timers at the request's end").isZero();
    assertThat(events.stream().filter(MigrationEvent.Ended.class::isInstance)).hasSize(1);
  }

  private void checkCounts(MigratorStats before, MigratorStats after) {
    assertThat(grown(before, after, MigrationPhase.NEW_REQUEST)).isEqualTo(model.log.newRequests);
    assertThat(grown(before, after, MigrationPhase.ONGOING_REQUEST))
        .isEqualTo(model.log.ongoingRequests);
    assertThat(after.maxSeqLenExceeded() - before.maxSeqLenExceeded())
        .isEqualTo(model.log.exceeded);
    assertThat(after.hedges() - before.hedges()).as("hedges").isEqualTo(model.log.hedges);
    assertThat(after.hedgesWon() - before.hedgesWon()).isEqualTo(model.log.hedgesWon);
    assertThat(after.moves() - before.moves()).as("moves").isEqualTo(model.log.moves);
    assertThat(after.stalls() - before.stalls()).as("stalls").isEqualTo(model.log.stalls);
    assertThat(after.waits() - before.waits()).as("waits").isEqualTo(model.log.waits);
  }

  private static long grown(MigratorStats before, MigratorStats after, MigrationPhase phase) {
    return after.migrations(phase) - before.migrations(phase);
  }
}
