// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.runtime;

import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * A serial lane over any executor: a queue, and a flag that is set while a turn is submitted or
 * running. A turn runs at most {@value #TASKS_PER_TURN} tasks, so that lanes share threads fairly.
 *
 * <p><b>Ordering.</b> A producer adds, then sets the flag; a turn clears the flag, then looks for
 * more. Both are sequentially consistent, so one of the two sees the other and no task is stranded.
 * A task happens-before the next: in one turn by program order, between turns by the flag (cleared
 * by one, set by whoever submits the next) or by the executor's own hand-over. {@link
 * ConcurrentLinkedQueue} and {@link AtomicBoolean} are enough for that: a task costs a node and an
 * enqueue, which the executor's hand-over dwarfs, so nothing weaker is worth proving.
 */
final class SerialLane implements Scheduler, Runnable {
  private static final int TASKS_PER_TURN = 256;
  private static final long RETRY_MILLIS = 1;

  private final String name;
  private final Executor executor;
  private final ScheduledExecutorService timer;
  private final NanoClock clock;
  private final BooleanSupplier closed;
  private final LaneFailureHandler failureHandler;
  private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean active = new AtomicBoolean();

  SerialLane(
      String name,
      Executor executor,
      ScheduledExecutorService timer,
      NanoClock clock,
      BooleanSupplier closed,
      LaneFailureHandler failureHandler) {
    this.name = Objects.requireNonNull(name, "name");
    this.executor = executor;
    this.timer = timer;
    this.clock = clock;
    this.closed = closed;
    this.failureHandler = failureHandler;
  }

  @Override
  public NanoClock clock() {
    return clock;
  }

  @Override
  public void execute(Runnable task) {
    Objects.requireNonNull(task, "task");
    checkOpen();
    queue.add(task);
    if (active.compareAndSet(false, true)) {
      try {
        executor.execute(this);
      } catch (RejectedExecutionException rejected) {
        onRejected(task, rejected);
      }
    }
  }

  @Override
  public Cancellable schedule(Runnable task, long delayNanos) {
    checkOpen();
    TimedTask timed = new TimedTask(this, Objects.requireNonNull(task, "task"));
    timed.startedAs(timer.schedule(timed::fire, delayNanos, TimeUnit.NANOSECONDS));
    return timed;
  }

  /** One turn; called by the executor only. */
  @Override
  public void run() {
    do {
      for (int i = 0; i < TASKS_PER_TURN; i++) {
        Runnable task = queue.poll();
        if (task == null) {
          active.set(false);
          if (queue.isEmpty() || !active.compareAndSet(false, true)) {
            return;
          }
        } else {
          runTask(task);
        }
      }
    } while (!handOver());
  }

  /** Gives the thread to others; false if the executor takes nothing more and the turn goes on. */
  private boolean handOver() {
    try {
      executor.execute(this);
      return true;
    } catch (RejectedExecutionException fullOrShutDown) {
      return false;
    }
  }

  /**
   * Takes back a task that its caller learns was refused. Tasks that other threads added meanwhile
   * were accepted: the timer tries again for those.
   */
  private void onRejected(Runnable task, RejectedExecutionException rejected) {
    boolean takenBack = queue.remove(task);
    active.set(false);
    if (!queue.isEmpty() && active.compareAndSet(false, true)) {
      retryLater();
    }
    if (takenBack) {
      throw rejected;
    }
  }

  private void retryLater() {
    try {
      var unused = timer.schedule(this::retry, RETRY_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException shutDown) {
      queue.clear();
      active.set(false);
    }
  }

  private void retry() {
    if (!handOver()) {
      retryLater();
    }
  }

  private void runTask(Runnable task) {
    try {
      task.run();
    } catch (Throwable thrown) {
      try {
        failureHandler.taskFailed(name, thrown);
      } catch (Throwable handlerFailed) {
        // The lane must go on, and there is nobody left to tell.
      }
    }
  }

  private void checkOpen() {
    if (closed.getAsBoolean()) {
      throw new RejectedExecutionException("lane is closed: lane=" + name);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
