// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

/**
 * The closed catalogue of error reasons, each with its origin and the reason text that peers use.
 *
 * <p><b>Source.</b> The reason catalogue of Dynamo 1.6.1 as observed; what each does by default is
 * the policy's table, not a property of the reason.
 */
public enum ErrorType {
  CANNOT_CONNECT(Origin.TRANSPORT, "transport.cannot_connect"),
  DISCONNECTED(Origin.TRANSPORT, "transport.disconnected"),
  CONNECTION_TIMEOUT(Origin.TRANSPORT, "transport.connection_timeout"),
  BACKEND_CANNOT_CONNECT(Origin.BACKEND, "backend.cannot_connect"),
  BACKEND_DISCONNECTED(Origin.BACKEND, "backend.disconnected"),
  BACKEND_CONNECTION_TIMEOUT(Origin.BACKEND, "backend.connection_timeout"),
  RESPONSE_TIMEOUT(Origin.BACKEND, "backend.response_timeout"),
  ENGINE_SHUTDOWN(Origin.BACKEND, "backend.engine_shutdown"),
  STREAM_INCOMPLETE(Origin.BACKEND, "backend.stream_incomplete"),
  WORKER_UNAVAILABLE(Origin.BACKEND, "backend.worker_unavailable"),
  BACKEND_CANCELLED(Origin.BACKEND, "backend.cancelled"),
  BACKEND_INVALID_ARGUMENT(Origin.BACKEND, "backend.invalid_argument"),
  BACKEND_PROTOCOL(Origin.BACKEND, "backend.protocol"),
  BACKEND_UNKNOWN(Origin.BACKEND, "backend.unknown"),
  /** No worker is left to try. */
  UNAVAILABLE(Origin.BACKEND, "backend.unavailable"),
  /** One worker is full; others may have room. */
  WORKER_OVERLOADED(Origin.CAPACITY, "capacity.worker_overloaded"),
  CAPACITY_EXHAUSTED(Origin.CAPACITY, "capacity.exhausted"),
  POOL_EXHAUSTED(Origin.CAPACITY, "capacity.pool_exhausted"),
  CANCELLED(Origin.REQUEST, "request.cancelled"),
  INVALID_REQUEST(Origin.REQUEST, "request.invalid"),
  DEADLINE_EXCEEDED(Origin.REQUEST, "request.deadline_exceeded"),
  /** The same request id is already booked. */
  DUPLICATE_REQUEST(Origin.REQUEST, "request.duplicate"),
  /** A bounded buffer of this process is full. */
  BUFFER_OVERFLOW(Origin.LOCAL, "runtime.buffer_overflow"),
  /** Used after close. */
  CLOSED(Origin.LOCAL, "runtime.closed"),
  INTERNAL(Origin.LOCAL, "runtime.internal");

  private final Origin origin;
  private final String reason;

  ErrorType(Origin origin, String reason) {
    this.origin = origin;
    this.reason = reason;
  }

  public Origin origin() {
    return origin;
  }

  /** Returns the text that peers and metric labels use. */
  public String reason() {
    return reason;
  }
}
