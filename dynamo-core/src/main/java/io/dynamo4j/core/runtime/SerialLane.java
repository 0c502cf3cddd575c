// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.runtime;

import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

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
 *
 * <p><b>Rejection.</b> An executor that is full for a moment refuses turns, not tasks: the lane
 * keeps its queue and its flag, and the timer tries again, ever more rarely up to every {@value
 * #MAX_RETRY_MILLIS} ms. So a lane that rejects a task is closed, as its users take it to be: its
 * environment was closed, its executor was shut down, or its executor is full and its timer was
 * shut down. What the queue of a lane holds that can never run again is dropped.
 */
final class SerialLane implements Scheduler, Runnable {
  private static final int TASKS_PER_TURN = 256;
  private static final int MIN_RETRY_MILLIS = 1;
  private static final int MAX_RETRY_MILLIS = 64;

  /** After a close, accepted tasks get this many tries to run: about six seconds. */
  private static final int RETRIES_ONCE_CLOSED = 100;

  private final String name;
  private final Executor executor;
  private final ScheduledExecutorService timer;
  private final NanoClock clock;
  private final Owner owner;
  private final LaneFailureHandler failureHandler;
  private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean active = new AtomicBoolean();

  // Of whoever has set the flag.
  private int retryMillis = MIN_RETRY_MILLIS;
  private int retriesOnceClosed;

  /** The environment that a lane belongs to. */
  interface Owner {

    /** Returns whether the environment was closed. */
    boolean isClosed();

    /** Hears, perhaps often, that nothing will run on its lanes any more. */
    void laneEnded();
  }

  SerialLane(
      String name,
      Executor executor,
      ScheduledExecutorService timer,
      NanoClock clock,
      Owner owner,
      LaneFailureHandler failureHandler) {
    this.name = Objects.requireNonNull(name, "name");
    this.executor = executor;
    this.timer = timer;
    this.clock = clock;
    this.owner = owner;
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
    if (active.compareAndSet(false, true) && !handOver() && !retryLater()) {
      drop();
      throw rejection();
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
    retryMillis = MIN_RETRY_MILLIS;
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

  /** Submits the next turn; false if the executor refuses it. */
  private boolean handOver() {
    try {
      executor.execute(this);
      return true;
    } catch (RejectedExecutionException fullOrShutDown) {
      return false;
    }
  }

  /** Returns false if the lane has ended: no turn will come any more. */
  private boolean retryLater() {
    if (isShutDown() || (owner.isClosed() && ++retriesOnceClosed > RETRIES_ONCE_CLOSED)) {
      return false;
    }
    int delay = retryMillis;
    retryMillis = Math.min(2 * delay, MAX_RETRY_MILLIS);
    try {
      var unused = timer.schedule(this::retry, delay, TimeUnit.MILLISECONDS);
      return true;
    } catch (RejectedExecutionException timerShutDown) {
      return false;
    }
  }

  private void retry() {
    if (!handOver() && !retryLater()) {
      drop();
      owner.laneEnded();
    }
  }

  /** Hears from the timer's thread that a task whose time had come was rejected. */
  void timedTaskRejected() {
    owner.laneEnded();
  }

  private void drop() {
    queue.clear();
    active.set(false);
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
    if (owner.isClosed() || isShutDown()) {
      throw rejection();
    }
  }

  private boolean isShutDown() {
    return executor instanceof ExecutorService service && service.isShutdown();
  }

  private RejectedExecutionException rejection() {
    return new RejectedExecutionException("lane is closed: lane=" + name);
  }

  @Override
  public String toString() {
    return name;
  }
}
