// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

/**
 * How far an index knows its sources, at one moment.
 *
 * @param total sources discovered
 * @param done those that are exact, and those of which only live events can be had
 * @param failed those that did not answer
 * @param inFlight queries sent and not yet answered
 * @param restoredBlocks blocks taken from answers so far; never goes back
 */
public record RecoveryProgress(int total, int done, int failed, int inFlight, long restoredBlocks) {

  /** Returns whether no source is being restored: each is known, or has failed. */
  public boolean isSettled() {
    return done + failed == total;
  }
}
