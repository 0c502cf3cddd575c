// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

/** How tasks of different lanes that are due at one instant are ordered. */
public enum Mode {
  /** In call order: for comparison with recorded runs. */
  REFERENCE,

  /**
   * Lanes in an order drawn from the seed for every instant; within a lane call order, as on real
   * threads.
   */
  RANDOM_TIES
}
