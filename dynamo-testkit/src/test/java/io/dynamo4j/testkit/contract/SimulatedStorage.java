// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import io.dynamo4j.testkit.durable.SimulatedLogServer;
import io.dynamo4j.testkit.durable.SimulatedLogSettings;
import io.dynamo4j.testkit.simulation.Simulation;

/** A simulation with a server of durable logs, for one test. */
final class SimulatedStorage {
  private final Simulation simulation = Simulation.builder().seed(31).build();
  final SimulatedLogServer server =
      SimulatedLogServer.start(simulation, "server", SimulatedLogSettings.ofDefaults());

  LaneHarness harness() {
    return SimulatedLaneHarness.over(simulation);
  }
}
