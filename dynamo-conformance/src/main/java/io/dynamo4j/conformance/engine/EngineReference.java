// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.engine;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Names the ways in which this library treats engines' events otherwise than the peer. */
public final class EngineReference {

  private EngineReference() {}

  /** Returns the rules as the list of differences names them. */
  public static List<String> rules() {
    return Arrays.stream(Policy.values()).map(Policy::rule).distinct().toList();
  }

  /** Returns the policies that are not of a rule. */
  static Set<Policy> without(String rule) {
    Set<Policy> others = EnumSet.allOf(Policy.class);
    others.removeIf(policy -> policy.rule().equals(rule));
    return others;
  }
}
