// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.core.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IndexerServiceReaderTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final IndexerServiceReader reader = new IndexerServiceReader();

  private Map<String, JsonNode> cases() throws IOException {
    Map<String, JsonNode> cases = new LinkedHashMap<>();
    try (Stream<Path> files = Files.list(SharedData.golden("services"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".json")).sorted().toList()) {
        JsonNode content = JSON.readTree(file.toFile());
        if (reader.reads(content)) {
          cases.put(content.path("id").asText(), content);
        }
      }
    }
    return cases;
  }

  @Test
  void shouldAnswerAsRecordedExceptWhereThePeerIsWrong() throws IOException {
    Map<String, JsonNode> cases = cases();
    Set<String> rules = new TreeSet<>();

    cases.forEach(
        (id, content) -> {
          var replay = reader.replay(content);
          assertThat(replay.faults()).as(id).isEmpty();
          replay.deviations().forEach(deviation -> rules.add(deviation.rule()));
        });

    assertThat(cases).hasSizeGreaterThan(120);
    assertThat(rules)
        .containsExactlyInAnyOrder(
            "engine-readable-events-count",
            "engine-blocks-never-collide",
            "engine-copies-are-counted",
            "state-shared-between-ranks");
  }

  @Test
  void shouldFailWhenTheSummaryOfARecordedScoreIsChanged() throws IOException {
    int changed = 0;
    for (JsonNode content : cases().values()) {
      for (JsonNode step : content.get("steps")) {
        if (step.at("/response/instances/1") instanceof ObjectNode tiers
            && step.path("status").asInt() == 200) {
          changed++;
          for (String name : List.of("gpu", "cpu", "disk", "longest_matched")) {
            int before = tiers.get(name).asInt();
            tiers.put(name, before + (name.equals("cpu") ? 1_000 : 1));
            assertThat(reader.replay(content).faults()).as(name).isNotEmpty();
            tiers.put(name, before);
          }
          break;
        }
      }
    }
    assertThat(changed).isGreaterThan(50);
  }

  @Test
  void shouldFailWhenARecordedScoreIsNotOfWholeBlocks() throws IOException {
    int changed = 0;
    for (JsonNode content : cases().values()) {
      for (JsonNode step : content.get("steps")) {
        if (step.at("/response/scores/1") instanceof ObjectNode ranks
            && ranks.has("0")
            && step.path("status").asInt() == 200) {
          ranks.put("0", ranks.get("0").asInt() + 1);
          assertThat(reader.replay(content).faults()).isNotEmpty();
          changed++;
          break;
        }
      }
    }
    assertThat(changed).isGreaterThan(50);
  }

  @Test
  void shouldFailWhenARecordedScoreIsChanged() throws IOException {
    int changed = 0;
    for (JsonNode content : cases().values()) {
      for (JsonNode step : content.get("steps")) {
        JsonNode ranks = step.at("/response/scores/1");
        if (ranks.has("0") && step.path("status").asInt() == 200) {
          ((ObjectNode) ranks).set("0", IntNode.valueOf(ranks.get("0").asInt() + 4));
          assertThat(reader.replay(content).faults()).as(content.path("id").asText()).isNotEmpty();
          changed++;
          break;
        }
      }
    }
    assertThat(changed).isGreaterThan(50);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tokens_hash", "worker_id"})
  void shouldFailWhenARecordedBlockOfTheDeviceIsChanged(String name) throws IOException {
    int changed = 0;
    for (JsonNode content : cases().values()) {
      for (JsonNode step : content.get("steps")) {
        for (JsonNode event : step.path("response_filtered_to_model").findValues("events")) {
          JsonNode first = event.path(0);
          JsonNode stored = first.at("/event/data/stored");
          if (first.path("storage_tier").asText().equals("device")
              && stored.path("parent_hash").isNull()) {
            JsonNode owner = name.equals("worker_id") ? first : stored.at("/blocks/0");
            JsonNode before = ((ObjectNode) owner).replace(name, IntNode.valueOf(77));
            assertThat(reader.replay(content).faults())
                .as(content.path("id").asText())
                .isNotEmpty();
            ((ObjectNode) owner).set(name, before);
            changed++;
          }
        }
      }
    }
    assertThat(changed).isGreaterThan(20);
  }

  @Test
  void shouldFailWhenARecordedBlockBelowTheDeviceIsChanged() throws IOException {
    int changed = 0;
    for (JsonNode content : cases().values()) {
      for (JsonNode step : content.get("steps")) {
        for (JsonNode event : step.findValues("events")) {
          JsonNode block = event.at("/0/event/data/stored/blocks/0");
          if (!event.at("/0/storage_tier").asText().equals("device") && block.has("block_hash")) {
            ((ObjectNode) block).set("tokens_hash", IntNode.valueOf(1));
            assertThat(reader.replay(content).faults()).isNotEmpty();
            changed++;
          }
        }
      }
    }
    assertThat(changed).isGreaterThan(5);
  }
}
