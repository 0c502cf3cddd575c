// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Replay;
import java.util.ArrayList;
import java.util.List;

/**
 * Failures of aggregated workers during one request, compared by tokens: what each worker received,
 * what the client got, what was counted. HTTP status and framing are not compared.
 */
public final class MigrationReader implements CaseReader {

  @Override
  public String name() {
    return "migration";
  }

  @Override
  public boolean reads(JsonNode content) {
    return MigrationCase.isOfTokens(content);
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    MigrationCase recorded = MigrationCase.of(content);
    RightAnswer right = RightAnswer.of(recorded);
    Observation expected = right.observation();
    replay.same("what is seen", expected, OurAnswer.of(recorded));
    for (String difference : differences(content, RecordedAnswer.of(content), expected)) {
      if (right.rules().isEmpty()) {
        replay.fault(difference);
      } else {
        replay.deviation(right.rules().get(0), difference);
      }
    }
    return replay;
  }

  private static List<String> differences(
      JsonNode content, Observation recorded, Observation right) {
    List<String> differences = new ArrayList<>();
    compare(differences, "dispatches", recorded.dispatches(), right.dispatches());
    compare(differences, "completed", recorded.completed(), right.completed());
    boolean textShows = RecordedAnswer.isStreamed(content) || recorded.completed();
    if (textShows && !RecordedAnswer.hasTools(content)) {
      compare(differences, "texts", recorded.texts(), right.texts());
      compare(differences, "finishReasons", recorded.finishReasons(), right.finishReasons());
    }
    if (!content.has("nondeterministic")) {
      compare(differences, "counters", recorded.counters(), right.counters());
    }
    return differences;
  }

  private static void compare(List<String> differences, String what, Object recorded, Object ours) {
    if (!recorded.equals(ours)) {
      differences.add(what + ": recorded=" + recorded + ", ours=" + ours);
    }
  }
}
