// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.core.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The services that book, and their calls within a process. */
class BookingServiceReadersTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static List<JsonNode> cases(CaseReader reader) throws IOException {
    List<JsonNode> cases = new ArrayList<>();
    try (Stream<Path> files = Files.list(SharedData.golden("services"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".json")).sorted().toList()) {
        cases.add(JSON.readTree(file.toFile()));
      }
    }
    JSON.readTree(SharedData.golden("core/selection.json").toFile())
        .get("cases")
        .forEach(cases::add);
    cases.removeIf(content -> !reader.reads(content));
    return cases;
  }

  private static void shouldPassAll(CaseReader reader, int atLeast) throws IOException {
    List<JsonNode> cases = cases(reader);
    for (JsonNode content : cases) {
      assertThat(reader.replay(content).faults()).as(name(content)).isEmpty();
    }
    assertThat(cases).hasSizeGreaterThanOrEqualTo(atLeast);
  }

  private static String name(JsonNode content) {
    return content.path("id").asText() + content.path("tag").asText();
  }

  /** Adds one to the first figure of that name in the results; returns whether there is one. */
  private static boolean tamper(JsonNode content, String result, String figure) {
    for (JsonNode step : content.get("steps")) {
      for (JsonNode holder : step.path(result).findParents(figure)) {
        ((ObjectNode) holder).put(figure, holder.get(figure).asLong() + 1);
        return true;
      }
    }
    return false;
  }

  private static int countTampered(CaseReader reader, String result, String figure)
      throws IOException {
    int tampered = 0;
    for (JsonNode content : cases(reader)) {
      if (tamper(content, result, figure)) {
        tampered++;
        var replay = reader.replay(content);
        assertThat(replay.faults().size() + replay.deviations().size())
            .as(name(content))
            .isPositive();
      }
    }
    return tampered;
  }

  @Test
  void shouldAnswerAsTheSlotTrackerDid() throws IOException {
    shouldPassAll(new SlotTrackerReader(), 8);
  }

  @Test
  void shouldAnswerAsTheSelectionServiceDid() throws IOException {
    shouldPassAll(new SelectionServiceReader(), 10);
  }

  @Test
  void shouldAnswerAsTheSelectionServiceDidWithinItsProcess() throws IOException {
    shouldPassAll(new SelectionTranscriptReader(), 12);
    shouldPassAll(new SelectionTiesReader(), 2);
  }

  @Test
  void shouldNoticeWhenARecordedFigureIsChanged() throws IOException {
    assertThat(countTampered(new SlotTrackerReader(), "response", "active_decode_blocks"))
        .isGreaterThan(4);
    assertThat(countTampered(new SelectionServiceReader(), "response", "potential_decode_blocks"))
        .isGreaterThan(6);
    assertThat(countTampered(new SelectionServiceReader(), "response", "effective_prefill_tokens"))
        .isGreaterThan(6);
    assertThat(countTampered(new SelectionTranscriptReader(), "result", "potential_decode_blocks"))
        .isGreaterThan(8);
  }
}
