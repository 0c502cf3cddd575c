// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.migration.event.AttemptPhase;
import io.dynamo4j.migration.event.AttemptReason;
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
  private final long startNanos;
  private long tokensDelivered;

  RequestJournal(
      RequestProfile profile, StatsRecorder recorder, EventSink events, long startNanos) {
    this.profile = profile;
    this.recorder = recorder;
    this.events = events;
    this.startNanos = startNanos;
  }

  void delivered(int tokens) {
    tokensDelivered += tokens;
  }

  void attemptStarted(AttemptRun<?> run, WorkerWithDpRank worker) {
    if (run.reason() == AttemptReason.HEDGE) {
      recorder.hedges.incrementAndGet();
    }
    if (events.isListening()) {
      if (workers.size() < MAX_WORKERS) {
        workers.add(worker);
      }
      events.emit(
          () ->
              new MigrationEvent.AttemptStarted(
                  profile.requestId(),
                  profile.model(),
                  run.number(),
                  worker,
                  run.reason(),
                  tokensDelivered));
    }
  }

  void lost(Loss loss, boolean retried) {
    recorder.migration(loss.phase());
    tellLost(loss, retried);
  }

  /** Tells of a loss that costs nothing: the stream had only been about to move. */
  void tellLost(Loss loss, boolean retried) {
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
                loss.attemptNanos(),
                retried));
  }

  void stalled(AttemptRun<?> run, AttemptPhase waitedFor, long waitedNanos) {
    recorder.stalls.incrementAndGet();
    events.emit(
        () ->
            new MigrationEvent.Stalled(
                profile.requestId(),
                profile.model(),
                run.number(),
                run.worker(),
                waitedFor,
                tokensDelivered,
                waitedNanos));
  }

  void delayed(Loss loss, boolean forReplacement, long delayNanos) {
    events.emit(
        () ->
            new MigrationEvent.Delayed(
                profile.requestId(),
                profile.model(),
                loss.decisive(),
                forReplacement,
                tokensDelivered,
                delayNanos));
  }

  void waits(Loss loss, long longestNanos) {
    recorder.waits.incrementAndGet();
    delayed(loss, /* forReplacement= */ true, longestNanos);
  }

  /** One of two attempts is given up; the second one's dispatch began the race. */
  void hedgeDecided(AttemptRun<?> winner, AttemptRun<?> loser, long nowNanos) {
    if (winner.reason() == AttemptReason.HEDGE) {
      recorder.hedgesWon.incrementAndGet();
    }
    long began = Math.max(winner.startNanos(), loser.startNanos());
    events.emit(
        () ->
            new MigrationEvent.HedgeDecided(
                profile.requestId(),
                profile.model(),
                winner.number(),
                winner.worker(),
                loser.number(),
                loser.worker(),
                tokensDelivered,
                nowNanos - began));
  }

  void moved(AttemptRun<?> run, WorkerWithDpRank from, long nowNanos) {
    recorder.moves.incrementAndGet();
    events.emit(
        () ->
            new MigrationEvent.Drained(
                profile.requestId(),
                profile.model(),
                run.number(),
                from,
                run.worker(),
                tokensDelivered,
                nowNanos - run.startNanos()));
  }

  void exhausted(int attempts, Loss last, long searchNanos) {
    events.emit(
        () ->
            new MigrationEvent.Exhausted(
                profile.requestId(),
                profile.model(),
                attempts,
                last.worker(),
                last.decisive(),
                tokensDelivered,
                searchNanos));
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
                recovery.trigger().decisive(),
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

  void ended(MigrationEvent.Outcome outcome, long nowNanos, @Nullable DynamoException error) {
    recorder.end(outcome);
    events.emit(
        () ->
            new MigrationEvent.Ended(
                profile.requestId(),
                profile.model(),
                outcome,
                List.copyOf(workers),
                tokensDelivered,
                nowNanos - startNanos,
                error));
  }
}
