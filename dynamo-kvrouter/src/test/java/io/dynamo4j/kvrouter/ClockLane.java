// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.Scheduler;

/** A lane that tells the time and is needed for nothing else. */
record ClockLane(NanoClock clock) implements Scheduler {

  @Override
  public void execute(Runnable task) {
    throw new AssertionError("no task is needed: task=" + task);
  }

  @Override
  public Cancellable schedule(Runnable task, long delayNanos) {
    throw new AssertionError("no timer is needed: delayNanos=" + delayNanos);
  }
}
