// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.List;

/**
 * The other routers of the scope.
 *
 * @param expected how many there should be, 0 if that is not known
 * @param heard how many are heard of
 * @param expired how many leases ended without a goodbye; a counter
 * @param silent those who missed a sign of life
 */
record PeerFigures(int expected, int heard, long expired, List<Silence> silent) {
  static final PeerFigures NONE = new PeerFigures(0, 0, 0, List.of());

  /**
   * A router that should have said something.
   *
   * @param routerId unsigned
   * @param silentNanos since it last did
   * @param leaseNanos after which it counts as gone
   */
  record Silence(long routerId, long silentNanos, long leaseNanos) {}
}
