// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration.event;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One step in the life of a request; built only where somebody listens. */
public sealed interface MigrationEvent {

  String requestId();

  /** Returns the request's model name, perhaps empty. */
  String model();

  /**
   * A worker was chosen for an attempt and is about to be asked.
   *
   * @param attempt number of the attempt, from 0
   * @param tokensDelivered tokens that the client has and that the attempt continues after
   */
  record AttemptStarted(
      String requestId,
      String model,
      int attempt,
      WorkerWithDpRank worker,
      AttemptReason reason,
      long tokensDelivered)
      implements MigrationEvent {}

  /**
   * An attempt failed in a way that another worker may repair.
   *
   * @param worker null where none had been chosen
   * @param tokensDelivered tokens that the client has from all attempts so far
   * @param attemptNanos from the attempt's dispatch to its failure
   * @param retried whether another attempt follows or runs already
   */
  record StreamLost(
      String requestId,
      String model,
      int attempt,
      @Nullable WorkerWithDpRank worker,
      MigrationPhase phase,
      DynamoException cause,
      long tokensDelivered,
      long attemptNanos,
      boolean retried)
      implements MigrationEvent {}

  /**
   * A timeout gave an attempt up; its {@link StreamLost} follows.
   *
   * @param worker null where none had been chosen
   * @param waitedFor what did not come
   * @param waitedNanos for how long it did not
   */
  record Stalled(
      String requestId,
      String model,
      int attempt,
      @Nullable WorkerWithDpRank worker,
      AttemptPhase waitedFor,
      long tokensDelivered,
      long waitedNanos)
      implements MigrationEvent {}

  /**
   * The next attempt is not made at once.
   *
   * @param cause what failed before
   * @param forReplacement true while no worker is left to ask, false for a back-off
   * @param delayNanos until the next try, at the latest
   */
  record Delayed(
      String requestId,
      String model,
      DynamoException cause,
      boolean forReplacement,
      long tokensDelivered,
      long delayNanos)
      implements MigrationEvent {}

  /**
   * Of two attempts that raced for a first token one was given up.
   *
   * @param winner number of the attempt that goes on
   * @param loser number of the attempt that was cancelled
   * @param raceNanos from the second attempt's dispatch to this decision
   */
  record HedgeDecided(
      String requestId,
      String model,
      int winner,
      @Nullable WorkerWithDpRank winningWorker,
      int loser,
      @Nullable WorkerWithDpRank losingWorker,
      long tokensDelivered,
      long raceNanos)
      implements MigrationEvent {}

  /**
   * A healthy stream went from a draining worker to another one, whose stream is open.
   *
   * @param attempt number of the attempt that goes on
   * @param durationNanos from the last token taken from the old worker to this
   */
  record Drained(
      String requestId,
      String model,
      int attempt,
      WorkerWithDpRank from,
      @Nullable WorkerWithDpRank to,
      long tokensDelivered,
      long durationNanos)
      implements MigrationEvent {}

  /**
   * The search for another worker that began with a {@link StreamLost} is over.
   *
   * @param phase of the failure that began it
   * @param durationNanos from noticing the failure to this outcome
   */
  record RecoveryEnded(
      String requestId,
      String model,
      MigrationPhase phase,
      RecoveryOutcome outcome,
      long durationNanos)
      implements MigrationEvent {}

  /**
   * The first token of the replacing worker reached the client's stream.
   *
   * @param attempt number of the attempt that goes on
   * @param phase of the failure that was repaired
   * @param cause the failure that was repaired
   * @param tokensDelivered tokens delivered before this one
   * @param gapNanos from noticing the failure to this token
   */
  record Migrated(
      String requestId,
      String model,
      int attempt,
      @Nullable WorkerWithDpRank from,
      @Nullable WorkerWithDpRank to,
      MigrationPhase phase,
      DynamoException cause,
      long tokensDelivered,
      long gapNanos)
      implements MigrationEvent {}

  /**
   * An attempt failed in a way that another worker might have repaired, but no attempt is left.
   *
   * @param attempts how many were made
   * @param worker of the attempt that failed last
   * @param searchNanos from noticing the failure that began the last search to giving it up
   */
  record Exhausted(
      String requestId,
      String model,
      int attempts,
      @Nullable WorkerWithDpRank worker,
      DynamoException cause,
      long tokensDelivered,
      long searchNanos)
      implements MigrationEvent {}

  /** The request's prompt or answer outgrew the migrator's {@code maxSeqLen}; once a request. */
  record MaxSeqLenExceeded(String requestId, String model, long tokens) implements MigrationEvent {}

  /**
   * The request ended; the last event of every request.
   *
   * @param workers every worker asked, in order
   * @param error what the client got, or null where it got no error
   * @param durationNanos from subscription to this
   */
  record Ended(
      String requestId,
      String model,
      Outcome outcome,
      List<WorkerWithDpRank> workers,
      long tokensDelivered,
      long durationNanos,
      @Nullable DynamoException error)
      implements MigrationEvent {}

  /** How a request ended. */
  enum Outcome {
    COMPLETED,
    FAILED,
    CANCELLED
  }
}
