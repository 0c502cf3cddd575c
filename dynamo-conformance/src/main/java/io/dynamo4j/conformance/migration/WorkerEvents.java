// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Set;

/**
 * What came of a dispatch in its worker: whether it was told to stop, else how its script ended.
 *
 * <p>What a worker does once it is told to stop is its own affair. A script without a pause may be
 * over before it can be told: then how it ended was left to chance, and either will do.
 */
final class WorkerEvents {
  static final String STOPPED = "stopped";
  static final String EXITED = "exit";
  static final String FROZEN = "freeze";
  static final String NOTHING = "nothing";

  /** A worker that sent what cannot be decoded; whether it noticed is left to chance. */
  static final String UNDECODABLE = "undecodable";

  private static final String RACED = "stopped or over";
  private static final Set<String> PAUSES = Set.of("sleep", "hang", "waitstop", "freeze");

  private WorkerEvents() {}

  static String raised(String name) {
    return "raise " + name;
  }

  static String refused(String type) {
    return "sync_raise " + type;
  }

  static String returned(int made) {
    return "generator_end made=" + made;
  }

  /** Returns what was recorded of a dispatch. */
  static String recorded(JsonNode attempt) {
    JsonNode script = attempt.path("script");
    if (isUndecodable(script)) {
      return UNDECODABLE;
    }
    String ended = NOTHING;
    for (JsonNode event : attempt.path("events")) {
      if (event.path("stopped").asBoolean() || event.path("killed").asBoolean()) {
        return isWithoutPause(script) ? RACED : STOPPED;
      }
      String name = event.path("ev").asText();
      switch (name) {
        case "raise" -> ended = raised(event.path("cls").asText());
        case "sync_raise" ->
            ended = refused(ScriptParser.refusal(event.path("cls").asText()).toString());
        case "generator_end" -> ended = returned(event.path("made").asInt());
        case EXITED, FROZEN -> ended = name;
        default -> {}
      }
    }
    return ended;
  }

  private static boolean isUndecodable(JsonNode script) {
    return ScriptParser.parse(script, "a").stream()
        .anyMatch(
            act -> act instanceof Act.Fail fail && fail.raised().equals(ScriptParser.UNDECODABLE));
  }

  private static boolean isWithoutPause(JsonNode script) {
    for (JsonNode step : script) {
      String name = step.path(0).asText();
      if (PAUSES.contains(name) || (name.equals("tok") && step.has(2))) {
        return false;
      }
    }
    return true;
  }

  /** Returns what our side saw of a dispatch. */
  static String ours(Leg leg) {
    return leg.stoppedNanos == Leg.NEVER ? leg.ending : STOPPED;
  }

  /** Returns whether both are the same but for what was left to chance. */
  static boolean agree(List<List<String>> theirs, List<List<String>> ours) {
    boolean agree = theirs.size() == ours.size();
    for (int i = 0; agree && i < theirs.size(); i++) {
      agree = theirs.get(i).size() == ours.get(i).size();
      for (int j = 0; agree && j < theirs.get(i).size(); j++) {
        agree =
            theirs.get(i).get(j).equals(RACED) || theirs.get(i).get(j).equals(ours.get(i).get(j));
      }
    }
    return agree;
  }
}
