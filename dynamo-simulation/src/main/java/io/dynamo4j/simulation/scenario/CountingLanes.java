// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Lanes;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.Scheduler;

/** Lanes whose timers the ledger counts. */
final class CountingLanes implements Lanes {
  private final Lanes delegate;
  private final Ledger ledger;

  CountingLanes(Lanes delegate, Ledger ledger) {
    this.delegate = delegate;
    this.ledger = ledger;
  }

  /** As production's lanes do, goes on after what a client threw. */
  private static void run(Runnable task) {
    try {
      task.run();
    } catch (PlantedThrow planted) {
      // The lane's failure handler would log it.
    }
  }

  @Override
  public Scheduler lane(String name) {
    Scheduler lane = delegate.lane(name);
    return new Scheduler() {
      @Override
      public NanoClock clock() {
        return lane.clock();
      }

      @Override
      public void execute(Runnable task) {
        lane.execute(() -> run(task));
      }

      @Override
      public Cancellable schedule(Runnable task, long delayNanos) {
        ledger.timerArmed();
        Cancellable timer =
            lane.schedule(
                () -> {
                  ledger.timerGone();
                  run(task);
                },
                delayNanos);
        return () -> {
          boolean cancelled = timer.cancel();
          if (cancelled) {
            ledger.timerGone();
          }
          return cancelled;
        };
      }
    };
  }
}
