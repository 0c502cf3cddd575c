// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import java.time.Duration;

/**
 * A bound on silence between tokens that follows each stream's own pace: {@link #factor()} times
 * the longest of its last {@value #GAPS} gaps, but never less than {@link #floorNanos()}. It holds
 * once an attempt has shown so many gaps, and only where the answer can go on elsewhere: it moves
 * streams and never ends one that nobody could continue. Immutable.
 */
public final class StallDetection {
  /** How many gaps are remembered, and needed. */
  public static final int GAPS = 8;

  private static final double MAX_BOUND_NANOS = 1e18;
  private static final StallDetection OFF = new StallDetection(0, 0);
  private static final StallDetection DEFAULTS = of(20, Duration.ofSeconds(30));

  private final double factor;
  private final long floorNanos;

  private StallDetection(double factor, long floorNanos) {
    this.factor = factor;
    this.floorNanos = floorNanos;
  }

  /** Learns nothing; only the configured timeouts hold. */
  public static StallDetection off() {
    return OFF;
  }

  /** Twenty times the recent pace, at least 30 s. */
  public static StallDetection ofDefaults() {
    return DEFAULTS;
  }

  /**
   * Sets both numbers.
   *
   * @throws IllegalArgumentException if the factor is not within 1 and a million, or the floor not
   *     positive or longer than a century
   */
  public static StallDetection of(double factor, Duration floor) {
    if (!(factor >= 1 && factor <= 1e6)) {
      throw new IllegalArgumentException("factor must be within 1 and 1000000: factor=" + factor);
    }
    long nanos = Durations.nonNegativeNanos("floor", floor);
    if (nanos == 0) {
      throw new IllegalArgumentException("floor must be positive: floor=" + floor);
    }
    return new StallDetection(factor, nanos);
  }

  public boolean isOff() {
    return floorNanos == 0;
  }

  public double factor() {
    return factor;
  }

  public long floorNanos() {
    return floorNanos;
  }

  /** Returns the bound for a stream whose longest recent gap is given. */
  long boundNanos(long longestGapNanos) {
    double nanos = Math.min(factor * longestGapNanos, MAX_BOUND_NANOS);
    return Math.max(floorNanos, (long) nanos);
  }

  @Override
  public String toString() {
    return isOff()
        ? "StallDetection[off]"
        : "StallDetection[factor=" + factor + ", floorNanos=" + floorNanos + "]";
  }
}
