// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.core.model.ErrorType;
import java.time.Duration;

/**
 * What a request waits for, in order. A worker acknowledges before it reads, and an acknowledged
 * request that it cannot read meets silence: each phase has its own bound, and a request that stays
 * too long fails with an error that migrates.
 */
public enum TcpPhase {
  /** A connection to the worker, its turn on a pooled one included. */
  DIAL(5, ErrorType.CONNECTION_TIMEOUT, "worker was not reached"),
  /** The worker's acknowledgement. */
  ACK(5, ErrorType.CONNECTION_TIMEOUT, "worker did not acknowledge"),
  /** The connection that the worker dials back. */
  CALL_HOME(10, ErrorType.CONNECTION_TIMEOUT, "worker did not dial back"),
  /** The prologue, by which the worker opens its answer. */
  PROLOGUE(60, ErrorType.RESPONSE_TIMEOUT, "worker did not open its stream"),
  /** The first item. */
  FIRST_ITEM(300, ErrorType.RESPONSE_TIMEOUT, "worker sent nothing"),
  /** Each further item, and the end after the last. */
  NEXT_ITEM(120, ErrorType.RESPONSE_TIMEOUT, "worker fell silent");

  private final Duration defaultBound;
  private final ErrorType errorType;
  private final String failure;

  TcpPhase(long seconds, ErrorType errorType, String failure) {
    this.defaultBound = Duration.ofSeconds(seconds);
    this.errorType = errorType;
    this.failure = failure;
  }

  /** Returns the bound unless told otherwise. */
  public Duration defaultBound() {
    return defaultBound;
  }

  /** Returns the type of the error when the bound has passed. */
  public ErrorType errorType() {
    return errorType;
  }

  String failure() {
    return failure;
  }
}
