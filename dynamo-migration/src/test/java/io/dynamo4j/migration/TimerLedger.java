// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Lanes;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.Scheduler;

/** Lanes that count the timers alive of requests, without drains and the workers' own pauses. */
final class TimerLedger implements Lanes {
  private final Lanes lanes;
  private final boolean cancels;
  private int alive;

  /**
   * Counts the timers of {@code lanes}.
   *
   * @param cancels false plants the bug of timers that are not cancelled
   */
  TimerLedger(Lanes lanes, boolean cancels) {
    this.lanes = lanes;
    this.cancels = cancels;
  }

  int alive() {
    return alive;
  }

  @Override
  public Scheduler lane(String name) {
    Scheduler lane = lanes.lane(name);
    return name.equals("drain") ? lane : new CountingLane(lane);
  }

  /** The lane without counting, for those who play workers on it. */
  static Scheduler uncounted(Scheduler lane) {
    return lane instanceof CountingLane counting ? counting.lane : lane;
  }

  private final class CountingLane implements Scheduler {
    private final Scheduler lane;

    CountingLane(Scheduler lane) {
      this.lane = lane;
    }

    @Override
    public NanoClock clock() {
      return lane.clock();
    }

    @Override
    public void execute(Runnable task) {
      lane.execute(task);
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
      alive++;
      Cancellable timer =
          lane.schedule(
              () -> {
                alive--;
                task.run();
              },
              delayNanos);
      return () -> {
        boolean cancelled = cancels && timer.cancel();
        alive -= cancelled ? 1 : 0;
        return cancelled;
      };
    }
  }
}
