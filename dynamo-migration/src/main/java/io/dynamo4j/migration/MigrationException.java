// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a request after everything that a migrator may do about it.
 *
 * <p>Type, worker and attempt are those of the failure that decided: of the broken stream where
 * tokens had begun to flow, else of the last attempt. That failure is the cause; those of the other
 * attempts are suppressed exceptions, in order.
 */
public final class MigrationException extends DynamoException {
  private static final long serialVersionUID = 1L;

  private final int attempts;
  private final long tokensDelivered;

  MigrationException(
      ErrorType type,
      String message,
      @Nullable WorkerWithDpRank worker,
      int attempt,
      @Nullable Throwable cause,
      int attempts,
      long tokensDelivered) {
    super(type, message, worker, attempt, cause);
    this.attempts = attempts;
    this.tokensDelivered = tokensDelivered;
  }

  /** Makes the error of a request whose migrator was closed. */
  static MigrationException closed(int attempts, long tokensDelivered) {
    return new MigrationException(
        ErrorType.CLOSED, "migrator was closed", null, NO_ATTEMPT, null, attempts, tokensDelivered);
  }

  /** Makes the error of a request whose time was up. */
  static MigrationException deadline(
      long deadlineNanos, @Nullable WorkerWithDpRank worker, int attempts, long tokensDelivered) {
    return new MigrationException(
        ErrorType.DEADLINE_EXCEEDED,
        "request did not end in time: deadlineNanos=" + deadlineNanos,
        worker,
        attempts == 0 ? NO_ATTEMPT : attempts - 1,
        null,
        attempts,
        tokensDelivered);
  }

  /** Makes the error of a request that the host's adapter cannot describe. */
  static MigrationException ofAdapter(Throwable failure) {
    return new MigrationException(
        ErrorType.INTERNAL,
        "adapter cannot describe the request: class=" + failure.getClass().getName(),
        null,
        NO_ATTEMPT,
        failure,
        0,
        0);
  }

  /** Returns how many attempts were made, the first included. */
  public int attempts() {
    return attempts;
  }

  /** Returns how many tokens the client had received. */
  public long tokensDelivered() {
    return tokensDelivered;
  }
}
