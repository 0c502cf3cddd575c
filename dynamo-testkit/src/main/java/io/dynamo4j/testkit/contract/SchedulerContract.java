// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Scheduler;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * What every {@link Scheduler} promises, on real threads and in virtual time alike.
 *
 * <p>State of the tests is plain and guarded by the lane alone: a lane whose tasks overlap or are
 * not ordered in memory shows as a wrong count.
 */
public abstract class SchedulerContract {
  private static final int MORE_THAN_A_TURN = 1000;
  private static final int PRODUCERS = 4;
  private static final long MILLI = 1_000_000;

  /** Returns lanes that nobody has used yet. */
  protected abstract LaneHarness newHarness();

  // execute

  @Test
  public void shouldNotRunInlineWhenExecutingFromOutside() {
    assertNeverInline(Scheduler::execute);
  }

  @Test
  public void shouldNotRunInlineWhenExecutingFromTheSameLane() {
    try (LaneHarness harness = newHarness()) {
      Scheduler lane = harness.lanes().lane("lane");
      List<String> log = new ArrayList<>();
      CompletableFuture<Void> done = new CompletableFuture<>();
      lane.execute(
          () -> {
            lane.execute(() -> log.add("second"));
            lane.execute(() -> done.complete(null));
            log.add("first");
          });
      harness.await(done);
      assertThat(log).containsExactly("first", "second");
    }
  }

  @Test
  public void shouldNotRunInlineWhenExecutingFromAnotherLane() {
    try (LaneHarness harness = newHarness()) {
      Scheduler from = harness.lanes().lane("from");
      Scheduler to = harness.lanes().lane("to");
      InlineProbe probe = new InlineProbe();
      from.execute(() -> probe.call(task -> to.execute(task)));
      harness.await(probe.ran);
      assertThat(probe.wasInline).as("ran on its caller's stack").isFalse();
    }
  }

  @Test
  public void shouldRunInCallOrderWhenExecutedFromOneThread() {
    try (LaneHarness harness = newHarness()) {
      Scheduler lane = harness.lanes().lane("lane");
      List<Integer> ran = new ArrayList<>();
      CompletableFuture<Void> done = new CompletableFuture<>();
      for (int i = 0; i < MORE_THAN_A_TURN; i++) {
        int number = i;
        lane.execute(() -> ran.add(number));
      }
      lane.execute(() -> done.complete(null));
      harness.await(done);
      assertThat(ran).hasSize(MORE_THAN_A_TURN).isSorted();
    }
  }

  @Test
  public void shouldKeepEachSendersOrderAndNeverOverlapWhenManyLanesSend() {
    try (LaneHarness harness = newHarness()) {
      Scheduler lane = harness.lanes().lane("lane");
      Receiver receiver = new Receiver();
      for (int producer = 0; producer < PRODUCERS; producer++) {
        int sender = producer;
        Scheduler from = harness.lanes().lane("sender-" + sender);
        from.execute(() -> sendAll(sender, lane, receiver));
      }
      harness.await(receiver.done);
      assertThat(receiver.outOfOrder).as("tasks out of their sender's order").isZero();
      assertThat(receiver.overlaps).as("overlapping tasks").isZero();
      assertThat(receiver.count).isEqualTo(PRODUCERS * MORE_THAN_A_TURN);
    }
  }

  private static void sendAll(int sender, Scheduler lane, Receiver receiver) {
    for (int i = 0; i < MORE_THAN_A_TURN; i++) {
      int number = i;
      lane.execute(() -> receiver.receive(sender, number));
    }
  }

  // schedule

  @Test
  public void shouldNeverRunEarlyWhenScheduled() {
    try (LaneHarness harness = newHarness()) {
      Scheduler lane = harness.lanes().lane("lane");
      List<CompletableFuture<Long>> early = new ArrayList<>();
      for (long delay : new long[] {1, 1000, MILLI, 5 * MILLI, 20 * MILLI}) {
        CompletableFuture<Long> left = new CompletableFuture<>();
        early.add(left);
        long due = lane.clock().nanoTime() + delay;
        lane.schedule(() -> left.complete(due - lane.clock().nanoTime()), delay);
      }
      for (CompletableFuture<Long> left : early) {
        harness.await(left);
        assertThat(left.getNow(Long.MAX_VALUE)).as("nanoseconds too early").isLessThanOrEqualTo(0);
      }
    }
  }

  @Test
  public void shouldKeepCallOrderWhenDeadlinesAreEqual() {
    try (LaneHarness harness = newHarness()) {
      Scheduler lane = harness.lanes().lane("lane");
      List<Integer> ran = new ArrayList<>();
      CompletableFuture<Void> done = new CompletableFuture<>();
      lane.execute(
          () -> {
            for (int i = 0; i < MORE_THAN_A_TURN; i++) {
              int number = i;
              lane.schedule(() -> ran.add(number), MILLI);
            }
            lane.schedule(() -> done.complete(null), MILLI);
          });
      harness.await(done);
      assertThat(ran).hasSize(MORE_THAN_A_TURN).isSorted();
    }
  }

  @Test
  public void shouldRunSoonButNotInlineWhenDelayIsZeroOrLess() {
    assertNeverInline((lane, task) -> lane.schedule(task, 0));
    assertNeverInline((lane, task) -> lane.schedule(task, -1));
    assertNeverInline((lane, task) -> lane.schedule(task, Long.MIN_VALUE));
  }

  @Test
  public void shouldNotOverlapWithExecutedTasksWhenTimerFires() {
    try (LaneHarness harness = newHarness()) {
      Scheduler lane = harness.lanes().lane("lane");
      Receiver receiver = new Receiver();
      for (int i = 0; i < MORE_THAN_A_TURN; i++) {
        for (int sender = 0; sender < PRODUCERS; sender++) {
          int from = sender;
          int number = i;
          if (sender % 2 == 0) {
            lane.execute(() -> receiver.receive(from, number));
          } else {
            lane.schedule(() -> receiver.receive(from, number), 1);
          }
        }
      }
      harness.await(receiver.done);
      assertThat(receiver.overlaps).as("overlapping tasks").isZero();
      assertThat(receiver.count).isEqualTo(PRODUCERS * MORE_THAN_A_TURN);
    }
  }

  @Test
  public void shouldNeverGoBackWhenClockIsRead() {
    try (LaneHarness harness = newHarness()) {
      Scheduler lane = harness.lanes().lane("lane");
      CompletableFuture<Void> done = new CompletableFuture<>();
      AtomicReference<Long> backwards = new AtomicReference<>(0L);
      readClock(lane, lane.clock().nanoTime(), 100, backwards, done);
      harness.await(done);
      assertThat(backwards.get()).isZero();
    }
  }

  private static void readClock(
      Scheduler lane,
      long last,
      int left,
      AtomicReference<Long> backwards,
      CompletableFuture<Void> done) {
    long now = lane.clock().nanoTime();
    if (now < last) {
      backwards.set(last - now);
    }
    if (left == 0) {
      done.complete(null);
    } else {
      lane.schedule(() -> readClock(lane, now, left - 1, backwards, done), left % 2 * 1000L);
    }
  }

  // cancel

  @Test
  public void shouldNotRunWhenCancelReturnedTrue() {
    try (LaneHarness harness = newHarness()) {
      Scheduler lane = harness.lanes().lane("lane");
      AtomicBoolean ran = new AtomicBoolean();
      Cancellable handle = lane.schedule(() -> ran.set(true), 2 * MILLI);
      boolean cancelled = handle.cancel();
      // A busy machine may run the task before the cancel comes; that one proves nothing.
      for (int tries = 1; !cancelled && tries < 50; tries++) {
        awaitTimer(harness, lane, 4 * MILLI);
        ran.set(false);
        handle = lane.schedule(() -> ran.set(true), 2 * MILLI);
        cancelled = handle.cancel();
      }
      assertThat(cancelled).isTrue();
      assertThat(handle.cancel()).as("second cancel").isFalse();
      awaitTimer(harness, lane, 4 * MILLI);
      assertThat(ran).isFalse();
    }
  }

  @Test
  public void shouldNotRunWhenCancelledAfterItsDeadlineButBeforeItsTurn() {
    try (LaneHarness harness = newHarness()) {
      Scheduler lane = harness.lanes().lane("lane");
      AtomicBoolean ran = new AtomicBoolean();
      CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
      lane.execute(
          () -> {
            Cancellable handle = lane.schedule(() -> ran.set(true), 1);
            harness.keepBusy(5 * MILLI);
            cancelled.complete(handle.cancel());
          });
      harness.await(cancelled);
      awaitTimer(harness, lane, 4 * MILLI);
      assertThat(cancelled.getNow(false)).isTrue();
      assertThat(ran).isFalse();
    }
  }

  @Test
  public void shouldReturnFalseWhenCancelledAfterItRan() {
    try (LaneHarness harness = newHarness()) {
      Scheduler lane = harness.lanes().lane("lane");
      CompletableFuture<Void> ran = new CompletableFuture<>();
      Cancellable handle = lane.schedule(() -> ran.complete(null), 1);
      harness.await(ran);
      assertThat(handle.cancel()).isFalse();
    }
  }

  @Test
  public void shouldReturnFalseWhenCancelledByItself() {
    try (LaneHarness harness = newHarness()) {
      Scheduler lane = harness.lanes().lane("lane");
      CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
      lane.execute(
          () -> {
            List<Cancellable> handle = new ArrayList<>();
            handle.add(lane.schedule(() -> cancelled.complete(handle.get(0).cancel()), 1));
          });
      harness.await(cancelled);
      assertThat(cancelled.getNow(true)).isFalse();
    }
  }

  @Test
  public void shouldEitherRunOrBeCancelledWhenAnotherLaneCancels() {
    try (LaneHarness harness = newHarness()) {
      Scheduler lane = harness.lanes().lane("lane");
      Scheduler other = harness.lanes().lane("other");
      int tasks = 200;
      int[] runs = new int[tasks];
      int[] cancels = new int[tasks];
      for (int i = 0; i < tasks; i++) {
        int number = i;
        Cancellable handle = lane.schedule(() -> runs[number]++, i * 10_000L);
        other.schedule(() -> cancels[number] = handle.cancel() ? 1 : 0, i * 10_000L);
      }
      awaitTimer(harness, lane, tasks * 10_000L + MILLI);
      awaitTimer(harness, other, MILLI);
      awaitTimer(harness, lane, MILLI);
      for (int i = 0; i < tasks; i++) {
        assertThat(runs[i] + cancels[i]).as("runs and cancels of task %s", i).isEqualTo(1);
      }
    }
  }

  @Test
  public void shouldForgetTaskWhenCancelled() {
    try (LaneHarness harness = newHarness()) {
      Scheduler lane = harness.lanes().lane("lane");
      List<Cancellable> handles = new ArrayList<>();
      WeakReference<Object> captured = scheduleCapturing(lane, handles);
      assertThat(handles.get(0).cancel()).isTrue();
      for (int i = 0; i < 20 && captured.get() != null; i++) {
        System.gc();
      }
      assertThat(captured.get()).as("what a cancelled task refers to").isNull();
      assertThat(handles).hasSize(1);
    }
  }

  private static WeakReference<Object> scheduleCapturing(
      Scheduler lane, List<Cancellable> handles) {
    Object captured = new Object();
    List<Object> sink = new ArrayList<>();
    handles.add(lane.schedule(() -> sink.add(captured), 3600L * 1000 * MILLI));
    return new WeakReference<>(captured);
  }

  // failures and closing

  @Test
  public void shouldReportToTheFailureHandlerWhenTaskThrows() {
    try (LaneHarness harness = newHarness()) {
      Scheduler lane = harness.lanes().lane("lane");
      IllegalStateException boom = new IllegalStateException("boom");
      CompletableFuture<Void> next = new CompletableFuture<>();
      lane.execute(
          () -> {
            throw boom;
          });
      lane.execute(() -> next.complete(null));
      if (harness.laneGoesOnAfterFailure()) {
        harness.await(next);
      } else {
        assertThatThrownBy(() -> harness.await(next)).isInstanceOf(AssertionError.class);
        assertThat(next).isNotDone();
      }
      assertThat(harness.reportedFailure()).isSameAs(boom);
    }
  }

  @Test
  public void shouldRejectWhenClosed() {
    try (LaneHarness harness = newHarness()) {
      Scheduler lane = harness.lanes().lane("lane");
      harness.closeLanes();
      assertThatThrownBy(() -> lane.execute(() -> {}))
          .isInstanceOf(RejectedExecutionException.class);
      assertThatThrownBy(() -> lane.schedule(() -> {}, 1))
          .isInstanceOf(RejectedExecutionException.class);
    }
  }

  @Test
  public void shouldRejectNullTasks() {
    try (LaneHarness harness = newHarness()) {
      Scheduler lane = harness.lanes().lane("lane");
      assertThatThrownBy(() -> lane.execute(nothing())).isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> lane.schedule(nothing(), 1))
          .isInstanceOf(NullPointerException.class);
    }
  }

  @SuppressWarnings("NullAway") // the test passes what callers must not
  private static Runnable nothing() {
    return null;
  }

  private void assertNeverInline(LaneCall call) {
    try (LaneHarness harness = newHarness()) {
      Scheduler lane = harness.lanes().lane("lane");
      InlineProbe probe = new InlineProbe();
      probe.call(task -> call.make(lane, task));
      harness.await(probe.ran);
      assertThat(probe.wasInline).as("ran on its caller's stack").isFalse();
    }
  }

  private static void awaitTimer(LaneHarness harness, Scheduler lane, long delayNanos) {
    CompletableFuture<Void> passed = new CompletableFuture<>();
    lane.schedule(() -> passed.complete(null), delayNanos);
    harness.await(passed);
  }

  private interface LaneCall {
    void make(Scheduler lane, Runnable task);
  }

  /** Notices a task that runs while the call that sent it is still on the same thread's stack. */
  private static final class InlineProbe {
    private final AtomicReference<Thread> calling = new AtomicReference<>();
    private final CompletableFuture<Void> ran = new CompletableFuture<>();
    private volatile boolean wasInline;

    void call(Consumer<Runnable> call) {
      calling.set(Thread.currentThread());
      call.accept(
          () -> {
            wasInline = calling.get() == Thread.currentThread();
            ran.complete(null);
          });
      calling.set(null);
    }
  }

  /** Plain state of one lane that notices when two tasks are inside at once. */
  private static final class Receiver {
    private final AtomicBoolean inside = new AtomicBoolean();
    private final int[] next = new int[PRODUCERS];
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private int outOfOrder;
    private int overlaps;
    private int count;

    void receive(int sender, int number) {
      boolean alone = inside.compareAndSet(false, true);
      for (int i = 0; i < 10; i++) {
        Thread.onSpinWait();
      }
      overlaps += alone ? 0 : 1;
      outOfOrder += number == next[sender] ? 0 : 1;
      next[sender] = number + 1;
      if (++count == PRODUCERS * MORE_THAN_A_TURN) {
        done.complete(null);
      }
      inside.set(false);
    }
  }
}
