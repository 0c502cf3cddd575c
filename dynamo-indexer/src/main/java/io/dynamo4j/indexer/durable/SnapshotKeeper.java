// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.LogEntry;
import io.dynamo4j.plane.LogFacts;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Says when a snapshot is due, claims the lease for it, and has it written: after so many events,
 * before events leave the log by age, and before the log is full. Belongs to the feed's lane.
 */
final class SnapshotKeeper {
  private static final long NONE = -1;

  private final FeedCore core;
  private final SnapshotLease lease;
  private @Nullable LogReplay replay;
  private @Nullable SnapshotWork work;
  private volatile long covered;
  private long events;
  private long firstMillis = NONE;
  private long claimSequence;
  private long eventsSinceClaim;
  private long firstSinceClaimMillis = NONE;
  private long lastReset;
  private long claimedTerm;
  private boolean claiming;
  private boolean writing;

  SnapshotKeeper(FeedCore core) {
    this.core = core;
    this.lease = new SnapshotLease(core.routerId, core.config.leaseNanos());
  }

  void connect(LogReplay reading, SnapshotWork snapshotWork) {
    this.replay = reading;
    this.work = snapshotWork;
  }

  long covered() {
    return covered;
  }

  long lastReset() {
    return lastReset;
  }

  /* --------------- What the log says --------------- */

  void startedFrom(long sequence) {
    covered = sequence;
    events = 0;
    firstMillis = NONE;
    claimSequence = 0;
    eventsSinceClaim = 0;
    firstSinceClaimMillis = NONE;
    Objects.requireNonNull(work).startedFrom(sequence);
  }

  /** What follows is read from another log. */
  void otherLog() {
    lastReset = 0;
    lease.ended();
  }

  /** Notes an entry, with how many events it has. */
  void passed(LogEntry entry, int count) {
    events += count;
    eventsSinceClaim += count;
    firstMillis = firstMillis == NONE ? entry.storedAtMillis() : firstMillis;
    firstSinceClaimMillis =
        firstSinceClaimMillis == NONE ? entry.storedAtMillis() : firstSinceClaimMillis;
  }

  /** Everything up to this entry is void; the entry itself a snapshot has yet to cover. */
  void reset(LogEntry entry) {
    SnapshotWork snapshots = Objects.requireNonNull(work);
    startedFrom(entry.sequence());
    snapshots.startedFrom(0);
    snapshots.dropBefore(entry.sequence());
    passed(entry, 0);
    lastReset = entry.sequence();
    lease.ended();
  }

  /** Notes a claim, and writes if it is ours and won. */
  void claimed(LogRecord.Claim claim, LogEntry entry) {
    if (!lease.claimed(claim.routerId(), claim.term(), core.now())) {
      return;
    }
    claimedAt(entry.sequence());
    if (claim.routerId() == core.routerId && claim.term() == claimedTerm && !writing) {
      write();
    }
  }

  private void claimedAt(long sequence) {
    claimSequence = sequence;
    eventsSinceClaim = 0;
    firstSinceClaimMillis = NONE;
  }

  /** Notes a snapshot; it covers at least all that was there when it was claimed. */
  private void covered(long sequence) {
    if (sequence <= covered) {
      return;
    }
    covered = sequence;
    if (sequence >= claimSequence) {
      events = eventsSinceClaim;
      firstMillis = firstSinceClaimMillis;
      lease.ended();
    }
  }

  /* --------------- What is due --------------- */

  /** Looks at the log; called again and again while the feed is live. */
  void check(LogFacts facts) {
    if (claiming || writing || !isDue(facts)) {
      return;
    }
    claiming = true;
    // Another router may have written it since.
    core.then(
        Objects.requireNonNull(work)
            .newestCovered(
                Math.max(facts.lastSequence(), Objects.requireNonNull(replay).applied())),
        (sequence, failure) -> {
          claiming = false;
          if (sequence == null) {
            core.failed("snapshots cannot be listed", Objects.requireNonNull(failure));
            return;
          }
          covered(sequence);
          if (isDue(facts) && lease.isFree(core.now())) {
            claim();
          }
        });
  }

  private boolean isDue(LogFacts facts) {
    return firstMillis != NONE
        && (events >= core.config.snapshotThreshold() || isOld(facts) || isNearlyFull(facts));
  }

  private boolean isOld(LogFacts facts) {
    long retention = facts.retention().toMillis();
    return retention > 0 && facts.nowMillis() - firstMillis >= retention / 2;
  }

  static boolean isNearlyFull(LogFacts facts) {
    return (facts.maxEntries() > 0 && facts.entries() > facts.maxEntries() / 4 * 3)
        || (facts.maxBytes() > 0 && facts.bytes() > facts.maxBytes() / 4 * 3);
  }

  private void claim() {
    claiming = true;
    claimedTerm = lease.nextTerm();
    core.then(
        core.append(new LogRecord.Claim(core.routerId, claimedTerm)),
        (sequence, failure) -> {
          claiming = false;
          if (failure instanceof DurableLogException refusal
              && refusal.reason() == DurableLogException.Reason.FULL
              && !writing) {
            // The log will take no claim before a snapshot has made room.
            write();
          } else if (failure != null) {
            core.failed("snapshot cannot be claimed", failure);
          }
        });
  }

  private void write() {
    LogReplay reading = Objects.requireNonNull(replay);
    if (reading.state() != DurableFeedState.LIVE) {
      lease.ended();
      return;
    }
    writing = true;
    claimedAt(reading.applied());
    core.then(
        Objects.requireNonNull(work).write(reading, this),
        (sequence, failure) -> {
          writing = false;
          if (sequence == null) {
            lease.ended();
          } else {
            covered(sequence);
          }
        });
  }
}
