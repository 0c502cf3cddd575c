// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import java.util.Arrays;

/** Mean and percentiles of a sample of durations, in milliseconds. */
public final class Percentiles {
  private final double[] sorted;
  private final double mean;

  private Percentiles(double[] sorted) {
    this.sorted = sorted;
    double sum = 0;
    for (double value : sorted) {
      sum += value;
    }
    this.mean = sorted.length == 0 ? 0 : sum / sorted.length;
  }

  /** Sorts a copy of {@code millis}. */
  public static Percentiles of(double[] millis) {
    double[] sorted = millis.clone();
    Arrays.sort(sorted);
    return new Percentiles(sorted);
  }

  public int count() {
    return sorted.length;
  }

  /** Returns the mean, 0 of an empty sample. */
  public double mean() {
    return mean;
  }

  /**
   * Returns the value at rank {@code floor(n·q)}, as the reference simulation does; 0 of an empty
   * sample.
   */
  public double at(double q) {
    if (sorted.length == 0) {
      return 0;
    }
    return sorted[Math.min(sorted.length - 1, (int) (sorted.length * q))];
  }
}
