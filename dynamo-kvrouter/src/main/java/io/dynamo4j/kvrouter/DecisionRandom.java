// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.RandomSource;

/**
 * The chance of one decision, a function of one number, so that the decision can be repeated.
 * Starting another makes no object.
 *
 * <p><b>Source.</b> SplitMix64, as {@link RandomSource#seeded}.
 */
final class DecisionRandom implements RandomSource {
  private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

  private long seed;
  private long state;

  /** Starts a decision. */
  DecisionRandom start(long decisionSeed) {
    seed = decisionSeed;
    state = decisionSeed;
    return this;
  }

  @Override
  public long nextLong() {
    state += GOLDEN_GAMMA;
    return mix(state);
  }

  @Override
  public int nextInt(int bound) {
    if (bound <= 0) {
      throw new IllegalArgumentException("bound must be positive: bound=" + bound);
    }
    long product = (nextLong() >>> 32) * bound;
    // The threshold is below the bound: only what is below the bound may be below it too.
    if ((product & 0xffffffffL) < bound) {
      long threshold = (0x100000000L - bound) % bound;
      while ((product & 0xffffffffL) < threshold) {
        product = (nextLong() >>> 32) * bound;
      }
    }
    return (int) (product >>> 32);
  }

  @Override
  public double nextDouble() {
    return (nextLong() >>> 11) * 0x1.0p-53;
  }

  @Override
  public RandomSource split(String purpose) {
    return RandomSource.seeded(seed).split(purpose);
  }

  static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
