// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import io.dynamo4j.core.model.ErrorType;

/** How far one failure counts against the worker it happened on. */
public enum FailureVerdict {
  /** Says nothing about the worker: the request's own fault, a full queue, a local limit. */
  IGNORED,
  /** Counts against the data-parallel rank alone. */
  RANK,
  /** Counts against every rank of the worker. */
  WORKER;

  /**
   * Returns the default table: a lost or refused connection, a silent, ending or unavailable worker
   * and a stream cut short count against the worker; requests' faults, capacity and local limits do
   * not.
   *
   * <p>Unlike Dynamo 1.6.1, the worker-raised {@code backend.cannot_connect}, {@code
   * backend.disconnected} and {@code backend.connection_timeout} count too: a worker that keeps
   * raising them does not stay in rotation.
   */
  public static FailureVerdict ofDefaults(ErrorType type) {
    return switch (type) {
      case CANNOT_CONNECT,
          DISCONNECTED,
          CONNECTION_TIMEOUT,
          BACKEND_CANNOT_CONNECT,
          BACKEND_DISCONNECTED,
          BACKEND_CONNECTION_TIMEOUT,
          RESPONSE_TIMEOUT,
          ENGINE_SHUTDOWN,
          STREAM_INCOMPLETE,
          WORKER_UNAVAILABLE ->
          WORKER;
      default -> IGNORED;
    };
  }
}
