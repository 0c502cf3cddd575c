// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.Scheduler;

/** A lane whose timers cannot be cancelled. */
record StickyTimers(Scheduler delegate) implements Scheduler {

  @Override
  public NanoClock clock() {
    return delegate.clock();
  }

  @Override
  public void execute(Runnable task) {
    delegate.execute(task);
  }

  @Override
  public Cancellable schedule(Runnable task, long delayNanos) {
    delegate.schedule(task, delayNanos);
    return () -> false;
  }
}
