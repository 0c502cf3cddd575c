// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.MigrationPhase;
import io.dynamo4j.migration.event.RecoveryOutcome;
import java.util.concurrent.atomic.AtomicLong;

/** Counters behind {@link MigratorStats}; written from every request's lane, never per token. */
final class StatsRecorder {
  final EnumCounter<MigrationPhase> migrations = new EnumCounter<>(MigrationPhase.class);
  final EnumCounter<RecoveryOutcome> newRequestRecoveries =
      new EnumCounter<>(RecoveryOutcome.class);
  final EnumCounter<RecoveryOutcome> ongoingRequestRecoveries =
      new EnumCounter<>(RecoveryOutcome.class);
  final EnumCounter<MigrationEvent.Outcome> ends = new EnumCounter<>(MigrationEvent.Outcome.class);
  final AtomicLong maxSeqLenExceeded = new AtomicLong();
  final AtomicLong droppedSignals = new AtomicLong();
  final AtomicLong stalls = new AtomicLong();
  final AtomicLong hedges = new AtomicLong();
  final AtomicLong hedgesWon = new AtomicLong();
  final AtomicLong moves = new AtomicLong();
  final AtomicLong waits = new AtomicLong();

  void migration(MigrationPhase phase) {
    migrations.increment(phase);
  }

  void recovery(MigrationPhase phase, RecoveryOutcome outcome) {
    switch (phase) {
      case NEW_REQUEST -> newRequestRecoveries.increment(outcome);
      case ONGOING_REQUEST -> ongoingRequestRecoveries.increment(outcome);
    }
  }

  void end(MigrationEvent.Outcome outcome) {
    ends.increment(outcome);
  }

  void maxSeqLenExceeded() {
    maxSeqLenExceeded.incrementAndGet();
  }

  void droppedSignal() {
    droppedSignals.incrementAndGet();
  }

  MigratorStats snapshot() {
    return new MigratorStats(this);
  }
}
