// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.tree;

import io.dynamo4j.conformance.MalformedCaseException;

/** How one step ended, as far as the peer tells. */
public enum Outcome {
  OK,
  PARENT_NOT_FOUND,
  SELF_REFERENCE,
  UNKNOWN_BLOCKS;

  /**
   * Reads the peer's words.
   *
   * @throws MalformedCaseException if they are none of the known ones
   */
  static Outcome ofText(String text) {
    if (text.equals("ok")) {
      return OK;
    }
    if (text.contains("Failed to find parent block")) {
      return PARENT_NOT_FOUND;
    }
    if (text.contains("Invalid block sequence")) {
      return SELF_REFERENCE;
    }
    if (text.contains("Failed to find block")) {
      return UNKNOWN_BLOCKS;
    }
    throw new MalformedCaseException("result of a step is unknown: text=" + text);
  }
}
