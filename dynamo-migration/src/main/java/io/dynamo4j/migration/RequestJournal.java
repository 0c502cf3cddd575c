// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.MigrationPhase;
import io.dynamo4j.migration.event.RecoveryOutcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counts and reports the steps of one request. Belongs to its lane. */
final class RequestJournal {
  private static final int MAX_WORKERS = 64;

  private final RequestProfile profile;
  private final StatsRecorder recorder;
  private final EventSink events;
  private final List<WorkerWithDpRank> workers = new ArrayList<>(1);
  private long tokensDelivered;

  RequestJournal(RequestProfile profile, StatsRecorder recorder, EventSink events) {
    this.profile = profile;
    this.recorder = recorder;
    this.events = events;
  }

  void delivered(int tokens) {
    tokensDelivered += tokens;
  }

  void attemptStarted(int attempt, WorkerWithDpRank worker) {
    if (events.isListening()) {
      if (workers.size() < MAX_WORKERS) {
        workers.add(worker);
      }
      events.emit(
          () ->
              new MigrationEvent.AttemptStarted(
                  profile.requestId(), profile.model(), attempt, worker));
    }
  }

  void lost(Loss loss, boolean retried) {
    recorder.migration(loss.phase());
    events.emit(
        () ->
            new MigrationEvent.StreamLost(
                profile.requestId(),
                profile.model(),
                loss.attempt(),
                loss.worker(),
                loss.phase(),
                loss.decisive(),
                tokensDelivered,
                retried));
  }

  void exhausted(int attempts, DynamoException cause) {
    events.emit(
        () ->
            new MigrationEvent.Exhausted(
                profile.requestId(), profile.model(), attempts, cause, tokensDelivered));
  }

  void recoveryEnded(Recovery recovery, RecoveryOutcome outcome, long nowNanos) {
    MigrationPhase phase = recovery.trigger().phase();
    recorder.recovery(phase, outcome);
    events.emit(
        () ->
            new MigrationEvent.RecoveryEnded(
                profile.requestId(),
                profile.model(),
                phase,
                outcome,
                nowNanos - recovery.startNanos()));
  }

  void migrated(Recovery recovery, AttemptRun<?> run, long nowNanos) {
    events.emit(
        () ->
            new MigrationEvent.Migrated(
                profile.requestId(),
                profile.model(),
                run.number(),
                recovery.trigger().worker(),
                run.worker(),
                recovery.trigger().phase(),
                tokensDelivered,
                nowNanos - recovery.startNanos()));
  }

  void maxSeqLenExceeded(long tokens) {
    recorder.maxSeqLenExceeded();
    events.emit(
        () -> new MigrationEvent.MaxSeqLenExceeded(profile.requestId(), profile.model(), tokens));
  }

  void dropped() {
    recorder.droppedSignal();
  }

  void ended(MigrationEvent.Outcome outcome, @Nullable DynamoException error) {
    recorder.end(outcome);
    events.emit(
        () ->
            new MigrationEvent.Ended(
                profile.requestId(),
                profile.model(),
                outcome,
                List.copyOf(workers),
                tokensDelivered,
                error));
  }
}
