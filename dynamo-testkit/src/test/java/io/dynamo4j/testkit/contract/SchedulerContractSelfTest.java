// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.Scheduler;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The contract catches one planted wrong lane of each kind, and passes the right one. */
class SchedulerContractSelfTest {

  /** Threads may happen to take turns: with a busy machine a race needs more than one run. */
  private static final int OVERLAP_RUNS = 20;

  /** Tasks that overlap lose counts, and the wait for the last count then never ends. */
  private static final long RACING_TIMEOUT_MILLIS = 1_000;

  private static final List<String> OVERLAP_TESTS =
      List.of(
          "shouldKeepEachSendersOrderAndNeverOverlapWhenManyLanesSend",
          "shouldNotOverlapWithExecutedTasksWhenTimerFires");

  @Test
  void shouldPassTheRightLaneThroughTheSameMachinery() {
    assertThat(
            ContractRun.failures(SchedulerContract.class, PooledRealLaneContractTest::new).keySet())
        .isEmpty();
  }

  @Test
  void shouldCatchLaneThatRunsInline() {
    assertThat(failuresOf(wrapping(Inline::new), RACING_TIMEOUT_MILLIS))
        .contains(
            "shouldNotRunInlineWhenExecutingFromOutside",
            "shouldNotRunInlineWhenExecutingFromTheSameLane",
            "shouldNotRunInlineWhenExecutingFromAnotherLane");
  }

  @Test
  void shouldCatchLaneThatRunsLastInFirstOut() {
    assertThat(failuresOf(wrapping(LastInFirstOut::new)))
        .contains("shouldRunInCallOrderWhenExecutedFromOneThread");
  }

  @Test
  void shouldCatchLaneWhoseTasksOverlap() {
    Set<String> failures = Set.of();
    for (int run = 0; run < OVERLAP_RUNS && Collections.disjoint(failures, OVERLAP_TESTS); run++) {
      failures =
          failuresOf(
              (right, pool, timer) -> name -> new Overlapping(right.lane(name), pool),
              RACING_TIMEOUT_MILLIS);
    }
    assertThat(failures).containsAnyElementsOf(OVERLAP_TESTS);
  }

  @Test
  void shouldCatchTimerThatIsEarly() {
    assertThat(failuresOf(wrapping(EarlyTimer::new))).contains("shouldNeverRunEarlyWhenScheduled");
  }

  @Test
  void shouldCatchCancelThatKeepsTheTask() {
    assertThat(failuresOf(wrapping(LeakyCancel::new)))
        .containsExactly("shouldForgetTaskWhenCancelled");
  }

  @Test
  void shouldCatchCancelThatForgetsTheLanesQueue() {
    assertThat(failuresOf((right, pool, timer) -> name -> new LateCancel(right.lane(name), timer)))
        .contains("shouldNotRunWhenCancelledAfterItsDeadlineButBeforeItsTurn");
  }

  @Test
  void shouldCatchTimersOfOneDeadlineOutOfOrder() {
    assertThat(failuresOf(wrapping(ShuffledTimers::new)))
        .contains("shouldKeepCallOrderWhenDeadlinesAreEqual");
  }

  private static Set<String> failuresOf(PlantedLaneHarness.PlantedLanes planted) {
    return failuresOf(planted, PlantedLaneHarness.PATIENCE_MILLIS);
  }

  private static Set<String> failuresOf(
      PlantedLaneHarness.PlantedLanes planted, long timeoutMillis) {
    return ContractRun.failures(
            SchedulerContract.class,
            () ->
                new SchedulerContract() {
                  @Override
                  protected LaneHarness newHarness() {
                    return PlantedLaneHarness.of(planted, timeoutMillis);
                  }
                })
        .keySet();
  }

  private static PlantedLaneHarness.PlantedLanes wrapping(Function<Scheduler, Scheduler> wrong) {
    return (right, pool, timer) -> name -> wrong.apply(right.lane(name));
  }

  private static class Forwarding implements Scheduler {
    final Scheduler right;

    Forwarding(Scheduler right) {
      this.right = right;
    }

    @Override
    public NanoClock clock() {
      return right.clock();
    }

    @Override
    public void execute(Runnable task) {
      right.execute(task);
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
      return right.schedule(task, delayNanos);
    }
  }

  private static final class Inline extends Forwarding {
    Inline(Scheduler right) {
      super(right);
    }

    @Override
    public void execute(Runnable task) {
      task.run();
    }
  }

  private static final class LastInFirstOut extends Forwarding {
    private final Deque<Runnable> stack = new ArrayDeque<>();

    LastInFirstOut(Scheduler right) {
      super(right);
    }

    @Override
    public void execute(Runnable task) {
      synchronized (stack) {
        stack.push(task);
      }
      right.execute(
          () -> {
            Runnable last;
            synchronized (stack) {
              last = stack.pop();
            }
            last.run();
          });
    }
  }

  private static final class Overlapping extends Forwarding {
    private final ExecutorService pool;

    Overlapping(Scheduler right, ExecutorService pool) {
      super(right);
      this.pool = pool;
    }

    @Override
    public void execute(Runnable task) {
      pool.execute(
          () -> {
            try {
              task.run();
            } catch (RuntimeException lost) {
              // What a task threw is not what this lane is planted for.
            }
          });
    }
  }

  /** Fires before its clock has moved: early however slow the machine is. */
  private static final class EarlyTimer extends Forwarding {
    EarlyTimer(Scheduler right) {
      super(right);
    }

    @Override
    public NanoClock clock() {
      return () -> 0;
    }
  }

  private static final class LeakyCancel extends Forwarding {
    LeakyCancel(Scheduler right) {
      super(right);
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
      Cancellable handle = right.schedule(task, delayNanos);
      return new LeakyHandle(task, handle);
    }
  }

  /** A handle that goes on referring to the task. */
  private record LeakyHandle(Runnable task, Cancellable right) implements Cancellable {
    @Override
    public boolean cancel() {
      return right.cancel();
    }
  }

  /** Withdraws the timer but not what the timer already sent to the lane. */
  private static final class LateCancel extends Forwarding {
    private final ScheduledExecutorService timer;

    LateCancel(Scheduler right, ScheduledExecutorService timer) {
      super(right);
      this.timer = timer;
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
      AtomicBoolean over = new AtomicBoolean();
      var unused =
          timer.schedule(
              () ->
                  right.execute(
                      () -> {
                        over.set(true);
                        task.run();
                      }),
              delayNanos,
              TimeUnit.NANOSECONDS);
      return () -> over.compareAndSet(false, true);
    }
  }

  private static final class ShuffledTimers extends Forwarding {
    private int calls;

    ShuffledTimers(Scheduler right) {
      super(right);
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
      return right.schedule(task, delayNanos + (++calls % 2) * 1_000_000L);
    }
  }
}
