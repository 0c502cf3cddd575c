// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Figures of several rounds by name, of which the medians are reported. */
public final class Medians {
  private final Map<String, double[]> rounds = new LinkedHashMap<>();

  /** Adds the figure of one more round. */
  public void add(String name, double value) {
    double[] before = rounds.getOrDefault(name, new double[0]);
    double[] more = Arrays.copyOf(before, before.length + 1);
    more[before.length] = value;
    rounds.put(name, more);
  }

  /** Returns whether there was a round with this figure. */
  public boolean has(String name) {
    return rounds.containsKey(name);
  }

  /**
   * Returns the median of a figure.
   *
   * @throws IllegalArgumentException if there was no round
   */
  public double of(String name) {
    double[] sorted = all(name).clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** Returns the figure of each round, in order. */
  public double[] all(String name) {
    double[] values = rounds.get(name);
    if (values == null) {
      throw new IllegalArgumentException("no such figure: name=" + name);
    }
    return values;
  }
}
