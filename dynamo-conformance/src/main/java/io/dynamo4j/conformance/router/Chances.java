// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import java.util.Map;
import java.util.TreeMap;

/** How likely each answer is. */
record Chances(Map<String, Double> byAnswer) {
  /** So many standard deviations a count may be off before it is no matter of chance. */
  private static final double TOLERANCE = 5;

  /** Returns whether counts of answers could well have come from these chances. */
  boolean fit(Map<String, Integer> counts) {
    int draws = counts.values().stream().mapToInt(Integer::intValue).sum();
    Map<String, Double> chances = new TreeMap<>(byAnswer);
    counts.keySet().forEach(answer -> chances.putIfAbsent(answer, 0.0));
    return chances.entrySet().stream()
        .allMatch(
            chance -> fits(chance.getValue(), counts.getOrDefault(chance.getKey(), 0), draws));
  }

  private static boolean fits(double chance, int count, int draws) {
    double deviation = Math.sqrt(draws * chance * (1 - chance));
    return Math.abs(count - draws * chance) <= TOLERANCE * deviation + 1e-9;
  }

  boolean allow(String answer) {
    return byAnswer.getOrDefault(answer, 0.0) > 0;
  }
}
