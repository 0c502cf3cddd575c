// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

/**
 * Fitted step times, in double milliseconds.
 *
 * <p>The order of operations is part of the model: results are compared bit by bit with recorded
 * runs.
 */
enum PolynomialStepTime implements StepTimeModel {
  INSTANCE;

  @Override
  public double millis(long prefillTokens, long decodeContextTokens, long capacityTokens) {
    double prefill = prefillTokens == 0 ? 0 : prefillMillis((double) prefillTokens);
    double decode =
        decodeContextTokens == 0 ? 0 : decodeMillis((double) decodeContextTokens / capacityTokens);
    return prefill + decode;
  }

  private static double prefillMillis(double tokens) {
    return 4.209989e-07 * tokens * tokens + 1.518344e-02 * tokens + 16.50142;
  }

  private static double decodeMillis(double occupancy) {
    return 5.74 + 54.01 * occupancy - 25.74 * occupancy * occupancy;
  }
}
