// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

/** What a client throws that does not keep to the protocol. */
final class PlantedThrow extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PlantedThrow() {
    super("thrown by the scenario's client", null, false, false);
  }
}
