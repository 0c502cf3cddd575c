// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.blocking;

import io.dynamo4j.core.runtime.NanoClock;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * A lock and a condition. The condition is asked under the lock that {@link #signal} takes, so a
 * change made before a signal is never slept through.
 */
final class LockGate implements Gate {
  private final NanoClock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  LockGate(NanoClock clock) {
    this.clock = Objects.requireNonNull(clock, "clock");
  }

  @Override
  public boolean await(BooleanSupplier done, long deadlineNanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!done.getAsBoolean()) {
        long left = deadlineNanos - clock.nanoTime();
        if (left <= 0) {
          return false;
        }
        // How long was slept is no measure of what the gate's own clock says is left.
        var unused = changed.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void signal() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public NanoClock clock() {
    return clock;
  }
}
