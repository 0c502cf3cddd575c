// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.MigrationPhase;
import io.dynamo4j.migration.event.RecoveryOutcome;

/**
 * A migrator's counts at one moment.
 *
 * <p>Each count is exact once the requests it concerns have ended; counts read while requests run
 * may stem from slightly different moments.
 */
public final class MigratorStats {
  private final EnumCounter<MigrationPhase> migrations;
  private final EnumCounter<RecoveryOutcome> newRequestRecoveries;
  private final EnumCounter<RecoveryOutcome> ongoingRequestRecoveries;
  private final EnumCounter<MigrationEvent.Outcome> ends;
  private final long maxSeqLenExceeded;
  private final long droppedSignals;
  private final long stalls;
  private final long hedges;
  private final long hedgesWon;
  private final long moves;
  private final long waits;

  MigratorStats(StatsRecorder recorder) {
    this.migrations = recorder.migrations.copy();
    this.newRequestRecoveries = recorder.newRequestRecoveries.copy();
    this.ongoingRequestRecoveries = recorder.ongoingRequestRecoveries.copy();
    this.ends = recorder.ends.copy();
    this.maxSeqLenExceeded = recorder.maxSeqLenExceeded.get();
    this.droppedSignals = recorder.droppedSignals.get();
    this.stalls = recorder.stalls.get();
    this.hedges = recorder.hedges.get();
    this.hedgesWon = recorder.hedgesWon.get();
    this.moves = recorder.moves.get();
    this.waits = recorder.waits.get();
  }

  /**
   * Returns how many attempts failed in a way that migrates, those that no attempt was left for
   * included. Not counted are failures of pinned requests, an empty pool and what a client left
   * behind.
   */
  public long migrations(MigrationPhase phase) {
    return migrations.count(phase);
  }

  /** Returns how many searches for another worker ended so, by the failure that began them. */
  public long recoveries(MigrationPhase phase, RecoveryOutcome outcome) {
    return switch (phase) {
      case NEW_REQUEST -> newRequestRecoveries.count(outcome);
      case ONGOING_REQUEST -> ongoingRequestRecoveries.count(outcome);
    };
  }

  /** Returns how many requests ended so. */
  public long requests(MigrationEvent.Outcome outcome) {
    return ends.count(outcome);
  }

  /** Returns how many requests outgrew {@link MigrationOptions#maxSeqLen()}. */
  public long maxSeqLenExceeded() {
    return maxSeqLenExceeded;
  }

  /**
   * Returns how many signals were dropped: of attempts that had been given up, and tokens after the
   * end of an answer.
   */
  public long droppedSignals() {
    return droppedSignals;
  }

  /** Returns how many attempts were given up by a timeout. */
  public long stalls() {
    return stalls;
  }

  /** Returns how many second attempts were started because a first token was late. */
  public long hedges() {
    return hedges;
  }

  /** Returns how many of those second attempts brought the token. */
  public long hedgesWon() {
    return hedgesWon;
  }

  /** Returns how many streams went from a draining worker to another. */
  public long moves() {
    return moves;
  }

  /** Returns how many times a request had to wait for a worker. */
  public long waits() {
    return waits;
  }

  @Override
  public String toString() {
    return "MigratorStats[migrations="
        + migrations
        + ", newRequestRecoveries="
        + newRequestRecoveries
        + ", ongoingRequestRecoveries="
        + ongoingRequestRecoveries
        + ", requests="
        + ends
        + ", maxSeqLenExceeded="
        + maxSeqLenExceeded
        + ", droppedSignals="
        + droppedSignals
        + ", stalls="
        + stalls
        + ", hedges="
        + hedges
        + ", hedgesWon="
        + hedgesWon
        + ", moves="
        + moves
        + ", waits="
        + waits
        + "]";
  }
}
