// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/** In which order requests of one policy class leave the queue, after their strict priority. */
public enum QueuePolicy {
  /** First come, first served. */
  FCFS,
  /** Last come, first served. */
  LCFS,
  /** Those with the fewest tokens to compute first, weighted by their priority jump. */
  WSPT;

  /**
   * Returns how urgent a request is; the greater, the earlier.
   *
   * @param arrivalSeconds since the queue began
   * @param uncachedTokens that the best rank would have to compute
   */
  double score(double priorityJumpSeconds, double arrivalSeconds, long uncachedTokens) {
    return switch (this) {
      case FCFS -> priorityJumpSeconds - arrivalSeconds;
      case LCFS -> priorityJumpSeconds + arrivalSeconds;
      case WSPT -> (1 + priorityJumpSeconds) / Math.max(1, uncachedTokens);
    };
  }
}
