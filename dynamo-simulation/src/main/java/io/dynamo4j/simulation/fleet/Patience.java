// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import io.dynamo4j.migration.BackOff;
import io.dynamo4j.migration.MigrationOptions;
import io.dynamo4j.migration.MigrationPolicy;
import io.dynamo4j.migration.RetryRule;
import java.time.Duration;

/**
 * How long a fleet's migrator waits for what, in nanoseconds; 0 for what it does without.
 *
 * @param hedgeAfterNanos after how long without a first token a second worker is asked
 * @param replacementWaitNanos how long a request waits where there is no worker to ask
 * @param deadlineNanos how long a request may take
 * @param backOffNanos how long it pauses after a failure, give or take half of that
 */
public record Patience(
    long hedgeAfterNanos, long replacementWaitNanos, long deadlineNanos, long backOffNanos) {

  /** A migrator that goes on at once or never. */
  public static final Patience NONE = new Patience(0, 0, 0, 0);

  /** The share by which pauses are shorter or longer. */
  public static final double JITTER = 0.5;

  /** Checks the times. */
  public Patience {
    if (hedgeAfterNanos < 0 || replacementWaitNanos < 0 || deadlineNanos < 0 || backOffNanos < 0) {
      throw new IllegalArgumentException(
          "times must not be negative: hedgeAfterNanos="
              + hedgeAfterNanos
              + ", replacementWaitNanos="
              + replacementWaitNanos
              + ", deadlineNanos="
              + deadlineNanos
              + ", backOffNanos="
              + backOffNanos);
    }
  }

  void applyTo(MigrationOptions.Builder options) {
    options
        .hedgeAfter(Duration.ofNanos(hedgeAfterNanos))
        .replacementWait(Duration.ofNanos(replacementWaitNanos))
        .deadline(Duration.ofNanos(deadlineNanos));
  }

  MigrationPolicy policy() {
    if (backOffNanos == 0) {
      return MigrationPolicy.ofDefaults();
    }
    BackOff pause = BackOff.fixed(Duration.ofNanos(backOffNanos)).withJitter(JITTER);
    return MigrationPolicy.ofDefaults().toBuilder()
        .rule(RetryRule.builder().backOff(pause).build())
        .build();
  }
}
