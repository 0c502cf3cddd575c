// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.selection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.core.testing.SharedData;
import java.io.IOException;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SelectionReaderTest {
  private final SelectionReader reader = new SelectionReader();

  @Test
  void shouldFindNoFaultInAnyRecordedDecision() throws IOException {
    List<JsonNode> decisions = decisions();
    for (JsonNode each : decisions) {
      assertThat(reader.replay(each).faults()).as(each.path("index").asText()).isEmpty();
    }
    assertThat(decisions).hasSizeGreaterThan(100);
  }

  @ParameterizedTest
  @ValueSource(strings = {"A_tok", "A_blk", "A_req", "add", "pinned_cost_3dp"})
  void shouldFailWhenARecordedFigureOfARankIsChanged(String key) throws IOException {
    for (JsonNode each : decisions()) {
      ObjectNode row = (ObjectNode) each.get("rows").get(0);
      if (key.equals("pinned_cost_3dp")) {
        row.put(key, row.get(key).asDouble() + 0.002);
      } else {
        row.put(key, row.get(key).asInt() + 1);
      }
      assertThat(reader.replay(each).faults()).as(each.path("index").asText()).isNotEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev", "host", "disk", "potential_decode_blocks"})
  void shouldFailWhenARecordedBlockOfARankIsChanged(String key) throws IOException {
    for (JsonNode each : decisions()) {
      ObjectNode row = (ObjectNode) each.get("rows").get(0);
      row.put(key, row.get(key).asInt() + 1);
      assertThat(reader.replay(each).faults()).as(each.path("index").asText()).isNotEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"formula_cost_pinned", "formula_cost"})
  void shouldFailWhenTheCostOfARankIsChangedInItsLastBit(String key) throws IOException {
    for (JsonNode each : decisions()) {
      for (JsonNode row : each.get("rows")) {
        if (row.get("eligible").asBoolean()) {
          ((ObjectNode) row).put(key, Math.nextUp(row.get(key).asDouble()));
          assertThat(reader.replay(each).faults()).as(each.path("index").asText()).isNotEmpty();
          break;
        }
      }
    }
  }

  @Test
  void shouldFailWhenTheFleetHasARankWithoutARow() throws IOException {
    for (JsonNode each : decisions()) {
      ObjectNode worker = (ObjectNode) each.get("workers").get(0);
      worker.put("dp_size", worker.get("dp_size").asInt() + 1);
      assertThat(reader.replay(each).faults()).as(each.path("index").asText()).isNotEmpty();
    }
  }

  @Test
  void shouldFailWhenTheCostOfAWinnerIsChangedInItsLastBit() throws IOException {
    for (JsonNode each : decisions()) {
      ObjectNode winner = (ObjectNode) each.get("chosen").get(0);
      winner.put("cost", Math.nextUp(winner.get("cost").asDouble()));
      assertThat(reader.replay(each).faults()).as(each.path("index").asText()).isNotEmpty();
    }
  }

  private List<JsonNode> decisions() throws IOException {
    JsonNode root = new ObjectMapper().readTree(SharedData.golden("core/selection.json").toFile());
    return StreamSupport.stream(root.get("cases").spliterator(), false)
        .filter(reader::reads)
        .toList();
  }
}
