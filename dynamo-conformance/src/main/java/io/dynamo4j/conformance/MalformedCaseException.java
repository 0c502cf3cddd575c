// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

/** A case, file or list that cannot be understood. */
public final class MalformedCaseException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public MalformedCaseException(String message) {
    super(message);
  }

  public MalformedCaseException(String message, Throwable cause) {
    super(message, cause);
  }
}
