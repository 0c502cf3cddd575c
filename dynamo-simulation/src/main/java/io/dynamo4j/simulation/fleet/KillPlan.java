// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import io.dynamo4j.core.runtime.RandomSource;
import java.util.Arrays;

/**
 * When workers die: a function of the arrivals and the seed alone, so that every policy meets the
 * same times.
 */
final class KillPlan {
  private static final double SPREAD_NANOS = 2e9;

  private final long[] atNanos;

  private KillPlan(long[] atNanos) {
    this.atNanos = atNanos;
  }

  /**
   * Plans one kill after every {@code every} arrivals, up to two seconds after the last of them.
   *
   * @param every 0 for none
   */
  static KillPlan of(long[] arrivalNanos, int every, double speedup, RandomSource random) {
    int kills = every == 0 ? 0 : arrivalNanos.length / every;
    long[] at = new long[kills];
    for (int i = 0; i < kills; i++) {
      long spread = (long) (random.nextDouble() * SPREAD_NANOS / speedup);
      at[i] = arrivalNanos[(i + 1) * every - 1] + spread;
    }
    Arrays.sort(at);
    return new KillPlan(at);
  }

  int size() {
    return atNanos.length;
  }

  long atNanos(int index) {
    return atNanos[index];
  }
}
