// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/** How a {@link PoolDispatcher} chooses among the ranks that may take a request. */
public enum PoolPolicy {
  /**
   * One after the other, by worker id as an unsigned number, then by rank. First attempts and
   * retries count separately, so that failures do not shift where first attempts go.
   */
  ROUND_ROBIN,
  /** Uniformly. */
  RANDOM,
  /** Fewest of this dispatcher's own attempts in flight; ties uniformly. */
  LEAST_LOADED
}
