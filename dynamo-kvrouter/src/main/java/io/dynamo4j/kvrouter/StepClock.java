// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.NanoClock;

/**
 * A clock that stands still during a step of its router, so that all parts of the step say the same
 * time, and a step reads the clock once: a read takes as long as a lookup in a table.
 *
 * <p>Between steps it goes on as the clock behind it, so that whoever forgets to begin one reads
 * late, never wrong.
 *
 * <p><b>Threads.</b> Belongs to the router's lock; steps do not nest.
 */
final class StepClock implements NanoClock {
  private final NanoClock clock;
  private boolean stands;
  private long stepNanos;

  StepClock(NanoClock clock) {
    this.clock = clock;
  }

  /** Begins a step; returns its time. */
  long begin() {
    stepNanos = clock.nanoTime();
    stands = true;
    return stepNanos;
  }

  void end() {
    stands = false;
  }

  @Override
  public long nanoTime() {
    return stands ? stepNanos : clock.nanoTime();
  }
}
