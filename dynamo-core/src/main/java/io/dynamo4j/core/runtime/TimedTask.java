// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.runtime;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A task between its {@code schedule} call and its run. Whoever takes the body out, the run or the
 * cancel, has it; the other finds nothing. So a cancelled body is unreachable even where the timer
 * or the lane's queue still holds this shell.
 */
final class TimedTask implements Runnable, Cancellable {
  private final SerialLane lane;
  private final AtomicReference<@Nullable Runnable> body;
  private volatile @Nullable Future<?> timer;

  TimedTask(SerialLane lane, Runnable body) {
    this.lane = lane;
    this.body = new AtomicReference<>(body);
  }

  void startedAs(Future<?> future) {
    timer = future;
  }

  /** Sends the task to its lane; called by the timer thread, which runs nothing itself. */
  void fire() {
    if (body.get() == null) {
      return;
    }
    try {
      lane.execute(this);
    } catch (RejectedExecutionException closed) {
      body.set(null);
      lane.timedTaskRejected();
    }
  }

  @Override
  public void run() {
    Runnable taken = body.getAndSet(null);
    if (taken != null) {
      taken.run();
    }
  }

  @Override
  public boolean cancel() {
    if (body.getAndSet(null) == null) {
      return false;
    }
    Future<?> future = timer;
    if (future != null) {
      future.cancel(false);
    }
    return true;
  }
}
