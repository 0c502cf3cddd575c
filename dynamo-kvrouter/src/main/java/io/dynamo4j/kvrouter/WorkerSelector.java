// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.RandomSource;
import org.jspecify.annotations.Nullable;

/**
 * The policy: picks one of the eligible ranks. Eligibility, booking and accounting stay with the
 * router.
 *
 * <p>A pure function of its arguments, so that a decision can be repeated. It runs while the router
 * holds its lock.
 */
@FunctionalInterface
public interface WorkerSelector {

  /**
   * Picks a rank.
   *
   * @param candidates at least one row; the selector may drop rows from it
   * @return the choice, or null if the policy refuses every candidate
   */
  @Nullable WorkerSelectionResult select(
      SchedulingRequest request, WorkerCandidates candidates, RandomSource random);

  /**
   * Prices a row that this policy has not dropped, for records of decisions and comparisons.
   *
   * @return the cost that {@link #select} compares, NaN if this policy does not tell
   */
  default double cost(SchedulingRequest request, WorkerCandidates candidates, int row) {
    return Double.NaN;
  }

  /** Names the filter by which this policy drops a row, null if it keeps it or does not tell. */
  default @Nullable String refusal(
      SchedulingRequest request, WorkerCandidates candidates, int row) {
    return null;
  }
}
