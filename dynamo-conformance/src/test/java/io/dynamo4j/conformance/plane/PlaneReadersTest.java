// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.plane;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.conformance.engine.EngineToRouterReader;
import io.dynamo4j.core.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlaneReadersTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final CaseReader events = new EventPlaneReader();
  private final CaseReader recovery = new RecoveryReader();
  private final CaseReader calls = new RequestFlowReader();
  private final CaseReader discovery = new DiscoveryReader();

  private static List<JsonNode> cases(String... folders) throws IOException {
    List<JsonNode> cases = new ArrayList<>();
    for (String folder : folders) {
      try (Stream<Path> files = Files.list(SharedData.golden("wire/" + folder))) {
        for (Path file : files.sorted().toList()) {
          for (String line : Files.readAllLines(file)) {
            cases.add(JSON.readTree(line));
          }
        }
      }
    }
    return cases;
  }

  @Test
  void shouldReadAndWriteBackEveryMessageOfTheEventPlane() throws IOException {
    List<JsonNode> cases = cases("events-zmq", "events-nats");
    for (JsonNode each : cases) {
      assertThat(events.reads(each)).isTrue();
      assertThat(events.replay(each).faults()).as(each.path("i").asText()).isEmpty();
    }
    assertThat(cases).hasSizeGreaterThan(1_400);
  }

  @Test
  void shouldFailWhenARecordedEventOrSequenceIsChanged() throws IOException {
    int changed = 0;
    for (JsonNode each : cases("events-nats")) {
      JsonNode event = each.at("/payload/0/event");
      if (event instanceof ObjectNode object) {
        object.set("event_id", TextNode.valueOf("4711"));
        assertThat(events.replay(each).faults()).isNotEmpty();
        changed++;
      } else {
        ((ObjectNode) each.get("envelope")).set("sequence", TextNode.valueOf("4711"));
        assertThat(events.replay(each).faults()).isNotEmpty();
      }
    }
    assertThat(changed).isGreaterThan(100);
  }

  @Test
  void shouldReadEveryActiveSequenceAndFailWhenItIsChanged() throws IOException {
    int changed = 0;
    for (JsonNode each : cases("events-zmq", "events-nats")) {
      for (JsonNode sequence : each.path("payload").findParents("router_id")) {
        ((ObjectNode) sequence).set("request_id", TextNode.valueOf("another"));
        assertThat(events.replay(each).faults()).isNotEmpty();
        changed++;
      }
    }
    assertThat(changed).isGreaterThan(150);
  }

  @Test
  void shouldReadEveryRecoveryAndFailWhenItIsChanged() throws IOException {
    int changed = 0;
    for (JsonNode each : cases("recovery-query", "gap")) {
      assertThat(recovery.reads(each)).isTrue();
      assertThat(recovery.replay(each).faults()).as(each.path("i").asText()).isEmpty();
      for (JsonNode last : each.findParents("last_event_id")) {
        ((ObjectNode) last).set("last_event_id", TextNode.valueOf("4711"));
        assertThat(recovery.replay(each).faults()).isNotEmpty();
        changed++;
      }
    }
    assertThat(changed).isGreaterThan(70);
  }

  @Test
  void shouldReadEveryCallAndFailWhenItsTokensAreChanged() throws IOException {
    int read = 0;
    int changed = 0;
    for (JsonNode each : cases("request-tcp", "indexer-query")) {
      if (!calls.reads(each)) {
        continue;
      }
      read++;
      assertThat(calls.replay(each).faults()).as(each.path("i").asText()).isEmpty();
      JsonNode tokens = each.at("/request/body/token_ids");
      boolean isGenerate = each.path("path").asText().endsWith("/generate");
      if (isGenerate && tokens.isArray() && !tokens.isEmpty()) {
        ((ArrayNode) tokens).set(0, IntNode.valueOf(tokens.get(0).asInt() + 1));
        if (!calls.replay(each).faults().isEmpty()) {
          changed++;
        }
      }
    }
    assertThat(read).isGreaterThan(200);
    assertThat(changed).isGreaterThan(100);
  }

  private static boolean isFound(CaseReader reader, JsonNode each) {
    try {
      return !reader.replay(each).faults().isEmpty();
    } catch (MalformedCaseException notEvenReadable) {
      return true;
    }
  }

  /** One value of each recording is changed, another place each time. */
  @ParameterizedTest
  @CsvSource({
    "events-zmq, /payload",
    "events-zmq, /envelope",
    "events-nats, /payload",
    "request-tcp, /request/body",
    "request-tcp, /response/frames",
    "request-nats, /body",
    "recovery-query, /request/body",
    "recovery-query, /response/frames",
    "indexer-query, /request/body",
    "indexer-query, /response/frames",
    "engine-to-router, /engine_batch",
    "engine-to-router, /published"
  })
  void shouldFailWhenAnythingThatBytesMeanIsChanged(String folder, String place)
      throws IOException {
    List<CaseReader> readers =
        List.of(events, recovery, calls, new NatsRequestReader(), new EngineToRouterReader());
    int changed = 0;
    for (JsonNode each : cases(folder)) {
      List<JsonNode> parts = new ArrayList<>();
      JsonNode at = each.at(place);
      if (place.endsWith("frames")) {
        parts.addAll(at.findValues("body"));
      } else if (place.endsWith("published")) {
        parts.addAll(at.findValues("payload"));
      } else {
        parts.add(at);
      }
      for (JsonNode part : parts) {
        if (RecordedChange.change(part, changed)) {
          CaseReader reader = readers.stream().filter(r -> r.reads(each)).findFirst().orElseThrow();
          assertThat(isFound(reader, each)).as("%s", each).isTrue();
          changed++;
          break;
        }
      }
    }
    assertThat(changed).isGreaterThan(3);
  }

  @Test
  void shouldFailWhenAnyFieldOfARecordOfDiscoveryIsChanged() throws IOException {
    int changed = 0;
    try (Stream<Path> files = Files.list(SharedData.golden("wire/discovery"))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".json")).sorted().toList()) {
        JsonNode each = JSON.readTree(file.toFile());
        for (JsonNode record : each.path("records")) {
          if (record.has("value_text")) {
            JsonNode before = record.get("value").deepCopy();
            assertThat(RecordedChange.change(record.get("value"), changed++)).isTrue();
            assertThat(isFound(discovery, each)).as("%s", record).isTrue();
            ((ObjectNode) record).set("value", before);
          }
        }
      }
    }
    assertThat(changed).isGreaterThan(200);
  }

  @Test
  void shouldReadEveryCallOverNatsAndFailWhenItIsChanged() throws IOException {
    NatsRequestReader reader = new NatsRequestReader();
    List<JsonNode> cases = cases("request-nats");
    int answers = 0;
    for (JsonNode each : cases) {
      assertThat(reader.reads(each)).isTrue();
      assertThat(events.reads(each) || calls.reads(each) || recovery.reads(each)).isFalse();
      assertThat(reader.replay(each).faults()).as(each.path("i").asText()).isEmpty();
      for (JsonNode last : each.findParents("last_event_id")) {
        ((ObjectNode) last).set("last_event_id", TextNode.valueOf("4711"));
        assertThat(reader.replay(each).faults()).isNotEmpty();
        answers++;
      }
      JsonNode tokens = each.at("/body/token_ids");
      if (tokens.isArray()) {
        ((ArrayNode) tokens).set(0, IntNode.valueOf(tokens.get(0).asInt() + 1));
        assertThat(reader.replay(each).faults()).isNotEmpty();
      }
      ((ObjectNode) each.get("headers")).put("request-id", "another");
      assertThat(reader.replay(each).faults()).isNotEmpty();
    }
    assertThat(cases).hasSize(42);
    assertThat(answers).isGreaterThan(3);
  }

  @Test
  void shouldReadEveryRecordOfDiscoveryAndFailWhenItsKeyIsChanged() throws IOException {
    int read = 0;
    int changed = 0;
    try (Stream<Path> files = Files.list(SharedData.golden("wire/discovery"))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".json")).sorted().toList()) {
        JsonNode each = JSON.readTree(file.toFile());
        assertThat(discovery.reads(each)).isTrue();
        assertThat(discovery.replay(each).faults()).as(file.toString()).isEmpty();
        read++;
        // Snapshots between two keep-alives recorded ages alone.
        if (each.path("records").path(0) instanceof ObjectNode record && record.has("value_text")) {
          changed++;
          record.put("key", record.path("key").asText() + "0");
          assertThat(discovery.replay(each).faults()).isNotEmpty();
        }
      }
    }
    assertThat(read).isGreaterThan(40);
    assertThat(changed).isGreaterThan(30);
  }
}
