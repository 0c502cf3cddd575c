// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.tree;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.testing.ScopeCheck;
import io.dynamo4j.core.testing.SharedData;
import java.io.IOException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/**
 * Lookups that stop as soon as one rank is left. Where they stop depends on where edges end, which
 * is each tree's own affair: what the peer and ours have in common is which ranks are named, and
 * that only the best one's score may be lower than right.
 */
class EarlyExitTest {

  @Test
  void shouldLowerNoScoreButTheBestAsThePeerDoes() throws IOException {
    JsonNode cases =
        new ObjectMapper().readTree(SharedData.golden("core/radix-tree.json").toFile());
    int compared = 0;
    for (JsonNode each : cases.get("cases")) {
      compared += RadixTreeReader.JSON_EVENTS.covers().test(each) ? 0 : compare(each);
    }
    assertThat(compared).isGreaterThan(400);
  }

  private static int compare(JsonNode content) {
    OurIndex ours = new OurIndex();
    List<TreeScenario.Step> steps = TreeScenario.of(content, "result").steps();
    int compared = 0;
    for (int i = 0; i < steps.size(); i++) {
      steps.get(i).action().on(ours);
      JsonNode queries =
          i < content.get("steps").size()
              ? content.get("steps").get(i).path("queries_after")
              : content.get("queries");
      for (JsonNode query : queries) {
        if (query.has("early_exit_scores")) {
          SortedMap<WorkerWithDpRank, Integer> exact = scores(query.get("scores"));
          SortedMap<WorkerWithDpRank, Integer> early = scores(query.get("early_exit_scores"));
          assertThat(ScopeCheck.isBestKnown(early, exact)).as("%s", query).isTrue();
          List<Long> locals =
              StreamSupport.stream(query.get("query").spliterator(), false)
                  .map(local -> Long.parseUnsignedLong(local.asText()))
                  .toList();
          SortedMap<WorkerWithDpRank, Integer> right = ours.find(locals);
          SortedMap<WorkerWithDpRank, Integer> ourEarly = ours.findBest(locals);
          assertThat(ScopeCheck.isBestKnown(ourEarly, right)).as("%s", query).isTrue();
          if (right.equals(exact)) {
            assertThat(ourEarly.keySet()).isEqualTo(early.keySet());
          }
          compared++;
        }
      }
    }
    return compared;
  }

  private static SortedMap<WorkerWithDpRank, Integer> scores(JsonNode rows) {
    SortedMap<WorkerWithDpRank, Integer> scores = new TreeMap<>();
    for (JsonNode row : rows) {
      long worker = Long.parseUnsignedLong(row.get(0).asText());
      scores.put(new WorkerWithDpRank(worker, row.get(1).asInt()), row.get(2).asInt());
    }
    return scores;
  }
}
