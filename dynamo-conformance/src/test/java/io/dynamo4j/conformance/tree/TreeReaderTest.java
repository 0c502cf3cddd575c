// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.tree;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import io.dynamo4j.conformance.Replay;
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
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

class TreeReaderTest {
  private static final WorkerWithDpRank W1 = new WorkerWithDpRank(1, 0);
  private static final WorkerWithDpRank W2 = new WorkerWithDpRank(2, 0);

  @Test
  void shouldFindNoFaultInAnyRecordedScenario() throws IOException {
    for (JsonNode each : scenarios("core/radix-tree.json")) {
      assertThat(new RadixTreeReader().replay(each).faults())
          .as(each.path("tag").asText())
          .isEmpty();
    }
    for (JsonNode each : scenarios("core/concurrent-tree.json")) {
      assertThat(new ConcurrentTreeReader().replay(each).faults())
          .as(each.path("tag").asText())
          .isEmpty();
    }
  }

  @Test
  void shouldPredictFromTheEventsAloneWhichScenariosTheTwoTreesAnswerDifferently()
      throws IOException {
    int differing = 0;
    for (JsonNode each : scenarios("core/concurrent-tree.json")) {
      boolean recorded = each.get("differs_from_single_thread_tree").asBoolean();
      assertThat(modelsDiffer(TreeScenario.of(each, "single_thread_tree_result")))
          .as(each.path("tag").asText())
          .isEqualTo(recorded);
      differing += recorded ? 1 : 0;
    }
    assertThat(differing).isPositive();
  }

  @Test
  void shouldExplainTooHighScoresByCountedHoldersAndTooLowOnesByForeignHashes() throws IOException {
    Map<String, Integer> cases = new TreeMap<>();
    for (JsonNode each : scenarios("core/concurrent-tree.json")) {
      new ConcurrentTreeReader()
          .replay(each).deviations().stream()
              .map(Deviation::rule)
              .distinct()
              .forEach(rule -> cases.merge(rule, 1, Integer::sum));
    }
    assertThat(cases)
        .containsOnlyKeys(
            TreeReplay.HOLDERS_COUNTED, TreeReplay.FOREIGN_HASH, TreeReplay.SHARED_STATE);
  }

  @Test
  void shouldFailWhenARecordedScoreIsChanged() throws IOException {
    int changed = 0;
    for (JsonNode each : scenarios("core/concurrent-tree.json")) {
      JsonNode score = each.findPath("scores");
      if (score.size() > 0) {
        ((ArrayNode) score.get(0)).set(2, IntNode.valueOf(score.get(0).get(2).asInt() + 1));
        assertThat(new ConcurrentTreeReader().replay(each).faults()).isNotEmpty();
        changed++;
      }
    }
    for (JsonNode each : scenarios("core/radix-tree.json")) {
      JsonNode score = each.get("queries").findPath("scores");
      if (score.size() > 0) {
        ((ArrayNode) score).remove(0);
        assertThat(new RadixTreeReader().replay(each).faults()).isNotEmpty();
        changed++;
      }
    }
    assertThat(changed).isGreaterThan(100);
  }

  @Test
  void shouldFailWhenADumpLosesAnEvent() throws IOException {
    int noticed = 0;
    for (JsonNode each : scenarios("core/radix-tree.json")) {
      if (each.get("dump").size() > 0) {
        ((ArrayNode) each.get("dump")).remove(0);
        noticed += new RadixTreeReader().replay(each).faults().isEmpty() ? 0 : 1;
      }
    }
    assertThat(noticed).isGreaterThan(50);
  }

  @Test
  void shouldGiveTheRightAnswerWhereThePeerCountsHolders() {
    List<Index> all = List.of(new OurIndex(), new ExactIndex(), new PeerTree(Form.CONCURRENT));
    List<Integer> scores = new ArrayList<>();
    for (Index index : all) {
      index.store(W1, null, blocks(1, 2, 3, 4));
      index.store(W2, null, blocks(1, 2, 9));
      index.remove(W1, List.of(102L));
      scores.add(index.find(List.of(1L, 2L, 3L, 4L)).get(W2));
    }
    assertThat(scores).containsExactly(2, 2, 4);
  }

  @Test
  void shouldGiveTheRightAnswerWhereThePeerLosesAContinuation() {
    List<Block> foreign = List.of(new Block(1, 21), new Block(2, 22), new Block(3, 23));
    List<Index> all = List.of(new OurIndex(), new ExactIndex(), new PeerTree(Form.CONCURRENT));
    List<Integer> scores = new ArrayList<>();
    for (Index index : all) {
      index.store(W1, null, blocks(1, 2));
      index.store(W2, null, foreign);
      scores.add(index.find(List.of(1L, 2L, 3L)).get(W2));
    }
    assertThat(scores).containsExactly(3, 3, 2);
  }

  @Test
  void shouldCallAWrongAnswerOfOursAFaultAndNoDifference() {
    Replay replay =
        TreeReplay.of(
            new TreeScenario(
                List.of(
                    new Step(
                        index ->
                            index instanceof OurIndex
                                ? Outcome.OK
                                : index.store(W1, null, blocks(1, 2)),
                        Outcome.OK,
                        List.of(new Query(List.of(1L), new TreeMap<>(Map.of(W1, 1)), null))))),
            true);
    assertThat(replay.faults()).isNotEmpty();
    assertThat(replay.deviations()).isEmpty();
  }

  private static boolean modelsDiffer(TreeScenario scenario) {
    PeerTree single = new PeerTree(Form.SINGLE);
    PeerTree concurrent = new PeerTree(Form.CONCURRENT);
    boolean differ = false;
    for (Step step : scenario.steps()) {
      step.action().on(single);
      step.action().on(concurrent);
      for (Query query : step.queries()) {
        differ |= !single.find(query.locals()).equals(concurrent.find(query.locals()));
      }
    }
    return differ;
  }

  private static List<Block> blocks(long... locals) {
    List<Block> blocks = new ArrayList<>();
    for (long local : locals) {
      blocks.add(new Block(local, 100 + local));
    }
    return blocks;
  }

  private static List<JsonNode> scenarios(String file) throws IOException {
    JsonNode cases = new ObjectMapper().readTree(SharedData.golden(file).toFile()).get("cases");
    return StreamSupport.stream(cases.spliterator(), false)
        .filter(each -> !RadixTreeReader.JSON_EVENTS.covers().test(each))
        .toList();
  }
}
