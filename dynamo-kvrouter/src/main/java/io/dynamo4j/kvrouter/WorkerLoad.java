// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * What the bookings of one rank add up to.
 *
 * @param prefillTokens prompt tokens not computed yet
 * @param blocks distinct prompt blocks plus output blocks
 * @param requests bookings
 */
public record WorkerLoad(long prefillTokens, long blocks, int requests) {
  /** The load of a rank without bookings. */
  public static final WorkerLoad NONE = new WorkerLoad(0, 0, 0);
}
