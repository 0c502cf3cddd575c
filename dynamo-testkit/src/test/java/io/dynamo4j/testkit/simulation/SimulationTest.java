// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.runtime.Scheduler;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class SimulationTest {
  private final List<String> log = new ArrayList<>();

  private static Simulation reference() {
    return Simulation.builder().mode(Mode.REFERENCE).build();
  }

  private Runnable log(String entry) {
    return () -> log.add(entry);
  }

  @Test
  void shouldRunTasksInOrderOfTimeWhenDelaysDiffer() {
    Simulation simulation = reference();
    Scheduler lane = simulation.node("a").lane("x");
    lane.schedule(log("late"), 30);
    lane.schedule(() -> log.add("early at " + simulation.nowNanos()), 10);
    lane.execute(log("now"));

    simulation.run();

    assertThat(log).containsExactly("now", "early at 10", "late");
    assertThat(simulation.nowNanos()).isEqualTo(30);
    assertThat(simulation.eventCount()).isEqualTo(3);
  }

  @Test
  void shouldNotRunInlineWhenExecuting() {
    Simulation simulation = reference();
    simulation.controller().execute(log("task"));
    assertThat(log).isEmpty();
  }

  @Test
  void shouldKeepCallOrderAcrossLanesWhenInReferenceMode() {
    Simulation simulation = reference();
    for (int i = 0; i < 20; i++) {
      simulation.node("n" + i).lane("x").execute(log("" + i));
    }
    simulation.run();
    for (int i = 0; i < 20; i++) {
      assertThat(log.get(i)).isEqualTo("" + i);
    }
  }

  @Test
  void shouldInterleaveLanesByTheSeedButKeepEachLanesOrderWhenTiesAreRandom() {
    Set<List<String>> orders = new LinkedHashSet<>();
    for (long seed = 0; seed < 50; seed++) {
      log.clear();
      Simulation simulation = Simulation.builder().seed(seed).mode(Mode.RANDOM_TIES).build();
      Scheduler a = simulation.node("a").lane("x");
      Scheduler b = simulation.node("b").lane("x");
      a.execute(log("a1"));
      b.execute(log("b1"));
      a.execute(log("a2"));
      b.execute(log("b2"));
      simulation.run();
      assertThat(log).as("seed %s", seed).containsSubsequence("a1", "a2");
      assertThat(log).as("seed %s", seed).containsSubsequence("b1", "b2");
      orders.add(List.copyOf(log));
    }
    assertThat(orders).hasSizeGreaterThan(1);
  }

  @Test
  void shouldRunEndOfInstantTaskOnlyWhenNoTaskOfTheInstantIsLeft() {
    Simulation simulation = reference();
    Scheduler lane = simulation.node("a").lane("x");
    simulation.atEndOfInstant(
        () -> {
          log.add("end 1");
          lane.execute(log("from end 1"));
          simulation.atEndOfInstant(log("end 3"));
        });
    simulation.atEndOfInstant(log("end 2"));
    lane.execute(() -> lane.execute(log("second")));
    lane.schedule(log("later"), 1);

    simulation.run();

    assertThat(log).containsExactly("second", "end 1", "from end 1", "end 2", "end 3", "later");
  }

  @Test
  void shouldRunEndOfInstantTasksBeforeReturningWhenRunUntilReachesTheirInstant() {
    Simulation simulation = reference();
    simulation.controller().schedule(() -> simulation.atEndOfInstant(log("end")), 5);
    simulation.runUntil(5);
    assertThat(log).containsExactly("end");
    simulation.runFor(7);
    assertThat(simulation.nowNanos()).isEqualTo(12);
  }

  @Test
  void shouldNotRunCancelledTaskAndReportOnlyFirstCancel() {
    Simulation simulation = reference();
    var cancelled = simulation.controller().schedule(log("cancelled"), 5);
    var ran = simulation.controller().schedule(log("ran"), 5);
    assertThat(cancelled.cancel()).isTrue();
    assertThat(cancelled.cancel()).isFalse();
    assertThat(simulation.pendingTaskCount()).isEqualTo(1);
    simulation.run();
    assertThat(log).containsExactly("ran");
    assertThat(ran.cancel()).isFalse();
  }

  @Test
  void shouldDropTasksOfTheOldLifeAndRunThoseOfTheNewWhenNodeCrashes() {
    Simulation simulation = reference();
    SimulatedNode node = simulation.node("worker");
    Scheduler old = node.lane("engine");
    old.schedule(log("pending"), 10);
    node.atEndOfInstant(log("end of old life"));
    node.crash();
    old.execute(log("sent to the dead"));
    var handle = old.schedule(log("timer of the dead"), 1);
    node.lane("engine").execute(log("new life"));

    simulation.run();

    assertThat(log).containsExactly("new life");
    assertThat(handle.cancel()).isTrue();
    assertThat(simulation.pendingTaskCount()).isZero();
    assertThat(node.lifeNumber()).isEqualTo(1);
  }

  @Test
  void shouldGiveEachLifeItsOwnChanceWhenNodeRestarts() {
    Simulation simulation = reference();
    long first = simulation.environment("worker").random().nextLong();
    assertThat(simulation.environment("worker").random().nextLong()).isEqualTo(first);
    simulation.node("worker").crash();
    assertThat(simulation.environment("worker").random().nextLong()).isNotEqualTo(first);
  }

  @Test
  void shouldRunStalledTasksAtTheEndOfTheStallInDeadlineOrder() {
    Simulation simulation = reference();
    SimulatedNode node = simulation.node("gateway");
    Scheduler lane = node.lane("x");
    lane.schedule(() -> log.add("at 100 by " + simulation.nowNanos()), 100);
    lane.schedule(log("at 20"), 20);
    lane.schedule(log("at 10"), 10);
    simulation.node("other").lane("y").schedule(log("other at 15"), 15);
    node.stallUntil(100);

    simulation.run();

    assertThat(log).containsExactly("other at 15", "at 10", "at 20", "at 100 by 100");
  }

  @Test
  void shouldStallOneLaneOnlyWhenAskedFor() {
    Simulation simulation = reference();
    SimulatedNode node = simulation.node("gateway");
    Scheduler stalled = node.lane("x");
    stalled.execute(log("stalled"));
    node.lane("y").execute(log("free"));
    node.stallLaneUntil(stalled, 50);
    simulation.run();
    assertThat(log).containsExactly("free", "stalled");
    assertThatThrownBy(() -> node.stallLaneUntil(simulation.controller(), 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldNeverFireEarlyByTheNodesClockWhenClockDrifts() {
    for (int ppm : new int[] {-200_000, -200, 0, 200, 333_333}) {
      Simulation simulation = reference();
      SimulatedNode node = simulation.node("n");
      node.adjustClock(-1_000_000_000, ppm);
      Scheduler lane = node.lane("x");
      for (long delay = 1; delay < 5_000_000_000L; delay = delay * 3 + 1) {
        long wanted = delay;
        long start = lane.clock().nanoTime();
        lane.schedule(
            () -> {
              long passed = lane.clock().nanoTime() - start;
              assertThat(passed).isBetween(wanted, wanted + 2);
              log.add("fired");
            },
            delay);
      }
      simulation.run();
    }
    assertThat(log).hasSizeGreaterThan(50);
  }

  @Test
  void shouldNotFireEarlyWhenClockSlowsAfterScheduling() {
    Simulation simulation = reference();
    SimulatedNode node = simulation.node("n");
    Scheduler lane = node.lane("x");
    lane.schedule(() -> log.add("local " + lane.clock().nanoTime()), 1_000_000);
    node.adjustClock(0, -500_000);
    simulation.run();
    assertThat(log).containsExactly("local 1000000");
    assertThat(simulation.nowNanos()).isEqualTo(2_000_000);
    assertThatThrownBy(() -> node.adjustClock(-1, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldDeriveWallClockFromVirtualTime() {
    Simulation simulation =
        Simulation.builder().wallStart(Instant.parse("2026-02-03T00:00:00Z")).build();
    var wallClock = simulation.environment("n").wallClock();
    simulation.runFor(1_500_000_000L);
    assertThat(wallClock.instant()).isEqualTo(Instant.parse("2026-02-03T00:00:01.5Z"));
  }

  @Test
  void shouldKeepLaneOrderWhenExecuteIsJittered() {
    Set<Long> ends = new LinkedHashSet<>();
    for (long seed = 0; seed < 20; seed++) {
      log.clear();
      Simulation simulation = Simulation.builder().seed(seed).maxExecuteJitterNanos(1000).build();
      Scheduler lane = simulation.node("a").lane("x");
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        lane.execute(log("" + i));
        expected.add("" + i);
      }
      simulation.run();
      assertThat(log).isEqualTo(expected);
      ends.add(simulation.nowNanos());
    }
    assertThat(ends).hasSizeGreaterThan(10).allMatch(end -> end <= 1000);
  }

  @Test
  void shouldFailAtOnceWithReplayLineWhenTaskThrows() {
    Simulation simulation = Simulation.builder().seed(42).scenario("demo").build();
    Scheduler lane = simulation.node("worker-3").lane("engine");
    lane.schedule(
        () -> {
          throw new IllegalArgumentException("boom");
        },
        7);
    lane.schedule(log("never"), 8);

    assertThatThrownBy(simulation::run)
        .isInstanceOfSatisfying(
            SimulationFailure.class,
            failure -> {
              assertThat(failure.kind()).isEqualTo(SimulationFailure.Kind.TASK_FAILED);
              assertThat(failure.recentEvents()).hasSize(1);
              assertThat(failure.recentEvents().get(0)).contains("worker-3/engine");
            })
        .hasMessageContainingAll(
            "seed=42", "scenario=demo", "event=1", "timeNanos=7", "worker-3/engine", "traceHash=")
        .hasMessageNotContaining("\n")
        .hasRootCauseMessage("boom");
    assertThatThrownBy(simulation::run)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has failed");
    assertThat(log).isEmpty();
  }

  @Test
  void shouldKeepTheLastTwoHundredEventsWhenRunFails() {
    Simulation simulation = reference();
    for (int i = 0; i < 1000; i++) {
      simulation.controller().execute(() -> {});
    }
    simulation.controller().execute(() -> simulation.note("about to fail"));
    simulation
        .controller()
        .execute(
            () -> {
              throw new AssertionError("oracle");
            });
    assertThatThrownBy(simulation::run)
        .isInstanceOfSatisfying(
            SimulationFailure.class,
            failure ->
                assertThat(failure.recentEvents())
                    .hasSize(200)
                    .anyMatch(line -> line.endsWith("about to fail")))
        .hasCauseInstanceOf(AssertionError.class);
  }

  @Test
  void shouldFailTheRunWhenCheckAfterEventThrows() {
    Simulation simulation = reference();
    simulation.afterEachEvent(
        () -> {
          if (simulation.eventCount() == 3) {
            throw new AssertionError("third");
          }
        });
    for (int i = 0; i < 5; i++) {
      simulation.controller().execute(log("" + i));
    }
    assertThatThrownBy(simulation::run).hasMessageContaining("third");
    assertThat(log).hasSize(3);
  }

  @Test
  void shouldReturnValueWhenAwaitedStageCompletes() {
    Simulation simulation = reference();
    CompletableFuture<String> stage = new CompletableFuture<>();
    simulation.controller().schedule(() -> stage.complete("value"), 100);
    simulation.controller().schedule(log("later"), 200);
    assertThat(simulation.await(stage)).isEqualTo("value");
    assertThat(simulation.nowNanos()).isEqualTo(100);
    assertThat(log).isEmpty();
  }

  @Test
  void shouldThrowTheCauseWhenAwaitedStageFails() {
    Simulation simulation = reference();
    CompletableFuture<String> stage = new CompletableFuture<>();
    simulation
        .controller()
        .execute(() -> stage.completeExceptionally(new IllegalStateException("no")));
    assertThatThrownBy(() -> simulation.await(stage))
        .isInstanceOf(CompletionException.class)
        .hasRootCauseMessage("no");
  }

  @Test
  void shouldReportDeadlockWhenQueueIsEmptyBeforeStageCompletes() {
    Simulation simulation = reference();
    simulation.controller().execute(() -> {});
    assertThatThrownBy(() -> simulation.await(new CompletableFuture<Void>()))
        .isInstanceOfSatisfying(
            SimulationFailure.class,
            failure -> assertThat(failure.kind()).isEqualTo(SimulationFailure.Kind.DEADLOCK));
  }

  @Test
  void shouldRefuseToPumpWhenInsideAnEvent() {
    Simulation simulation = reference();
    simulation.controller().execute(simulation::run);
    assertThatThrownBy(simulation::run)
        .isInstanceOf(SimulationFailure.class)
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("inside an event");

    Simulation other = reference();
    other.controller().execute(() -> other.await(CompletableFuture.completedFuture("done")));
    assertThatThrownBy(other::run).hasCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldFailWhenTasksReArmWithoutDelay() {
    Simulation simulation = Simulation.builder().maxEventsPerMilli(1000).build();
    rearm(simulation, 0);
    assertKind(simulation, SimulationFailure.Kind.ZERO_DELAY_LOOP);
  }

  @Test
  void shouldFailWhenEventsExceedTheLimit() {
    Simulation simulation = Simulation.builder().maxEvents(1000).build();
    rearm(simulation, 1_000_000);
    assertKind(simulation, SimulationFailure.Kind.TOO_MANY_EVENTS);
  }

  @Test
  void shouldFailWhenTimePassesWithoutProgress() {
    Simulation simulation = Simulation.builder().maxNanosWithoutProgress(10_000_000).build();
    simulation.controller().schedule(simulation::noteProgress, 9_000_000);
    rearm(simulation, 1_000_000);
    assertKind(simulation, SimulationFailure.Kind.NO_PROGRESS);
    assertThat(simulation.nowNanos()).isEqualTo(20_000_000);
  }

  private static void rearm(Simulation simulation, long delayNanos) {
    simulation.controller().schedule(() -> rearm(simulation, delayNanos), delayNanos);
  }

  private static void assertKind(Simulation simulation, SimulationFailure.Kind kind) {
    assertThatThrownBy(simulation::run)
        .isInstanceOfSatisfying(
            SimulationFailure.class, failure -> assertThat(failure.kind()).isEqualTo(kind));
  }

  @Test
  void shouldRefuseCallsWhenMadeFromAnotherThread() throws Exception {
    Simulation simulation = reference();
    List<Throwable> thrown = new ArrayList<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                simulation.controller().execute(() -> {});
              } catch (IllegalStateException e) {
                thrown.add(e);
              }
            });
    thread.start();
    thread.join();
    assertThat(thrown).singleElement().asString().contains("another thread");
  }

  @Test
  void shouldRepeatTheTraceWhenSeedIsTheSameAndDifferWhenItIsNot() {
    Simulation first = chatter(1);
    Simulation again = chatter(1);
    Simulation other = chatter(2);
    assertThat(again.traceHash()).isEqualTo(first.traceHash());
    assertThat(again.traceCheckpoints()).isEqualTo(first.traceCheckpoints()).hasSizeGreaterThan(2);
    assertThat(other.traceHash()).isNotEqualTo(first.traceHash());
  }

  private static Simulation chatter(long seed) {
    Simulation simulation = Simulation.builder().seed(seed).checkpointShift(6).build();
    List<Scheduler> lanes = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      lanes.add(simulation.node("n" + i).lane("x"));
    }
    var random = simulation.random("chatter");
    for (int i = 0; i < 300; i++) {
      Scheduler from = lanes.get(random.nextInt(5));
      Scheduler to = lanes.get(random.nextInt(5));
      from.schedule(() -> to.execute(() -> simulation.note("x")), random.nextInt(20));
    }
    simulation.run();
    return simulation;
  }
}
