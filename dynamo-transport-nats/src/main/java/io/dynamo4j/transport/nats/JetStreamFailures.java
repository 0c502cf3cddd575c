// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.nats.client.JetStreamApiException;
import java.io.IOException;

/** What the server's refusals and the client's exceptions mean. */
final class JetStreamFailures {
  static final int CONSUMER_NOT_FOUND = 10014;
  static final int NO_MESSAGE_FOUND = 10037;
  static final int STREAM_NOT_FOUND = 10059;

  private static final int CONSUMER_NOT_MADE = 10012;
  private static final int INSUFFICIENT_RESOURCES = 10023;
  private static final int MEMORY_EXCEEDED = 10028;
  private static final int NOT_ENABLED_FOR_ACCOUNT = 10039;
  private static final int STORAGE_EXCEEDED = 10047;
  private static final int MESSAGE_TOO_LONG = 10054;
  private static final int NAME_IN_USE = 10058;
  private static final int SUBJECTS_OVERLAP = 10065;
  private static final int NOT_ENABLED = 10076;
  private static final int STORE_FAILED = 10077;
  private static final int STREAM_INVALID = 10096;

  private JetStreamFailures() {}

  /** Whether a stream cannot be made for one that is there, be it the very same. */
  static boolean isInTheWay(int apiError) {
    return apiError == NAME_IN_USE || apiError == SUBJECTS_OVERLAP;
  }

  /** Returns whether the server has told that nobody takes what was published. */
  static boolean isUntaken(IOException failure) {
    return failure.getMessage() != null && failure.getMessage().contains("503");
  }

  static DurableLogException of(String what, Exception cause) {
    if (cause instanceof DurableLogException typed) {
      return typed;
    }
    return new DurableLogException(
        reason(cause),
        what + ": why=" + LoggedErrors.safe(String.valueOf(cause.getMessage())),
        cause);
  }

  private static Reason reason(Exception cause) {
    if (cause instanceof JetStreamApiException refusal) {
      return isBeingMade(refusal) ? Reason.UNREACHABLE : reason(refusal.getApiErrorCode());
    }
    // The client throws this for an answer that does not come, and for none who would answer.
    return cause instanceof IOException ? Reason.UNREACHABLE : Reason.FAILED;
  }

  /**
   * Returns whether a stream has no place for readers yet: a server tells of one, and refuses them,
   * while it is still being made for somebody else.
   */
  private static boolean isBeingMade(JetStreamApiException refusal) {
    return refusal.getApiErrorCode() == STREAM_INVALID
        || (refusal.getApiErrorCode() == CONSUMER_NOT_MADE
            && refusal.getErrorDescription().contains("invalid stream"));
  }

  private static Reason reason(int apiError) {
    return switch (apiError) {
      case CONSUMER_NOT_FOUND -> Reason.CONSUMER_GONE;
      case STREAM_NOT_FOUND -> Reason.UNREACHABLE;
      case INSUFFICIENT_RESOURCES, MEMORY_EXCEEDED, STORAGE_EXCEEDED, STORE_FAILED -> Reason.FULL;
      case NOT_ENABLED, NOT_ENABLED_FOR_ACCOUNT -> Reason.DISABLED;
      case MESSAGE_TOO_LONG -> Reason.TOO_LARGE;
      case NAME_IN_USE, SUBJECTS_OVERLAP -> Reason.OTHER_CONFIGURATION;
      default -> Reason.FAILED;
    };
  }
}
