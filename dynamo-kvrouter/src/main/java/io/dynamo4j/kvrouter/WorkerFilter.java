// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * Rules candidates out before any is scored.
 *
 * <p>Runs after the router's own rules (allow-list, pin, failed workers, health). Must be quick and
 * free of side effects: it runs while the router holds its lock.
 */
@FunctionalInterface
public interface WorkerFilter {

  /** Returns whether the rank in {@code row} may serve the request. */
  boolean accepts(SchedulingRequest request, WorkerCandidates candidates, int row);
}
