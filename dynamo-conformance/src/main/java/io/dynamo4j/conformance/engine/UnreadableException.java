// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.engine;

/** A batch or event that the recorded peer, or this library, cannot read. */
final class UnreadableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnreadableException(String what) {
    super("cannot be read: what=" + what);
  }
}
