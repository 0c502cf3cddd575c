// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.runtime;

/**
 * SplitMix64: a Weyl sequence through a 64-bit finalizer.
 *
 * <p><b>Source.</b> Steele, Lea, Flood: Fast splittable pseudorandom number generators (OOPSLA
 * 2014); finalizer constants of Stafford's variant 13.
 */
final class SplitMixRandomSource implements RandomSource {

  private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

  private final long seed;
  private long state;

  SplitMixRandomSource(long seed) {
    this.seed = seed;
    this.state = seed;
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
    // Multiply-high over 32 bits with rejection keeps every value equally likely.
    long product = (nextLong() >>> 32) * bound;
    long low = product & 0xffffffffL;
    if (low < bound) {
      long threshold = (0x100000000L - bound) % bound;
      while (low < threshold) {
        product = (nextLong() >>> 32) * bound;
        low = product & 0xffffffffL;
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
    long child = mix(seed ^ GOLDEN_GAMMA);
    for (int i = 0; i < purpose.length(); i++) {
      child = mix(child + GOLDEN_GAMMA * (purpose.charAt(i) + 1L));
    }
    return new SplitMixRandomSource(child);
  }

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
