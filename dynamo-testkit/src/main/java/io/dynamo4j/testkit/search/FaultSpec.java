// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.search;

import java.util.Objects;

/**
 * One fault, to be injected when its trigger happens.
 *
 * <p>The trigger is an identity ("request 17 has 5 tokens"), never a count of earlier events, so
 * that removing one fault leaves the others where they were.
 *
 * @param kind what happens, such as {@code crash}; reduced as a whole when a run is shrunk
 * @param trigger when it happens, in the scenario's own words; no white space
 * @param target whom it hits, in the scenario's own words; no white space
 * @param parameter its strength, in the unit that the kind documents
 */
public record FaultSpec(String kind, String trigger, String target, double parameter) {

  public FaultSpec {
    requireWord(kind, "kind");
    requireWord(trigger, "trigger");
    requireWord(target, "target");
  }

  private static void requireWord(String word, String name) {
    Objects.requireNonNull(word, name);
    if (word.isEmpty() || !word.chars().allMatch(FaultSpec::isAllowed)) {
      throw new IllegalArgumentException(
          "word must be non-empty, without white space, '|', ';' or ',': " + name + "=" + word);
    }
  }

  private static boolean isAllowed(int c) {
    return !Character.isWhitespace(c) && c != '|' && c != ';' && c != ',';
  }
}
