// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

import io.dynamo4j.blocking.Gate;
import io.dynamo4j.core.runtime.NanoClock;
import java.util.function.BooleanSupplier;

/** Waits by running the simulation; the controller's clock is virtual time itself. */
final class PumpingGate implements Gate {
  private final Simulation simulation;
  private final NanoClock clock;

  PumpingGate(Simulation simulation, NanoClock clock) {
    this.simulation = simulation;
    this.clock = clock;
  }

  @Override
  public boolean await(BooleanSupplier done, long deadlineNanos) {
    return simulation.pump(done, deadlineNanos);
  }

  @Override
  public void signal() {
    // The condition is asked after every event.
  }

  @Override
  public NanoClock clock() {
    return clock;
  }
}
