// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import java.util.List;

/** The errors that faults bring, by number, and what the harness expects to become of each. */
final class FaultErrors {
  private static final List<ErrorType> REFUSALS =
      List.of(
          ErrorType.CANNOT_CONNECT,
          ErrorType.CONNECTION_TIMEOUT,
          ErrorType.WORKER_OVERLOADED,
          ErrorType.BACKEND_UNKNOWN,
          ErrorType.INVALID_REQUEST);
  private static final List<ErrorType> BREAKS =
      List.of(
          ErrorType.STREAM_INCOMPLETE,
          ErrorType.DISCONNECTED,
          ErrorType.ENGINE_SHUTDOWN,
          ErrorType.BACKEND_UNKNOWN,
          ErrorType.INVALID_REQUEST);

  private FaultErrors() {}

  /** Returns how many errors there are of either kind. */
  static int count() {
    return REFUSALS.size();
  }

  static DynamoException refusal(double number) {
    return new DynamoException(REFUSALS.get((int) number), "refused by the scenario");
  }

  static DynamoException breakage(double number) {
    return new DynamoException(BREAKS.get((int) number), "broken by the scenario");
  }

  /** Returns whether an error of one attempt ends the request even while another one runs. */
  static boolean isVeto(ErrorType type) {
    return type == ErrorType.INVALID_REQUEST;
  }

  /** Returns whether another worker is asked after an error, if there is one. */
  static boolean isRepairable(ErrorType type, boolean opened) {
    return !isFinal(type, opened)
        && type != ErrorType.UNAVAILABLE
        && type != ErrorType.DEADLINE_EXCEEDED;
  }

  /** Returns whether no other worker may be tried after an error. */
  static boolean isFinal(ErrorType type, boolean opened) {
    return type == ErrorType.INVALID_REQUEST || (opened && type == ErrorType.BACKEND_UNKNOWN);
  }
}
