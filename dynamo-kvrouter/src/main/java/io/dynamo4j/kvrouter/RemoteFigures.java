// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * What came of asking an index elsewhere; counters.
 *
 * @param lookups asked for
 * @param failed lookups that nobody answered, retries included
 * @param answeredHere those of them that were answered by predictions here
 * @param untold decisions that no server took
 */
record RemoteFigures(long lookups, long failed, long answeredHere, long untold) {
  static final RemoteFigures NONE = new RemoteFigures(0, 0, 0, 0);
}
