// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Ranges of configuration values; messages begin with Dynamo's own text. */
final class ConfigRules {

  private ConfigRules() {}

  static void requireNotNegative(String name, double value) {
    require(isNotNegative(value), name + " must be a finite, non-negative number", name, value);
  }

  static void requireAtLeastZero(String name, double value) {
    require(isNotNegative(value), name + " must be greater than or equal to 0", name, value);
  }

  static void requireAtLeastZero(String name, long value) {
    requireAtLeastZero(name, (double) value);
  }

  static void requireFraction(String name, double value) {
    require(value >= 0 && value <= 1, name + " must be between 0 and 1", name, value);
  }

  /** Absent is allowed. */
  static void requirePositive(String name, @Nullable Duration value) {
    if (value != null && (value.isNegative() || value.isZero())) {
      throw new IllegalArgumentException(name + " must be greater than 0: " + name + "=" + value);
    }
  }

  static void requireFiniteAndNotNegative(String name, double value) {
    require(isNotNegative(value), name + " must be finite and non-negative", name, value);
  }

  /** False for NaN. */
  private static boolean isNotNegative(double value) {
    return value >= 0 && value < Double.POSITIVE_INFINITY;
  }

  private static void require(boolean holds, String rule, String name, double value) {
    if (!holds) {
      throw new IllegalArgumentException(rule + ": " + name + "=" + value);
    }
  }
}
