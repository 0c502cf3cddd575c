// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import java.time.Duration;

/**
 * How much of an index's sources must be known before it is ready, and how long that is waited for.
 *
 * <p>While no source is discovered at all, nothing is known, and only {@link #atOnce} is met.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class ReadinessPolicy {
  private final double fraction;
  private final long maxWaitNanos;

  private ReadinessPolicy(double fraction, long maxWaitNanos) {
    this.fraction = fraction;
    this.maxWaitNanos = maxWaitNanos;
  }

  /** Serves with whatever is known. */
  public static ReadinessPolicy atOnce() {
    return new ReadinessPolicy(0, 0);
  }

  /** Waits for every source, no longer than given. */
  public static ReadinessPolicy all(Duration maxWait) {
    return fraction(1, maxWait);
  }

  /**
   * Waits until a share of the sources is known, no longer than given.
   *
   * @param fraction of the sources discovered, above 0 up to 1
   * @throws IllegalArgumentException if the fraction is out of range or the time negative
   */
  public static ReadinessPolicy fraction(double fraction, Duration maxWait) {
    if (!(fraction > 0 && fraction <= 1)) {
      throw new IllegalArgumentException(
          "fraction must be above 0 and at most 1: fraction=" + fraction);
    }
    if (maxWait.isNegative()) {
      throw new IllegalArgumentException("wait must not be negative: maxWait=" + maxWait);
    }
    return new ReadinessPolicy(fraction, maxWait.toNanos());
  }

  Readiness.State judge(RecoveryProgress reached, long waitedNanos) {
    if (fraction == 0
        || (reached.total() > 0 && reached.done() >= Math.ceil(fraction * reached.total()))) {
      return Readiness.State.READY;
    }
    return waitedNanos >= maxWaitNanos ? Readiness.State.DEGRADED : Readiness.State.NOT_READY;
  }

  @Override
  public String toString() {
    return "ReadinessPolicy[fraction=" + fraction + ", maxWaitNanos=" + maxWaitNanos + "]";
  }
}
