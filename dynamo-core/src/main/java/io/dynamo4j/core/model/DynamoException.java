// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Root of every failure this library reports; the data is in accessors, never only in the message.
 *
 * <p>Subclasses exist only where a caller acts differently; everything else is told apart by {@link
 * #errorType()}.
 */
public class DynamoException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Marks an error that no attempt of a request is known for. */
  public static final int NO_ATTEMPT = -1;

  private final ErrorType errorType;
  private final transient @Nullable WorkerWithDpRank worker;
  private final int attempt;

  public DynamoException(ErrorType errorType, String message) {
    this(errorType, message, null, NO_ATTEMPT, null);
  }

  public DynamoException(ErrorType errorType, String message, @Nullable WorkerWithDpRank worker) {
    this(errorType, message, worker, NO_ATTEMPT, null);
  }

  public DynamoException(
      ErrorType errorType,
      String message,
      @Nullable WorkerWithDpRank worker,
      int attempt,
      @Nullable Throwable cause) {
    super(message, cause);
    this.errorType = Objects.requireNonNull(errorType, "errorType");
    this.worker = worker;
    this.attempt = attempt;
  }

  public ErrorType errorType() {
    return errorType;
  }

  public Origin origin() {
    return errorType.origin();
  }

  /** Returns the worker that the failure concerns, or null where none was involved. */
  public @Nullable WorkerWithDpRank worker() {
    return worker;
  }

  /** Returns the number of the attempt that failed, from 0, or {@link #NO_ATTEMPT}. */
  public int attempt() {
    return attempt;
  }
}
