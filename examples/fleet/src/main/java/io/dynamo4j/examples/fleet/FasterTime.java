// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Lanes;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.Scheduler;

/** Real lanes whose time runs faster and begins at 0: what takes a second there is over sooner. */
final class FasterTime {
  private final NanoClock clock;
  private final double scale;
  private final long startNanos;

  private FasterTime(Environment real, double scale) {
    this.clock = real.lanes().lane("clock").clock();
    this.scale = scale;
    this.startNanos = clock.nanoTime();
  }

  /** Returns an environment whose time begins now and is {@code scale} times as fast. */
  static Environment over(Environment real, double scale) {
    FasterTime time = new FasterTime(real, scale);
    return new Environment(time.new FasterLanes(real.lanes()), real.wallClock(), real.random());
  }

  private long now() {
    return (long) ((clock.nanoTime() - startNanos) * scale);
  }

  private final class FasterLanes implements Lanes {
    private final Lanes lanes;

    FasterLanes(Lanes lanes) {
      this.lanes = lanes;
    }

    @Override
    public Scheduler lane(String name) {
      return new Lane(lanes.lane(name));
    }

    @Override
    public Cancellable onClose(Runnable task) {
      return lanes.onClose(task);
    }
  }

  private final class Lane implements Scheduler {
    private final Scheduler lane;

    Lane(Scheduler lane) {
      this.lane = lane;
    }

    @Override
    public NanoClock clock() {
      return FasterTime.this::now;
    }

    @Override
    public void execute(Runnable task) {
      lane.execute(task);
    }

    /** Rounds up: never early by the faster clock. */
    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
      return lane.schedule(task, (long) Math.ceil(delayNanos / scale) + 1);
    }
  }
}
