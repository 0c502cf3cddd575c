// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Lanes;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.Scheduler;

/** Lanes that go on after what a client threw on purpose, as production's do, and report it. */
final class ClientFaults {

  private ClientFaults() {}

  static Lanes caught(Lanes lanes, Runnable report) {
    return name -> new CatchingLane(lanes.lane(name), report);
  }

  private record CatchingLane(Scheduler lane, Runnable report) implements Scheduler {

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
      return lane.schedule(() -> run(task), delayNanos);
    }

    private void run(Runnable task) {
      try {
        task.run();
      } catch (RecordingClient.PlantedException planted) {
        report.run();
      }
    }
  }
}
