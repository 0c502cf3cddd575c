// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.fault;

/** Argument check. */
final class Probability {
  private Probability() {}

  static double check(double probability, String name) {
    if (!(probability >= 0 && probability <= 1)) {
      throw new IllegalArgumentException(
          "probability must be in 0..1: " + name + "=" + probability);
    }
    return probability;
  }
}
