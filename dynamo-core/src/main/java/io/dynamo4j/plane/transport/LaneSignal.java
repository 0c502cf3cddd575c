// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.transport;

import io.dynamo4j.core.runtime.Scheduler;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs one body on one lane, once for any number of signals raised before it runs.
 *
 * <p>What was written before {@link #raise} is seen by the body that follows. A body that throws
 * leaves the signal usable; it must raise it again if it left work behind.
 *
 * <p><b>Threads.</b> Any.
 */
public final class LaneSignal {
  private final Scheduler lane;
  private final Runnable body;
  private final Runnable turn = this::run;
  private final AtomicBoolean pending = new AtomicBoolean();

  private LaneSignal(Scheduler lane, Runnable body) {
    this.lane = Objects.requireNonNull(lane, "lane");
    this.body = Objects.requireNonNull(body, "body");
  }

  /** Returns a signal that nobody has raised. */
  public static LaneSignal of(Scheduler lane, Runnable body) {
    return new LaneSignal(lane, body);
  }

  /** Returns false if the lane is closed, so that the body will never run. */
  public boolean raise() {
    if (pending.get() || !pending.compareAndSet(false, true)) {
      return true;
    }
    try {
      lane.execute(turn);
      return true;
    } catch (RejectedExecutionException closed) {
      return false;
    }
  }

  private void run() {
    pending.set(false);
    body.run();
  }
}
