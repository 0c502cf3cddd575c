// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

/**
 * Which router may write the next snapshot. Claims stand in the log, whose order decides: of one
 * term the first wins. A holder that does not come to an end loses the lease by time, counted by
 * each router for itself; two that write at once do no harm but work.
 *
 * <p>Belongs to the feed's lane.
 */
final class SnapshotLease {
  private final long routerId;
  private final long leaseNanos;
  private long term;
  private long holder;
  private boolean isKnown;
  private boolean isHeld;
  private long expiresNanos;

  SnapshotLease(long routerId, long leaseNanos) {
    this.routerId = routerId;
    this.leaseNanos = leaseNanos;
  }

  /** Returns the term to claim. */
  long nextTerm() {
    return term + 1;
  }

  boolean isFree(long nowNanos) {
    return !isHeld || nowNanos - expiresNanos >= 0;
  }

  /**
   * Notes a claim in the log.
   *
   * @return whether it won
   */
  boolean claimed(long claimant, long claimedTerm, long nowNanos) {
    // By their distance: no claim, a stranger's neither, is one that no other can follow.
    if (isKnown && claimedTerm - term <= 0) {
      return false;
    }
    isKnown = true;
    term = claimedTerm;
    holder = claimant;
    isHeld = true;
    expiresNanos = nowNanos + leaseNanos;
    return true;
  }

  boolean isMine(long nowNanos) {
    return isHeld && holder == routerId && nowNanos - expiresNanos < 0;
  }

  /** Ends the lease: its snapshot is there, or its holder gives up. */
  void ended() {
    isHeld = false;
  }
}
