// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Scheduler;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches how long a request stays in one phase.
 *
 * <p>Progress is one write; the one task that is scheduled looks at what has been written when it
 * runs and goes to sleep again for what is left. Only a phase with a nearer end than that task
 * needs another one.
 *
 * <p><b>Threads.</b> {@link #enter}, {@link #leave} and {@link #stop} from any; the task on the
 * attempt's lane.
 */
final class PhaseTimer {
  private final TcpOptions options;
  private final Scheduler lane;
  private final BooleanSupplier isBusy;
  private final Consumer<TcpPhase> overdue;
  private final AtomicReference<@Nullable TcpPhase> phase = new AtomicReference<>();
  private final AtomicReference<@Nullable Cancellable> task = new AtomicReference<>();
  private volatile long since;
  private volatile long wakeAt;
  private volatile boolean stopped;

  PhaseTimer(
      TcpOptions options, Scheduler lane, BooleanSupplier isBusy, Consumer<TcpPhase> overdue) {
    this.options = options;
    this.lane = lane;
    this.isBusy = isBusy;
    this.overdue = overdue;
  }

  /** The phase begins, or has made progress. */
  void enter(TcpPhase next) {
    since = lane.clock().nanoTime();
    if (phase.getAndSet(next) != next) {
      armIfNearer(next);
    }
  }

  /** The next phase begins if it was this one's turn to end. */
  void leave(TcpPhase before, TcpPhase next) {
    if (phase.get() == before) {
      since = lane.clock().nanoTime();
      if (phase.compareAndSet(before, next)) {
        armIfNearer(next);
      }
    }
  }

  void stop() {
    stopped = true;
    cancel(task.getAndSet(null));
  }

  private void armIfNearer(TcpPhase next) {
    long bound = options.bound(next).toNanos();
    if (task.get() == null || since + bound - wakeAt < 0) {
      arm(bound);
    }
  }

  private void arm(long nanos) {
    if (stopped) {
      return;
    }
    try {
      wakeAt = lane.clock().nanoTime() + nanos;
      cancel(task.getAndSet(lane.schedule(this::look, nanos)));
      if (stopped) {
        stop();
      }
    } catch (RejectedExecutionException closed) {
      // The stream ends with its lane.
    }
  }

  private static void cancel(@Nullable Cancellable scheduled) {
    if (scheduled != null) {
      scheduled.cancel();
    }
  }

  private void look() {
    TcpPhase now = phase.get();
    if (stopped || now == null) {
      return;
    }
    long time = lane.clock().nanoTime();
    if (isBusy.getAsBoolean()) {
      since = time;
    }
    long left = since + options.bound(now).toNanos() - time;
    if (left > 0) {
      arm(left);
    } else {
      overdue.accept(now);
    }
  }
}
