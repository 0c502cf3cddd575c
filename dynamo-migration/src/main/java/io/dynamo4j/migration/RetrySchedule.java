// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.RandomSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * When one request tries again: pauses by type of failure, and the wait for a worker where none is
 * left. Belongs to the request's lane.
 */
final class RetrySchedule {
  private final MigrationPolicy policy;
  private final MigrationOptions options;
  private final Supplier<RandomSource> chance;
  private @Nullable Map<ErrorType, Integer> failures;
  private @Nullable RandomSource random;
  private boolean waiting;
  private long waitEndsNanos;
  private int looks;

  RetrySchedule(MigrationPolicy policy, MigrationOptions options, Supplier<RandomSource> chance) {
    this.policy = policy;
    this.options = options;
    this.chance = chance;
  }

  /**
   * Counts a failure and returns whether its type's rule lets the request go on.
   *
   * @param searchNanos how long the present search for a worker has taken
   */
  boolean admits(ErrorType type, long searchNanos) {
    if (failures == null) {
      failures = new EnumMap<>(ErrorType.class);
    }
    RetryRule rule = policy.rule(type);
    int count = failures.merge(type, 1, Integer::sum);
    return count <= rule.limit() && (rule.withinNanos() == 0 || searchNanos <= rule.withinNanos());
  }

  /** Returns the pause after the failure that was just counted. */
  long pauseNanos(ErrorType type) {
    BackOff backOff = policy.rule(type).backOff();
    int count = failures == null ? 1 : failures.getOrDefault(type, 1);
    return backOff.isNone() ? 0 : backOff.delayNanos(count - 1, random());
  }

  /** Returns whether requests wait when no worker is left. */
  boolean waitsForWorkers() {
    return options.replacementWaitNanos() > 0;
  }

  /** Returns how long to wait before looking for a worker again; 0 once that time is up. */
  long nextLookNanos(long nowNanos) {
    if (!waiting) {
      waiting = true;
      looks = 0;
      waitEndsNanos = nowNanos + options.replacementWaitNanos();
    }
    long left = waitEndsNanos - nowNanos;
    return left <= 0
        ? 0
        : Math.max(1, Math.min(left, options.replacementPoll().delayNanos(looks++, random())));
  }

  /** Returns whether the request waits for a worker. */
  boolean isWaiting() {
    return waiting;
  }

  /** A worker was found, or nobody waits for one any more. */
  void waitOver() {
    waiting = false;
  }

  private RandomSource random() {
    if (random == null) {
      random = chance.get();
    }
    return random;
  }
}
