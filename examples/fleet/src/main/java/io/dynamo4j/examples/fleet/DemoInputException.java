// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

/** Something the caller gave cannot be used; the message is the one line that is printed. */
final class DemoInputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DemoInputException(String message) {
    super(message);
  }
}
