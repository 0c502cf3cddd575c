// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.runtime;

import java.time.InstantSource;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lanes on real threads, real time, and chance with a fresh seed: the environment of production.
 *
 * <p>{@link #create} owns one daemon thread for lanes and one for timers; {@link #over} runs on the
 * caller's and owns nothing. A task that throws goes to the {@link LaneFailureHandler}, by default
 * the uncaught exception handler of the thread it ran on.
 *
 * <p><b>Threads.</b> Thread-safe. A lane is a queue and a flag; make as many as there are streams.
 */
public final class RealEnvironment implements Lanes, AutoCloseable {
  private static final long CLOSE_TIMEOUT_SECONDS = 5;

  private final Executor executor;
  private final ScheduledExecutorService timer;
  private final LaneFailureHandler failureHandler;
  private final @Nullable ExecutorService ownedExecutor;
  private final CloseTasks closeTasks;
  private final SerialLane.Owner state = new State();
  private final Environment environment;
  private volatile boolean closed;

  private RealEnvironment(
      Executor executor,
      ScheduledExecutorService timer,
      LaneFailureHandler failureHandler,
      @Nullable ExecutorService ownedExecutor) {
    this.executor = executor;
    this.timer = timer;
    this.failureHandler = Objects.requireNonNull(failureHandler, "failureHandler");
    this.ownedExecutor = ownedExecutor;
    this.closeTasks = new CloseTasks(failureHandler);
    this.environment =
        new Environment(
            this, InstantSource.system(), RandomSource.seeded(new SplittableRandom().nextLong()));
  }

  /**
   * Starts an environment with two daemon threads of its own, {@code dynamo4j-lanes} and {@code
   * dynamo4j-timer}.
   */
  public static RealEnvironment create() {
    return create(RealEnvironment::toUncaughtHandler);
  }

  /** Starts an environment with two daemon threads of its own and a handler for failed tasks. */
  public static RealEnvironment create(LaneFailureHandler failureHandler) {
    ExecutorService lanes =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> daemon(task, "dynamo4j-lanes"));
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(1, task -> daemon(task, "dynamo4j-timer"));
    timer.setRemoveOnCancelPolicy(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return new RealEnvironment(lanes, timer, failureHandler, lanes);
  }

  /**
   * Makes an environment over the caller's threads, which stay the caller's to shut down.
   *
   * <p>An executor may refuse work for a while: lanes keep their tasks and try again. One that is
   * an {@link ExecutorService} closes its lanes by being shut down. That is noticed when a lane is
   * next used or a timer next fires; a host that shuts its timer down too closes this environment
   * as well, so that whoever asked by {@link #onClose} is told.
   *
   * @param executor runs the lanes; it may have any number of threads, but never the caller's own
   * @param timer only hands tasks to lanes; it must have one thread, or tasks of different
   *     deadlines may change places
   */
  public static RealEnvironment over(Executor executor, ScheduledExecutorService timer) {
    return over(executor, timer, RealEnvironment::toUncaughtHandler);
  }

  /** Makes an environment over the caller's threads with a handler for failed tasks. */
  public static RealEnvironment over(
      Executor executor, ScheduledExecutorService timer, LaneFailureHandler failureHandler) {
    return new RealEnvironment(
        Objects.requireNonNull(executor, "executor"),
        Objects.requireNonNull(timer, "timer"),
        failureHandler,
        null);
  }

  /** Returns what components take. */
  public Environment environment() {
    return environment;
  }

  @Override
  public Scheduler lane(String name) {
    return new SerialLane(name, executor, timer, System::nanoTime, state, failureHandler);
  }

  @Override
  public Cancellable onClose(Runnable task) {
    return closeTasks.add(task);
  }

  /**
   * Closes all lanes: from now on they reject tasks and start no timer. Accepted {@code execute}
   * tasks still run; pending timers are dropped; who asked by {@link #onClose} is told. Threads of
   * its own are ended: waits up to {@value #CLOSE_TIMEOUT_SECONDS} s for accepted tasks, then
   * interrupts, and does not wait at all when called from a lane. Idempotent.
   */
  @Override
  public void close() {
    closed = true;
    closeTasks.close();
    if (ownedExecutor == null) {
      return;
    }
    timer.shutdownNow();
    ownedExecutor.shutdown();
    if (Thread.currentThread() instanceof OwnThread) {
      return;
    }
    try {
      if (!ownedExecutor.awaitTermination(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        ownedExecutor.shutdownNow();
      }
    } catch (InterruptedException interrupted) {
      ownedExecutor.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new OwnThread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  private static void toUncaughtHandler(String lane, Throwable thrown) {
    Thread thread = Thread.currentThread();
    thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
  }

  /** What lanes see of their environment, and tell it. */
  private final class State implements SerialLane.Owner {
    @Override
    public boolean isClosed() {
      return closed;
    }

    @Override
    public void laneEnded() {
      closeTasks.close();
    }
  }

  /** A thread that {@link #create} started. */
  private static final class OwnThread extends Thread {
    OwnThread(Runnable task, String name) {
      super(task, name);
    }
  }
}
