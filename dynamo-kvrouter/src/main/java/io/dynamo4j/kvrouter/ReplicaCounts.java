// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * What replica sync has seen since it started.
 *
 * <p><b>Threads.</b> Belongs to the router's lock.
 */
final class ReplicaCounts {
  long applied;
  long unmatched;
  long duplicates;
  long foreign;
  long rejected;
  long undecodable;
  long workerMarks;
  long snapshots;
  long requests;
  long answers;
  long expiredRouters;
  long expiredBookings;
  long published;
  long unpublished;
}
