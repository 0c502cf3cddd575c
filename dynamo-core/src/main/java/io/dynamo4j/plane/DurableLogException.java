// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** A durable log or a store of snapshots could not do what was asked. */
public final class DurableLogException extends DynamoException {
  private static final long serialVersionUID = 1L;

  /** Why; callers act on {@link #isTransient}. */
  public enum Reason {
    /** There is no server, or it did not answer in time: it may or may not have been done. */
    UNREACHABLE(ErrorType.BACKEND_CANNOT_CONNECT, true),
    /** A limit of the log or the server's disk is reached. */
    FULL(ErrorType.CAPACITY_EXHAUSTED, true),
    /** The log has forgotten the reader. */
    CONSUMER_GONE(ErrorType.BACKEND_DISCONNECTED, true),
    /** The entry is longer than the log takes. */
    TOO_LARGE(ErrorType.INVALID_REQUEST, false),
    /** The server keeps nothing: durable logs are switched off there. */
    DISABLED(ErrorType.UNAVAILABLE, false),
    /** There is a log of this name that is kept otherwise than asked. */
    OTHER_CONFIGURATION(ErrorType.BACKEND_INVALID_ARGUMENT, false),
    /** The server does not let this client do that. */
    NOT_ALLOWED(ErrorType.BACKEND_INVALID_ARGUMENT, false),
    /** What was asked for is not there. */
    NOT_FOUND(ErrorType.BACKEND_INVALID_ARGUMENT, false),
    /** What is there does not carry the checksum it was written with. */
    CORRUPT(ErrorType.BACKEND_PROTOCOL, false),
    /** Used after close. */
    CLOSED(ErrorType.CLOSED, false),
    /** Anything else; the message says what. */
    FAILED(ErrorType.BACKEND_UNKNOWN, false);

    private final ErrorType errorType;
    private final boolean isTransient;

    Reason(ErrorType errorType, boolean isTransient) {
      this.errorType = errorType;
      this.isTransient = isTransient;
    }
  }

  private final Reason reason;

  public DurableLogException(Reason reason, String message) {
    this(reason, message, null);
  }

  public DurableLogException(Reason reason, String message, @Nullable Throwable cause) {
    super(reason.errorType, message, null, NO_ATTEMPT, cause);
    this.reason = Objects.requireNonNull(reason, "reason");
  }

  /**
   * Returns the failure of a stage as one of these: stages that depend on others wrap what they
   * fail with.
   */
  public static DurableLogException of(Throwable failure) {
    Throwable inner =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return inner instanceof DurableLogException typed
        ? typed
        : new DurableLogException(Reason.FAILED, "log failed: why=" + inner, inner);
  }

  public Reason reason() {
    return reason;
  }

  /** Returns whether the same may succeed later without anybody changing a setting. */
  public boolean isTransient() {
    return reason.isTransient;
  }
}
