// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.runtime.RandomSource;
import java.time.Duration;

/** How long to pause before the n-th try: exponential, bounded, jittered. Immutable. */
public final class BackOff {
  private static final BackOff NONE = new BackOff(0, 1, 0, 0);

  private final long firstNanos;
  private final double factor;
  private final long mostNanos;
  private final double jitter;

  private BackOff(long firstNanos, double factor, long mostNanos, double jitter) {
    this.firstNanos = firstNanos;
    this.factor = factor;
    this.mostNanos = mostNanos;
    this.jitter = jitter;
  }

  /** No pause at all. */
  public static BackOff none() {
    return NONE;
  }

  /** The same pause each time. */
  public static BackOff fixed(Duration delay) {
    return exponential(delay, 1, delay);
  }

  /**
   * Pauses that grow.
   *
   * @param first the first pause
   * @param factor what each further pause is multiplied by, at least 1
   * @param most no pause is longer, jitter aside
   * @throws IllegalArgumentException if a duration is negative or longer than a century, or the
   *     factor less than 1
   */
  public static BackOff exponential(Duration first, double factor, Duration most) {
    if (!(factor >= 1 && factor <= 1_000)) {
      throw new IllegalArgumentException(
          "back-off factor must be within 1 and 1000: factor=" + factor);
    }
    return new BackOff(
        Durations.nonNegativeNanos("first", first),
        factor,
        Durations.nonNegativeNanos("most", most),
        0);
  }

  /**
   * Spreads pauses: each is multiplied by a uniform factor in {@code [1 − share, 1 + share)}.
   *
   * @throws IllegalArgumentException outside 0 … 1
   */
  public BackOff withJitter(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("jitter must be within 0 and 1: jitter=" + share);
    }
    return new BackOff(firstNanos, factor, mostNanos, share);
  }

  /**
   * Returns the pause before a try.
   *
   * @param earlier how many tries were paused for before this one
   * @param random drawn from only if there is jitter
   */
  public long delayNanos(int earlier, RandomSource random) {
    double nanos =
        Math.min((double) mostNanos, firstNanos * Math.pow(factor, Math.min(earlier, 1_000)));
    if (jitter > 0 && nanos > 0) {
      nanos *= 1 - jitter + 2 * jitter * random.nextDouble();
    }
    return (long) nanos;
  }

  /** Returns whether there is never a pause. */
  public boolean isNone() {
    return firstNanos == 0 || mostNanos == 0;
  }

  @Override
  public String toString() {
    return "BackOff[firstNanos="
        + firstNanos
        + ", factor="
        + factor
        + ", mostNanos="
        + mostNanos
        + ", jitter="
        + jitter
        + "]";
  }
}
