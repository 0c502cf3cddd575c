// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import io.dynamo4j.core.model.ErrorType;

/** The class of an error as clients of the recorded peer are told it. */
final class ErrorCodes {
  private ErrorCodes() {}

  static int of(ErrorType type) {
    return switch (type) {
      case CANNOT_CONNECT,
          DISCONNECTED,
          BACKEND_CANNOT_CONNECT,
          BACKEND_DISCONNECTED,
          ENGINE_SHUTDOWN,
          STREAM_INCOMPLETE,
          WORKER_UNAVAILABLE,
          UNAVAILABLE ->
          503;
      case CONNECTION_TIMEOUT, BACKEND_CONNECTION_TIMEOUT, RESPONSE_TIMEOUT, DEADLINE_EXCEEDED ->
          504;
      case WORKER_OVERLOADED, CAPACITY_EXHAUSTED, POOL_EXHAUSTED -> 529;
      case CANCELLED, BACKEND_CANCELLED -> 499;
      case INVALID_REQUEST, BACKEND_INVALID_ARGUMENT -> 400;
      default -> 500;
    };
  }
}
