// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.runtime;

/**
 * Seeded chance, one child per kind of decision.
 *
 * <p><b>Threads.</b> An instance belongs to one lane. {@link #split} may be called from any thread.
 */
public interface RandomSource {

  /** Returns 64 uniform bits. */
  long nextLong();

  /**
   * Returns a uniform value in {@code [0, bound)}.
   *
   * @throws IllegalArgumentException if {@code bound} is not positive
   */
  int nextInt(int bound);

  /** Returns a uniform value in {@code [0, 1)} with 53 random bits. */
  double nextDouble();

  /**
   * Derives a child from this source's seed and {@code purpose}, not from how much has been drawn,
   * so that a new draw in one component does not shift the others. The same purpose gives the same
   * child.
   */
  RandomSource split(String purpose);

  /** Returns a source whose whole future is a function of {@code seed}. */
  static RandomSource seeded(long seed) {
    return new SplitMixRandomSource(seed);
  }
}
