// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import java.util.Objects;

/** Bytes of a peer that are not what they should be: nothing of the frame can be used. */
public final class WireFormatException extends DynamoException {
  private static final long serialVersionUID = 1L;

  /** What is wrong with the bytes. */
  public enum Reason {
    /** The bytes end before the value does. */
    TRUNCATED,
    /** Bytes follow where the value ends. */
    TRAILING_BYTES,
    /** A value has another type than expected, or a required one is missing. */
    MALFORMED,
    /** A declared length is beyond {@link WireLimits}. */
    TOO_LARGE,
    /** Nested deeper than {@link WireLimits#MAX_DEPTH}. */
    TOO_DEEP
  }

  private final Reason reason;
  private final long offset;

  WireFormatException(Reason reason, String what, long offset) {
    super(
        ErrorType.BACKEND_PROTOCOL,
        "cannot decode: what=" + what + ", reason=" + reason + ", offset=" + offset);
    this.reason = Objects.requireNonNull(reason, "reason");
    this.offset = offset;
  }

  public Reason reason() {
    return reason;
  }

  /** Returns where in the bytes it was noticed. */
  public long offset() {
    return offset;
  }
}
