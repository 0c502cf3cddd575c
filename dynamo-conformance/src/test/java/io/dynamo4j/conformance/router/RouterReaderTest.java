// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.conformance.Replay.Deviation;
import io.dynamo4j.core.testing.SharedData;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RouterReaderTest {
  private final RouterReader reader = new RouterReader();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "taints",
        "booking-errors",
        "shared-prefix-bookings",
        "output-growth-on-osl8",
        "approx-events-ignored",
        "approx-lru",
        "approx-lru-big",
        "approx-lru-evict",
        "approx-no-update",
        "approx-partial-tail",
        "approx-refresh",
        "approx-refresh-prefix",
        "approx-threads1"
      })
  void shouldFindNeitherFaultNorDeviationWhereTheRecordedRouterIsRight(String name)
      throws IOException {
    Replay replay = reader.replay(golden(name));
    assertThat(replay.faults()).isEmpty();
    assertThat(replay.deviations()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "overrides, router-overrides-act",
    "generate-dp-rank, router-rank-alone-acts",
    "threads4-remove-above-branch, state-shared-between-ranks"
  })
  void s1ShouldDeviateByARuleWhereTheRecordedRouterIsWrong(String name, String rule)
      throws IOException {
    Replay replay = reader.replay(golden(name));
    assertThat(replay.faults()).isEmpty();
    assertThat(replay.deviations()).extracting(Deviation::rule).containsOnly(rule);
  }

  @Test
  void shouldFailWhenARecordedWinnerIsChanged() throws IOException {
    JsonNode content = golden("shared-prefix-bookings");
    ((ArrayNode) content.path("steps").path(0).path("result")).set(2, 3);
    assertThat(reader.replay(content).faults()).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"potential_prefill_tokens", "potential_decode_blocks", "active_requests"})
  void shouldFailWhenARecordedLoadIsChanged(String field) throws IOException {
    JsonNode content = golden("shared-prefix-bookings");
    ObjectNode load = (ObjectNode) content.path("steps").path(2).path("result").path(0);
    load.put(field, load.get(field).asInt() + 1);
    assertThat(reader.replay(content).faults()).isNotEmpty();
  }

  @Test
  void shouldFailWhenRecordedCountsAreNotThoseOfTheRepeats() throws IOException {
    JsonNode content = golden("temperature-three");
    ObjectNode counts = (ObjectNode) content.path("steps").path(2).path("result").path("counts");
    counts.put("[\"w2\", 0, 0]", counts.get("[\"w2\", 0, 0]").asInt() + 1);
    assertThat(reader.replay(content).faults()).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dp_rank",
        "host_pinned_blocks",
        "disk_blocks",
        "host_pinned_extension_blocks",
        "disk_extension_blocks"
      })
  void shouldFailWhenWhatARankHoldsBelowTheDeviceIsChanged(String field) throws IOException {
    JsonNode content = golden("approx-lru-big");
    ObjectNode row = (ObjectNode) content.path("steps").findValue("workers").path(0);
    row.put(field, row.get(field).asInt() + 1);
    assertThat(reader.replay(content).faults()).isNotEmpty();
  }

  @Test
  void shouldFailWhenRecordedCountsAreNoMatterOfChance() throws IOException {
    JsonNode content = golden("temperature-three");
    ObjectNode counts = (ObjectNode) content.path("steps").path(2).path("result").path("counts");
    counts.put("[\"w2\", 0, 0]", counts.get("[\"w2\", 0, 0]").asInt() + 200);
    assertThat(reader.replay(content).faults()).isNotEmpty();
  }

  @Test
  void shouldFailWhenARecordedErrorIsAnother() throws IOException {
    JsonNode content = golden("taints");
    ((ObjectNode) content.path("steps").path(2).path("result"))
        .put("message", "CapacityExhausted: all eligible workers are overloaded");
    assertThat(reader.replay(content).faults()).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({"approx-refresh-prefix, 4, 3", "approx-lru-evict, 4, 2"})
  void shouldFailWhenAnotherOverlapIsRecordedWithoutEvents(String name, int step, int blocks)
      throws IOException {
    JsonNode content = golden(name);
    ((ArrayNode) content.path("steps").path(step).path("result")).set(2, blocks);
    assertThat(reader.replay(content).faults()).isNotEmpty();
  }

  @Test
  void shouldFailWhenABlockIsMissingFromADump() throws IOException {
    JsonNode content = golden("dp-ranks");
    JsonNode dump = content.path("steps").path(5).path("result");
    ((ArrayNode) dump.path(0).path("event").path("data").path("stored").path("blocks")).remove(3);
    assertThat(reader.replay(content).faults()).isNotEmpty();
  }

  private static JsonNode golden(String name) throws IOException {
    return new ObjectMapper().readTree(SharedData.golden("router/" + name + ".json").toFile());
  }
}
