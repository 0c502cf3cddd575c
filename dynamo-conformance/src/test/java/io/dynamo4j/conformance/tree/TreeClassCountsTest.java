// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * How many recorded scenarios fall into which class.
 *
 * <p>The findings beside the files count all scenarios of the concurrent tree that were run, how
 * many of them differ from the single one, and how many of those score too high, too low, or both.
 * The file leaves some scenarios out on purpose, which its gaps in {@code index} show: with none
 * left out the counts must be those of the findings, with some of them no greater, and in either
 * case each scenario that is marked as differing, and no other, is found too high or too low by a
 * model that reads the events alone.
 */
class TreeClassCountsTest {
  private static final Pattern FOUND =
      Pattern.compile(
          "(\\d+) scenarios fed over ZMQ[^:]*: (\\d+) differ\\.[^(]*"
              + "\\((\\d+) over-, (\\d+) under-counts, one both\\)");

  /** Of the scenarios that are there: cases, marked, too high, too low, both. */
  private static final Counts PUBLISHED = new Counts(143, 18, 8, 10, 0);

  private record Counts(int cases, int marked, int tooHigh, int tooLow, int both) {
    boolean isWithin(Counts all) {
      return cases <= all.cases
          && marked <= all.marked
          && tooHigh <= all.tooHigh
          && tooLow <= all.tooLow
          && both <= all.both;
    }
  }

  @Test
  void shouldFindAsManyOfEachClassAsTheFindingsCount() throws IOException {
    Counts all = findings();
    assertThat(all).isEqualTo(new Counts(215, 38, 15, 24, 1));
    Counts counted = counts(cases("core/concurrent-tree.json"));

    assertThat(counted).isEqualTo(counted.cases == all.cases ? all : PUBLISHED);
    assertThat(counted).matches(counts -> counts.isWithin(all), "is within " + all);
    assertThat(counted.tooHigh + counted.tooLow - counted.both).isEqualTo(counted.marked);
  }

  private static Counts findings() throws IOException {
    Matcher found = FOUND.matcher(Files.readString(SharedData.golden("core/FINDINGS.md")));
    assertThat(found.find()).isTrue();
    return new Counts(number(found, 1), number(found, 2), number(found, 3), number(found, 4), 1);
  }

  private static int number(Matcher matcher, int group) {
    return Integer.parseInt(matcher.group(group));
  }

  private static Counts counts(List<JsonNode> cases) {
    int marked = 0;
    int tooHigh = 0;
    int tooLow = 0;
    int both = 0;
    for (JsonNode each : cases) {
      TreeScenario scenario = TreeScenario.of(each, "single_thread_tree_result");
      boolean isMarked = each.get("differs_from_single_thread_tree").asBoolean();
      boolean isHigh = differs(scenario, 1);
      boolean isLow = differs(scenario, -1);
      assertThat(isHigh || isLow).as(each.path("tag").asText()).isEqualTo(isMarked);
      marked += isMarked ? 1 : 0;
      tooHigh += isHigh ? 1 : 0;
      tooLow += isLow ? 1 : 0;
      both += isHigh && isLow ? 1 : 0;
    }
    return new Counts(cases.size(), marked, tooHigh, tooLow, both);
  }

  @Test
  void shouldDifferFromThePeerByEachClassInAsManyScenariosAsItIsWrongIn() throws IOException {
    assumeTrue(cases("core/concurrent-tree.json").size() == PUBLISHED.cases, "another share");
    assertThat(cases("core/radix-tree.json")).hasSize(224);
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
