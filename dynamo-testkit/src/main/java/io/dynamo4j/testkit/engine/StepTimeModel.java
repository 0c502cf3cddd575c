// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

/** How long one step of an engine takes. */
@FunctionalInterface
public interface StepTimeModel {

  /**
   * Returns a step's duration in milliseconds, positive.
   *
   * @param prefillTokens prompt tokens computed in the step, all requests together
   * @param decodeContextTokens context lengths of all requests that decode in the step, summed
   * @param capacityTokens tokens that the whole block pool holds
   */
  double millis(long prefillTokens, long decodeContextTokens, long capacityTokens);

  /**
   * Returns the polynomials of Dynamo 1.6.1's mock engine: one in the prompt tokens of the step,
   * one in the share of the pool that decoding requests occupy; the step takes the sum of those
   * that apply.
   */
  static StepTimeModel polynomial() {
    return PolynomialStepTime.INSTANCE;
  }
}
