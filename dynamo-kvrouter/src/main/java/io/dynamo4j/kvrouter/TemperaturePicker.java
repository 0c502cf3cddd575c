// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.RandomSource;

/**
 * Picks the cheapest row, or at a temperature above 0 draws by softmax over costs normalised by
 * their range.
 *
 * <p>Equal costs are equally likely. At temperature 0 only ties draw from the random source.
 *
 * <p><b>Threads.</b> Immutable; chance belongs to the caller.
 */
public final class TemperaturePicker implements WorkerPicker {
  private final double temperature;

  private TemperaturePicker(double temperature) {
    this.temperature = temperature;
  }

  /**
   * Returns a picker.
   *
   * @throws IllegalArgumentException if the temperature is negative or not finite
   */
  public static TemperaturePicker of(double temperature) {
    if (!(temperature >= 0) || Double.isInfinite(temperature)) {
      throw new IllegalArgumentException(
          "temperature must be finite and non-negative: temperature=" + temperature);
    }
    return new TemperaturePicker(temperature);
  }

  @Override
  public int pick(double[] costs, int count, RandomSource random) {
    return temperature == 0 ? cheapest(costs, count, random) : sample(costs, count, random);
  }

  /** Reservoir over ties: the k-th tied row replaces the one held with probability 1/k. */
  private static int cheapest(double[] costs, int count, RandomSource random) {
    int best = 0;
    int ties = 1;
    for (int row = 1; row < count; row++) {
      if (costs[row] < costs[best]) {
        best = row;
        ties = 1;
      } else if (costs[row] == costs[best] && random.nextInt(++ties) == 0) {
        best = row;
      }
    }
    return best;
  }

  private int sample(double[] costs, int count, RandomSource random) {
    double min = costs[0];
    double max = costs[0];
    for (int row = 1; row < count; row++) {
      min = Math.min(min, costs[row]);
      max = Math.max(max, costs[row]);
    }
    if (min == max) {
      return count == 1 ? 0 : random.nextInt(count);
    }
    // Dividing first keeps the range of huge costs finite.
    double scale = Double.isInfinite(max - min) ? Math.max(Math.abs(min), Math.abs(max)) : 1;
    double spread = (max / scale - min / scale) * temperature;
    double total = 0;
    for (int row = 0; row < count; row++) {
      total += weight(costs[row], min, scale, spread);
    }
    double drawn = random.nextDouble() * total;
    double cumulative = 0;
    for (int row = 0; row < count - 1; row++) {
      cumulative += weight(costs[row], min, scale, spread);
      if (drawn <= cumulative) {
        return row;
      }
    }
    return count - 1;
  }

  private static double weight(double cost, double min, double scale, double spread) {
    return Math.exp(-((cost / scale - min / scale) / spread));
  }
}
