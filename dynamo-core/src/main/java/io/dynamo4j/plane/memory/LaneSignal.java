// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import io.dynamo4j.core.runtime.Scheduler;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs one body on one lane, once for any number of signals raised before it runs.
 *
 * <p>What was written before {@link #raise} is seen by the body that follows. A body that throws
 * leaves the signal usable; it must raise it again if it left work behind.
 */
final class LaneSignal implements Runnable {
  private final Scheduler lane;
  private final Runnable body;
  private final AtomicBoolean pending = new AtomicBoolean();

  LaneSignal(Scheduler lane, Runnable body) {
    this.lane = lane;
    this.body = body;
  }

  /** Returns false if the lane is closed, so that the body will never run. */
  boolean raise() {
    if (pending.get() || !pending.compareAndSet(false, true)) {
      return true;
    }
    try {
      lane.execute(this);
      return true;
    } catch (RejectedExecutionException closed) {
      return false;
    }
  }

  @Override
  public void run() {
    pending.set(false);
    body.run();
  }
}
