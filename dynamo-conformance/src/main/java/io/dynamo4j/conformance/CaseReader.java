// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** Replays one kind of case, known by its own keys. */
public interface CaseReader {

  /** Returns the kind, as listings show it. */
  String name();

  /** Returns whether the keys of {@code content} are those of this kind. */
  boolean reads(JsonNode content);

  /** Returns the keys that this reader knows; others in a case are named. */
  default CaseKeys keys() {
    return CaseKeys.any();
  }

  /**
   * Runs the case through this library and compares.
   *
   * @throws MalformedCaseException if the case cannot be understood
   */
  Replay replay(JsonNode content);

  /**
   * Runs the case as one of a recording.
   *
   * @param earlier the cases before it in its file, in order; they may explain it
   * @throws MalformedCaseException if the case cannot be understood
   */
  default Replay replay(JsonNode content, List<JsonNode> earlier) {
    return replay(content);
  }
}
