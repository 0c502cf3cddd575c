// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.micrometer;

import java.math.BigDecimal;
import java.math.MathContext;

/** Upper bounds of histograms. */
final class LogBuckets {
  private static final int DIGITS = 2;

  private LogBuckets() {}

  /** Returns {@code count} bounds from least to most, each the same multiple of the one before. */
  static double[] between(double least, double most, int count) {
    double[] bounds = new double[count];
    for (int i = 0; i < count; i++) {
      double bound = least * Math.pow(most / least, (double) i / (count - 1));
      bounds[i] = new BigDecimal(bound).round(new MathContext(DIGITS)).doubleValue();
    }
    return bounds;
  }

  /** Returns {@code count} bounds from the first on, each {@code factor} times the one before. */
  static double[] powers(String first, int factor, int count) {
    double[] bounds = new double[count];
    BigDecimal bound = new BigDecimal(first);
    for (int i = 0; i < count; i++) {
      bounds[i] = bound.doubleValue();
      bound = bound.multiply(BigDecimal.valueOf(factor));
    }
    return bounds;
  }

  /** Returns bounds from 0 to {@code steps} times the step. */
  static double[] linear(String step, int steps) {
    double[] bounds = new double[steps + 1];
    for (int i = 0; i <= steps; i++) {
      bounds[i] = new BigDecimal(step).multiply(BigDecimal.valueOf(i)).doubleValue();
    }
    return bounds;
  }
}
