// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

import com.fasterxml.jackson.databind.JsonNode;

/** Replays one kind of case, known by its own keys. */
public interface CaseReader {

  /** Returns the kind, as listings show it. */
  String name();

  /** Returns whether the keys of {@code content} are those of this kind. */
  boolean reads(JsonNode content);

  /**
   * Runs the case through this library and compares.
   *
   * @throws MalformedCaseException if the case cannot be understood
   */
  Replay replay(JsonNode content);
}
