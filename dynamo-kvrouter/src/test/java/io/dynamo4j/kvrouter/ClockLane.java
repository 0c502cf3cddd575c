// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.Scheduler;

/** A lane that tells the time; looks at a router's health, which requests cause, are not taken. */
record ClockLane(NanoClock clock) implements Scheduler {

  @Override
  public void execute(Runnable task) {
    // Nothing depends on it.
  }

  @Override
  public Cancellable schedule(Runnable task, long delayNanos) {
    throw new AssertionError("no timer is needed: delayNanos=" + delayNanos);
  }
}
