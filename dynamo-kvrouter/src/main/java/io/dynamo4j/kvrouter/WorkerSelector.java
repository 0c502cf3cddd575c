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
}
