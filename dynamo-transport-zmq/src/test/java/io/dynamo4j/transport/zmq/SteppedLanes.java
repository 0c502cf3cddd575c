// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Lanes;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.Scheduler;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Real lanes whose clock stands still until a test moves it, so that no timeout comes by itself.
 */
record SteppedLanes(Lanes lanes, AtomicLong nanos) implements Lanes {

  static SteppedLanes over(Lanes lanes) {
    return new SteppedLanes(lanes, new AtomicLong());
  }

  void advance(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  @Override
  public Scheduler lane(String name) {
    Scheduler lane = lanes.lane(name);
    return new Scheduler() {
      @Override
      public NanoClock clock() {
        return nanos::get;
      }

      @Override
      public void execute(Runnable task) {
        lane.execute(task);
      }

      @Override
      public Cancellable schedule(Runnable task, long delayNanos) {
        return lane.schedule(task, delayNanos);
      }
    };
  }
}
