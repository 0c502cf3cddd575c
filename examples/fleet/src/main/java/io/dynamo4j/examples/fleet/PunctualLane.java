// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.Scheduler;

/**
 * A lane on which timers that follow each other do not add up their lateness: a timer that is set
 * while another runs counts from when that one was due. Steps of a few hundred microseconds are
 * late by a tenth of that and more, each of them.
 */
final class PunctualLane implements Scheduler {
  private final Scheduler lane;
  private final NanoClock real;
  private long nowNanos; // on the lane: when what runs was due, or has come

  PunctualLane(Scheduler lane) {
    this.lane = lane;
    this.real = lane.clock();
    this.nowNanos = real.nanoTime();
  }

  /** For use on the lane. */
  @Override
  public NanoClock clock() {
    return () -> nowNanos;
  }

  @Override
  public void execute(Runnable task) {
    lane.execute(
        () -> {
          nowNanos = Math.max(nowNanos, real.nanoTime());
          task.run();
        });
  }

  /** For use on the lane. */
  @Override
  public Cancellable schedule(Runnable task, long delayNanos) {
    long dueNanos = nowNanos + Math.max(0, delayNanos);
    return lane.schedule(
        () -> {
          nowNanos = Math.max(nowNanos, dueNanos);
          task.run();
        },
        dueNanos - real.nanoTime());
  }
}
