// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import java.util.Arrays;
import java.util.Optional;

/** How the gateway of a simulated fleet picks workers. */
public enum FleetPolicy {
  KV("kv"),
  /** The router's second policy: the predicted time to the first token. */
  KV_PREDICTED("kv-predicted"),
  /** As {@link #KV}, without events of the engines: the router learns from its own decisions. */
  KV_APPROXIMATE("kv-approximate"),
  ROUND_ROBIN("round-robin"),
  RANDOM("random"),
  LEAST_LOADED("least-loaded");

  private final String optionName;

  FleetPolicy(String optionName) {
    this.optionName = optionName;
  }

  /** Returns the name that command lines and reports use. */
  public String optionName() {
    return optionName;
  }

  /** Returns whether a router books each request. */
  public boolean books() {
    return this == KV || this == KV_PREDICTED || this == KV_APPROXIMATE;
  }

  public static Optional<FleetPolicy> byName(String optionName) {
    return Arrays.stream(values()).filter(p -> p.optionName.equals(optionName)).findFirst();
  }
}
