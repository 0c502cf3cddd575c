// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import io.dynamo4j.simulation.fleet.FleetConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the process of the workers is told at its start.
 *
 * @param server the URL of the NATS server; null where none is needed
 * @param timeScale what step times are divided by
 */
record EngineSettings(
    DemoPlane plane,
    @Nullable String server,
    int workers,
    int blockSize,
    int blocks,
    double timeScale) {
  private static final String NO_SERVER = "-";

  static EngineSettings of(
      FleetConfig fleet, DemoPlane plane, @Nullable String server, double timeScale) {
    return new EngineSettings(
        plane, server, fleet.workers(), fleet.blockSize(), fleet.blocks(), timeScale);
  }

  List<String> arguments() {
    return List.of(
        plane.optionName(),
        server == null ? NO_SERVER : server,
        Integer.toString(workers),
        Integer.toString(blockSize),
        Integer.toString(blocks),
        Double.toString(timeScale));
  }

  static EngineSettings parse(String[] arguments) {
    return new EngineSettings(
        DemoPlane.byName(arguments[0]),
        arguments[1].equals(NO_SERVER) ? null : arguments[1],
        Integer.parseInt(arguments[2]),
        Integer.parseInt(arguments[3]),
        Integer.parseInt(arguments[4]),
        Double.parseDouble(arguments[5]));
  }
}
