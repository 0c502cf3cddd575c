// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.MigrationPhase;
import io.dynamo4j.migration.event.RecoveryOutcome;
import java.util.Map;

/**
 * A migrator's counts at one moment.
 *
 * <p>Each count is exact once the requests it concerns have ended; counts read while requests run
 * may stem from slightly different moments.
 */
public final class MigratorStats {
  private final Map<MigrationPhase, Long> migrations;
  private final Map<RecoveryOutcome, Long> newRequestRecoveries;
  private final Map<RecoveryOutcome, Long> ongoingRequestRecoveries;
  private final Map<MigrationEvent.Outcome, Long> ends;
  private final long maxSeqLenExceeded;
  private final long droppedSignals;

  MigratorStats(
      Map<MigrationPhase, Long> migrations,
      Map<RecoveryOutcome, Long> newRequestRecoveries,
      Map<RecoveryOutcome, Long> ongoingRequestRecoveries,
      Map<MigrationEvent.Outcome, Long> ends,
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
    return migrations.getOrDefault(phase, 0L);
  }

  /** Returns how many searches for another worker ended so, by the failure that began them. */
  public long recoveries(MigrationPhase phase, RecoveryOutcome outcome) {
    return switch (phase) {
      case NEW_REQUEST -> newRequestRecoveries.getOrDefault(outcome, 0L);
      case ONGOING_REQUEST -> ongoingRequestRecoveries.getOrDefault(outcome, 0L);
    };
  }

  /** Returns how many requests ended so. */
  public long requests(MigrationEvent.Outcome outcome) {
    return ends.getOrDefault(outcome, 0L);
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
