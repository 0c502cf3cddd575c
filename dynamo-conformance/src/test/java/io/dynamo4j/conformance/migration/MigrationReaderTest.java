// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.core.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MigrationReaderTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final MigrationReader reader = new MigrationReader();

  /** Returns the recorded cases that the reader takes, by name. */
  private Map<String, JsonNode> cases() throws IOException {
    Map<String, JsonNode> cases = new TreeMap<>();
    try (Stream<Path> files = Files.list(SharedData.golden("migration"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".json")).toList()) {
        JsonNode content = JSON.readTree(file.toFile());
        if (reader.reads(content)) {
          cases.put(content.path("case").asText(), content);
        }
      }
    }
    return cases;
  }

  @Test
  void shouldAgreeWithRecordedFailuresExceptWhereRecordedPeerIsWrong() throws IOException {
    Set<String> rules = new TreeSet<>();
    Map<String, JsonNode> cases = cases();

    cases.forEach(
        (name, content) -> {
          Replay replay = reader.replay(content);
          assertThat(replay.faults()).as(name).isEmpty();
          replay.deviations().forEach(deviation -> rules.add(deviation.rule()));
        });

    assertThat(cases).hasSizeGreaterThan(120);
    assertThat(rules)
        .containsExactlyInAnyOrder(
            RightAnswer.FINISHED_IS_FINAL,
            RightAnswer.BUDGET_IS_FINAL,
            RightAnswer.FAILED_WORKER_EXCLUDED,
            RightAnswer.UNASKED_CANCELLATION,
            RightAnswer.INCOMPLETE_IS_NO_END);
  }

  @Test
  void shouldFindFaultWhenARecordedDispatchIsChanged() throws IOException {
    int changed = 0;
    for (JsonNode content : cases().values()) {
      if (content.path("attempts").size() > 1 && reader.replay(content).deviations().isEmpty()) {
        ArrayNode tokens = (ArrayNode) content.at("/attempts/1/request/token_ids");
        tokens.set(tokens.size() - 1, JSON.getNodeFactory().numberNode(7));
        assertThat(reader.replay(content).faults()).as(content.path("case").asText()).isNotEmpty();
        changed++;
      }
    }
    assertThat(changed).isGreaterThan(30);
  }

  @Test
  void shouldFindFaultWhenRecordedTextOrCountsAreChanged() throws IOException {
    JsonNode text = Objects.requireNonNull(cases().get("a15-three-hops"));
    JsonNode count = text.deepCopy();
    ((ObjectNode) text.at("/expect/client/0")).put("0", "abcdefghijkm");
    ((ArrayNode) count.at("/expect/migration_metrics")).remove(0);

    assertThat(reader.replay(text).faults()).hasSize(1);
    assertThat(reader.replay(count).faults()).hasSize(1);
  }

  @Test
  void shouldLeaveOtherKindsOfCasesAlone() {
    assertThat(reader.reads(JSON.createObjectNode())).isFalse();
    assertThat(reader.reads(JSON.createObjectNode().put("lora_name", "a"))).isFalse();
  }
}
