// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.migration.event.AttemptPhase;
import org.jspecify.annotations.Nullable;

/** What it means that an attempt did not bring in time what was awaited. */
final class StallJudge {

  private StallJudge() {}

  /** Returns the error that an attempt is given up with. */
  static ErrorType error(AttemptPhase waitedFor, AnswerFlow<?> answer) {
    return switch (waitedFor) {
      case CONNECT, PROLOGUE -> ErrorType.CONNECTION_TIMEOUT;
      case FIRST_TOKEN, NEXT_TOKEN -> ErrorType.RESPONSE_TIMEOUT;
      case END -> answer.held() == null ? ErrorType.RESPONSE_TIMEOUT : ErrorType.STREAM_INCOMPLETE;
    };
  }

  static String message(AttemptPhase waitedFor, AnswerFlow<?> answer) {
    return switch (waitedFor) {
      case CONNECT, PROLOGUE -> "worker did not open its stream in time";
      case FIRST_TOKEN, NEXT_TOKEN -> "worker brought no token in time";
      case END ->
          answer.held() == null
              ? "worker did not end its stream in time"
              : incompleteness(answer.held());
    };
  }

  /** Says in which way a stream ended that should not have. */
  static String incompleteness(@Nullable FinishReason held) {
    return held == null
        ? "stream ended without a finish reason"
        : "worker ended the stream unasked: finishReason=" + held.wireName();
  }
}
