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
   */
  record AttemptStarted(String requestId, String model, int attempt, WorkerWithDpRank worker)
      implements MigrationEvent {}

  /**
   * An attempt failed in a way that another worker may repair.
   *
   * @param worker null where none had been chosen
   * @param tokensDelivered tokens that the client has from all attempts so far
   * @param retried whether another attempt follows
   */
  record StreamLost(
      String requestId,
      String model,
      int attempt,
      @Nullable WorkerWithDpRank worker,
      MigrationPhase phase,
      DynamoException cause,
      long tokensDelivered,
      boolean retried)
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
      long tokensDelivered,
      long gapNanos)
      implements MigrationEvent {}

  /**
   * An attempt failed in a way that another worker might have repaired, but no attempt is left.
   *
   * @param attempts how many were made
   */
  record Exhausted(
      String requestId, String model, int attempts, DynamoException cause, long tokensDelivered)
      implements MigrationEvent {}

  /** The request's prompt or answer outgrew the migrator's {@code maxSeqLen}; once a request. */
  record MaxSeqLenExceeded(String requestId, String model, long tokens) implements MigrationEvent {}

  /**
   * The request ended; the last event of every request.
   *
   * @param workers every worker asked, in order
   * @param error what the client got, or null where it got no error
   */
  record Ended(
      String requestId,
      String model,
      Outcome outcome,
      List<WorkerWithDpRank> workers,
      long tokensDelivered,
      @Nullable DynamoException error)
      implements MigrationEvent {}

  /** How a request ended. */
  enum Outcome {
    COMPLETED,
    FAILED,
    CANCELLED
  }
}
