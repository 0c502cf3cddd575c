// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * Prices one candidate; lower is better, costs of several scorers are added.
 *
 * <p>Must be quick and free of side effects: it runs while the router holds its lock.
 */
@FunctionalInterface
public interface WorkerScorer {

  /** Returns the finite cost of serving the request on the rank in {@code row}. */
  double cost(SchedulingRequest request, WorkerCandidates candidates, int row);
}
