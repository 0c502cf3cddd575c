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

  MigratorStats(
      EnumCounter<MigrationPhase> migrations,
      EnumCounter<RecoveryOutcome> newRequestRecoveries,
      EnumCounter<RecoveryOutcome> ongoingRequestRecoveries,
      EnumCounter<MigrationEvent.Outcome> ends,
      long maxSeqLenExceeded,
      long droppedSignals) {
    this.migrations = migrations;
    this.newRequestRecoveries = newRequestRecoveries;
    this.ongoingRequestRecoveries = ongoingRequestRecoveries;
    this.ends = ends;
    this.maxSeqLenExceeded = maxSeqLenExceeded;
    this.droppedSignals = droppedSignals;
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
        + "]";
  }
}
