// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.trace;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A trace that cannot be used, with the place where that shows. The message is one line. */
public final class TraceFormatException extends DynamoException {
  private static final long serialVersionUID = 1L;

  private final String file;
  private final long line;
  private final String reason;

  TraceFormatException(Path file, long line, String reason, @Nullable Throwable cause) {
    super(
        ErrorType.INVALID_REQUEST,
        "trace cannot be read: file="
            + file
            + (line > 0 ? ", line=" + line : "")
            + ", reason="
            + reason,
        null,
        NO_ATTEMPT,
        cause);
    this.file = file.toString();
    this.line = line;
    this.reason = reason;
  }

  public String file() {
    return file;
  }

  /** Returns the number of the line, from 1; 0 where the file as a whole is at fault. */
  public long line() {
    return line;
  }

  public String reason() {
    return reason;
  }
}
