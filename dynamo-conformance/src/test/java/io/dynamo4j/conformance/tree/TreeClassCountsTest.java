// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.tree;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Replay.Deviation;
import io.dynamo4j.conformance.tree.PeerTree.Form;
import io.dynamo4j.conformance.tree.TreeScenario.Query;
import io.dynamo4j.conformance.tree.TreeScenario.Step;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.testing.SharedData;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * How many recorded scenarios fall into which class.
 *
 * <p>The findings beside the files count 215 scenarios of the concurrent tree, of which 38 differ
 * from the single one: 15 too high, 24 too low, one both. The file holds 143 of them, of which 18
 * are marked as differing, so that its share of each class is what can be held: the model, which
 * reads the events alone, finds the marked ones too high or too low, and no other.
 */
class TreeClassCountsTest {
  @Test
  void shouldReadAllScenariosThereAre() throws IOException {
    assertThat(cases("core/radix-tree.json")).hasSize(224);
    assertThat(cases("core/concurrent-tree.json")).hasSize(143);
  }

  @Test
  void shouldFindEachDifferenceOfTheTwoTreesTooHighOrTooLow() throws IOException {
    int marked = 0;
    int tooHigh = 0;
    int tooLow = 0;
    int both = 0;
    for (JsonNode each : cases("core/concurrent-tree.json")) {
      TreeScenario scenario = TreeScenario.of(each, "single_thread_tree_result");
      boolean isMarked = each.get("differs_from_single_thread_tree").asBoolean();
      boolean isHigh = differs(scenario, 1);
      boolean isLow = differs(scenario, -1);
      String tag = each.path("tag").asText();
      assertThat(isHigh || isLow).as(tag).isEqualTo(isMarked);
      marked += isMarked ? 1 : 0;
      tooHigh += isHigh ? 1 : 0;
      tooLow += isLow ? 1 : 0;
      both += isHigh && isLow ? 1 : 0;
    }
    assertThat(List.of(marked, tooHigh, tooLow, both)).containsExactly(18, 8, 10, 0);
  }

  @Test
  void shouldDifferFromThePeerByEachClassInAsManyScenariosAsItIsWrongIn() throws IOException {
    assertThat(deviating("core/radix-tree.json", new RadixTreeReader()))
        .isEqualTo(Map.of(TreeReplay.FOREIGN_HASH, 41, TreeReplay.SHARED_STATE, 42));
    assertThat(deviating("core/concurrent-tree.json", new ConcurrentTreeReader()))
        .isEqualTo(
            Map.of(
                TreeReplay.HOLDERS_COUNTED,
                6,
                TreeReplay.FOREIGN_HASH,
                15,
                TreeReplay.SHARED_STATE,
                52));
  }

  /**
   * Returns whether a form of the peer ever scores a rank higher, or lower, than the single one.
   */
  private static boolean differs(TreeScenario scenario, int sign) {
    PeerTree single = new PeerTree(Form.SINGLE);
    PeerTree other = new PeerTree(Form.CONCURRENT);
    boolean differs = false;
    for (Step step : scenario.steps()) {
      step.action().on(single);
      step.action().on(other);
      for (Query query : step.queries()) {
        SortedMap<WorkerWithDpRank, Integer> before = single.find(query.locals());
        SortedMap<WorkerWithDpRank, Integer> after = other.find(query.locals());
        SortedMap<WorkerWithDpRank, Integer> all = new TreeMap<>(before);
        all.putAll(after);
        for (WorkerWithDpRank rank : all.keySet()) {
          int change = after.getOrDefault(rank, 0) - before.getOrDefault(rank, 0);
          differs |= Integer.signum(change) == sign;
        }
      }
    }
    return differs;
  }

  private static Map<String, Integer> deviating(String file, CaseReader reader) throws IOException {
    Map<String, Integer> scenarios = new TreeMap<>();
    for (JsonNode each : cases(file)) {
      if (!RadixTreeReader.JSON_EVENTS.covers().test(each)) {
        reader.replay(each).deviations().stream()
            .map(Deviation::rule)
            .distinct()
            .forEach(rule -> scenarios.merge(rule, 1, Integer::sum));
      }
    }
    return scenarios;
  }

  private static List<JsonNode> cases(String file) throws IOException {
    List<JsonNode> cases = new ArrayList<>();
    new ObjectMapper().readTree(SharedData.golden(file).toFile()).get("cases").forEach(cases::add);
    return cases;
  }
}
