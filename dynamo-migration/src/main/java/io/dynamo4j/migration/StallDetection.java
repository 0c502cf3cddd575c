// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import java.time.Duration;

/**
 * A bound on silence between tokens that follows each stream's own pace: {@link #factor()} times
 * the longest of its last {@value #GAPS} gaps, but never less than {@link #floorNanos()}. It holds
 * once an attempt has shown so many gaps, and only where the answer can go on elsewhere: it moves
 * streams and never ends one that nobody could continue. Immutable.
 *
 * <p>While the last gaps together are too short for the factor to matter, and the floor is at least
 * a second, the time is taken of each {@value #GAPS}th token only, since reading a clock costs as
 * much as the rest of forwarding a token. A gap then counts once its eight tokens are there, and
 * silence is found up to an eighth of the floor late, never before the floor.
 */
public final class StallDetection {
  /** How many gaps are remembered, and needed. */
  public static final int GAPS = 8;

  private static final long LEAST_COARSE_FLOOR_NANOS = 1_000_000_000;
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

  /** Returns whether the floor is so long that silence may be found a part of it late. */
  boolean isCoarse() {
    return floorNanos >= LEAST_COARSE_FLOOR_NANOS;
  }

  /** Returns whether gaps of this length lead to the floor. */
  boolean isFloorAbove(long gapNanos) {
    return factor * gapNanos <= floorNanos;
  }

  /** Returns how late silence may be found. */
  long lookNanos() {
    return floorNanos / GAPS;
  }

  @Override
  public String toString() {
    return isOff()
        ? "StallDetection[off]"
        : "StallDetection[factor=" + factor + ", floorNanos=" + floorNanos + "]";
  }
}
