// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.core.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class EngineReadersTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final CaseReader toRouter = new EngineToRouterReader();
  private final CaseReader frames = new EngineFramesReader();

  private static List<JsonNode> cases(String folder) throws IOException {
    List<JsonNode> cases = new ArrayList<>();
    try (Stream<Path> files = Files.list(SharedData.golden(folder))) {
      for (Path file : files.sorted().toList()) {
        if (file.toString().endsWith(".jsonl")) {
          for (String line : Files.readAllLines(file)) {
            cases.add(JSON.readTree(line));
          }
        } else if (file.toString().endsWith(".json")) {
          cases.add(JSON.readTree(file.toFile()));
        }
      }
    }
    return cases;
  }

  /** Unseen cases may come without those that were recorded before them. */
  @Test
  void shouldExplainEveryRelayedBatchByItself() throws IOException {
    Set<String> rules = new TreeSet<>();
    List<JsonNode> cases = cases("wire/engine-to-router");
    for (JsonNode each : cases) {
      Replay replay = toRouter.replay(each);
      assertThat(replay.faults()).as(each.path("what").asText()).isEmpty();
      replay.deviations().forEach(deviation -> rules.add(deviation.rule()));
    }
    assertThat(cases).hasSizeGreaterThan(120);
    assertThat(rules)
        .containsExactlyInAnyOrder(
            "engine-readable-events-count",
            "engine-blocks-never-collide",
            "engine-nothing-stored-nothing-published");
  }

  @Test
  void shouldFailWhenARecordedBlockIsChanged() throws IOException {
    int changed = 0;
    for (JsonNode each : cases("wire/engine-to-router")) {
      for (String name : List.of("block_hash", "tokens_hash")) {
        JsonNode copy = each.deepCopy();
        JsonNode block = copy.at("/published/0/payload/0/event/data/stored/blocks/0");
        // A child's content cannot be known without its parent's salt.
        boolean isChild = copy.toString().matches(".*\"parent_hash\":\"\\d+\".*");
        if (block instanceof ObjectNode object && !isChild) {
          object.set(name, TextNode.valueOf("12345"));
          assertThat(toRouter.replay(copy).faults()).as(copy.path("what").asText()).isNotEmpty();
          changed++;
        }
      }
    }
    assertThat(changed).isGreaterThan(120);
  }

  @Test
  void shouldFailWhenARecordedEventIsMissingOrTooMany() throws IOException {
    int changed = 0;
    for (JsonNode each : cases("wire/engine-to-router")) {
      ObjectNode copy = each.deepCopy();
      ArrayNode published = (ArrayNode) copy.get("published");
      boolean isStored = published.at("/0/payload/0/event/data").has("stored");
      boolean isPlain = !copy.toString().contains("group_idx") && !copy.toString().contains("$und");
      if (isStored && isPlain && published.at("/0/payload/0/event/data/stored/blocks").size() > 0) {
        published.add(published.get(0).deepCopy());
        assertThat(toRouter.replay(copy).faults()).as(copy.path("what").asText()).isNotEmpty();
        changed++;
      }
    }
    assertThat(changed).isGreaterThan(40);
  }

  @Test
  void shouldReadEveryRecordedMessageOfAnEngineToItsMeaning() throws IOException {
    int read = 0;
    for (String folder : List.of("engine-frames", "wire/engine-raw")) {
      for (JsonNode each : cases(folder)) {
        assertThat(frames.reads(each)).isTrue();
        if (!EngineFramesReader.WITHOUT_MESSAGES.covers().test(each)) {
          assertThat(frames.replay(each).faults()).as(each.path("id").asText()).isEmpty();
          read++;
        }
      }
    }
    assertThat(read).isGreaterThan(300);
  }

  @Test
  void shouldFailWhenARecordedMeaningIsChanged() throws IOException {
    int changed = 0;
    for (JsonNode each : cases("engine-frames")) {
      JsonNode event = each.at("/frames/0/decoded/1/0");
      if (event instanceof ObjectNode object && object.path("block_hashes").size() > 0) {
        ((ArrayNode) object.get("block_hashes")).set(0, LongNode.valueOf(4711));
        assertThat(frames.replay(each).faults()).as(each.path("id").asText()).isNotEmpty();
        changed++;
      }
    }
    assertThat(changed).isGreaterThan(40);
  }
}
