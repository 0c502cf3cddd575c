// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * One deadline that moves with every sign of progress.
 *
 * <p>Moving it later costs a field: the armed timer finds out when it fires and arms itself for the
 * rest. Belongs to one lane.
 */
final class ProgressTimer {
  private final Scheduler lane;
  private final Runnable onExpired;
  private @Nullable Cancellable armed;
  private long armedUntilNanos;
  private long deadlineNanos;

  ProgressTimer(Scheduler lane, Runnable onExpired) {
    this.lane = lane;
    this.onExpired = onExpired;
  }

  /** Moves the deadline to {@code nanos} from now. */
  void expectWithin(long nanos) {
    deadlineNanos = lane.clock().nanoTime() + nanos;
    if (armed != null) {
      if (armedUntilNanos - deadlineNanos <= 0) {
        return;
      }
      armed.cancel();
    }
    arm(nanos);
  }

  void cancel() {
    if (armed != null) {
      armed.cancel();
      armed = null;
    }
  }

  private void arm(long nanos) {
    armedUntilNanos = deadlineNanos;
    armed = lane.schedule(this::fire, nanos);
  }

  private void fire() {
    if (armed == null) {
      return;
    }
    armed = null;
    long remaining = deadlineNanos - lane.clock().nanoTime();
    if (remaining > 0) {
      arm(remaining);
    } else {
      onExpired.run();
    }
  }
}
