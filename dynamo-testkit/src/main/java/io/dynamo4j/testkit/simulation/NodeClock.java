// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.simulation;

import io.dynamo4j.core.runtime.NanoClock;

/**
 * One node's clock: virtual time through an offset and a rate.
 *
 * <p>Local time is {@code localBase + (now - base) * (1 + ppm / 10^6)}, rounded down. It is a
 * function of virtual time alone, so a replay reads the same.
 */
final class NodeClock implements NanoClock {
  private static final long MILLION = 1_000_000;

  private final Simulation simulation;
  private long baseNanos;
  private long localBaseNanos;
  private int ratePpm;

  NodeClock(Simulation simulation) {
    this.simulation = simulation;
  }

  @Override
  public long nanoTime() {
    return toLocal(simulation.nowNanos());
  }

  /** Moves the reading by an offset and sets how fast it runs from now on. */
  void adjust(long addedNanos, int newRatePpm) {
    long now = simulation.nowNanos();
    localBaseNanos = toLocal(now) + addedNanos;
    baseNanos = now;
    ratePpm = newRatePpm;
  }

  long toLocal(long virtualNanos) {
    long passed = virtualNanos - baseNanos;
    return localBaseNanos + passed + drift(passed);
  }

  /** Returns the first virtual time at which the local reading is at least {@code localNanos}. */
  long toVirtual(long localNanos) {
    if (localNanos == Long.MAX_VALUE) {
      return Long.MAX_VALUE;
    }
    if (ratePpm == 0) {
      return saturatedAdd(localNanos - localBaseNanos, baseNanos);
    }
    long wanted = localNanos - localBaseNanos;
    long factor = MILLION + ratePpm;
    long guess =
        baseNanos + wanted / factor * MILLION + Math.floorDiv(wanted % factor * MILLION, factor);
    while (toLocal(guess) < localNanos) {
      guess++;
    }
    return guess;
  }

  private long drift(long passed) {
    return ratePpm == 0
        ? 0
        : passed / MILLION * ratePpm + Math.floorDiv(passed % MILLION * ratePpm, MILLION);
  }

  static long saturatedAdd(long a, long b) {
    long sum = a + b;
    if (((a ^ sum) & (b ^ sum)) < 0) {
      return a < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    return sum;
  }
}
