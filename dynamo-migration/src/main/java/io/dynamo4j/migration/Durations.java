// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import java.time.Duration;

/** Checks of durations that options take. */
final class Durations {
  private static final Duration CENTURY = Duration.ofDays(36_525);

  private Durations() {}

  static long nonNegativeNanos(String name, Duration duration) {
    if (duration.isNegative() || duration.compareTo(CENTURY) > 0) {
      throw new IllegalArgumentException(
          name + " must be between zero and a century: " + name + "=" + duration);
    }
    return duration.toNanos();
  }
}
