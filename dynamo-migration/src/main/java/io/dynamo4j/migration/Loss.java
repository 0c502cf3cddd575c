// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.migration.event.MigrationPhase;
import org.jspecify.annotations.Nullable;

/**
 * One failed attempt, judged.
 *
 * @param failure what the attempt reported
 * @param decisive the error of its chain that decides
 * @param verdict what the policy makes of it
 * @param worker null where none had been chosen
 * @param attemptNanos from the attempt's dispatch to its failure
 */
record Loss(
    Throwable failure,
    DynamoException decisive,
    Verdict verdict,
    MigrationPhase phase,
    int attempt,
    @Nullable WorkerWithDpRank worker,
    long attemptNanos) {

  static Loss judge(Throwable failure, AttemptRun<?> run, MigrationPolicy policy, long nowNanos) {
    MigrationPhase phase =
        run.isOpened() ? MigrationPhase.ONGOING_REQUEST : MigrationPhase.NEW_REQUEST;
    DynamoException decisive = policy.decisive(phase, failure);
    if (decisive == null) {
      decisive =
          new DynamoException(
              ErrorType.INTERNAL,
              "attempt failed with an untyped error: class=" + failure.getClass().getName(),
              run.worker(),
              run.number(),
              failure);
    }
    return new Loss(
        failure,
        decisive,
        policy.verdict(phase, decisive.errorType()),
        phase,
        run.number(),
        run.worker() != null ? run.worker() : decisive.worker(),
        nowNanos - run.startNanos());
  }

  /** Returns whether no worker was left to be asked, and none was. */
  boolean isForWantOfWorkers() {
    return worker == null && decisive.errorType() == ErrorType.UNAVAILABLE;
  }

  /**
   * Makes the client's error. A cancellation that the client did not ask for is to it an incomplete
   * stream.
   */
  MigrationException toException(int attempts, long tokensDelivered) {
    ErrorType type = decisive.errorType();
    if (type == ErrorType.CANCELLED || type == ErrorType.BACKEND_CANCELLED) {
      type = ErrorType.STREAM_INCOMPLETE;
    }
    return new MigrationException(
        type,
        String.valueOf(decisive.getMessage()),
        worker,
        attempt,
        failure,
        attempts,
        tokensDelivered);
  }
}
