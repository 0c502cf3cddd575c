// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.runtime;

import java.util.concurrent.Executor;

/**
 * One serial lane: the unit of concurrency. State belongs to a lane; other lanes send it tasks.
 *
 * <p>Tasks of a lane never overlap and each happens-before the next. A task that throws goes to the
 * lane's failure handler and the lane goes on. There is no periodic form: a task re-arms itself.
 *
 * <p><b>Threads.</b> Every method may be called from any thread. A task must not wait: waiting on a
 * lane throws in simulation.
 */
public interface Scheduler extends Executor {

  /** Returns the clock that {@link #schedule} counts by. */
  NanoClock clock();

  /**
   * Runs a task later on this lane, never inline, in call order with the lane's other {@code
   * execute} calls.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the lane is closed
   */
  @Override
  void execute(Runnable task);

  /**
   * Runs a task on this lane once {@code delayNanos} have passed: never early by {@link #clock()},
   * perhaps late.
   *
   * <p>Equal deadlines of one lane keep call order; no order is promised against {@link #execute}.
   *
   * @param delayNanos nanoseconds from now; zero or less means as soon as possible
   * @throws java.util.concurrent.RejectedExecutionException if the lane is closed
   */
  Cancellable schedule(Runnable task, long delayNanos);
}
