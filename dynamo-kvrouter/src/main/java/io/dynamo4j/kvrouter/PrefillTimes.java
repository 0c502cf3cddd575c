// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * How long a prompt takes by how many of its tokens have to be computed: a line, fitted to the
 * fleet's own prefills by least squares that forget, from a prior of four made-up samples.
 *
 * <p>O(1) a sample; neither coefficient is ever negative.
 *
 * <p><b>Threads.</b> Belongs to the router's lock.
 */
final class PrefillTimes {
  private static final double[] PRIOR_TOKENS = {500, 4_000, 8_000, 16_000};
  private static final double FORGETTING = 0.998;

  /** Variance of the samples' lengths, in tokens squared, below which no line can be fitted. */
  private static final double MIN_VARIANCE = 1e4;

  private static final double MIN_MILLIS = 1;
  private static final double MAX_MILLIS = 1e7;

  private final double forgetting;
  private double weight;
  private double sumX;
  private double sumY;
  private double sumXx;
  private double sumXy;
  private double fixedMillis;
  private double millisPerToken;

  PrefillTimes(double fixedMillis, double millisPerToken) {
    this(fixedMillis, millisPerToken, FORGETTING);
  }

  /**
   * Starts from a line.
   *
   * @param forgetting what each sample leaves of the weight of those before it
   */
  PrefillTimes(double fixedMillis, double millisPerToken, double forgetting) {
    this.forgetting = forgetting;
    this.fixedMillis = fixedMillis;
    this.millisPerToken = millisPerToken;
    for (double tokens : PRIOR_TOKENS) {
      add(tokens, fixedMillis + millisPerToken * tokens);
    }
  }

  double fixedMillis() {
    return fixedMillis;
  }

  double millisPerToken() {
    return millisPerToken;
  }

  /** Returns what a prefill of so many tokens takes on a rank of the fleet's mean speed. */
  double millis(long tokens) {
    return millis(fixedMillis, millisPerToken, (double) tokens);
  }

  static double millis(double fixedMillis, double millisPerToken, double tokens) {
    return Math.min(MAX_MILLIS, Math.max(MIN_MILLIS, fixedMillis + millisPerToken * tokens));
  }

  /** Learns from a prefill that had its rank for itself. */
  void learn(long tokens, double millis) {
    if (!(millis >= 0 && tokens >= 0)) {
      return;
    }
    weight *= forgetting;
    sumX *= forgetting;
    sumY *= forgetting;
    sumXx *= forgetting;
    sumXy *= forgetting;
    add((double) tokens, Math.min(millis, MAX_MILLIS));
    double determinant = weight * sumXx - sumX * sumX;
    if (determinant > weight * weight * MIN_VARIANCE) {
      millisPerToken = Math.max(0, (weight * sumXy - sumX * sumY) / determinant);
      fixedMillis = Math.max(0, (sumY - millisPerToken * sumX) / weight);
    }
  }

  private void add(double tokens, double millis) {
    weight++;
    sumX += tokens;
    sumY += millis;
    sumXx += tokens * tokens;
    sumXy += tokens * millis;
  }
}
