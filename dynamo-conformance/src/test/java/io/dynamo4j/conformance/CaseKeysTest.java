// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.core.testing.SharedData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A key that a reader does not know is named, and fails a whole replay. */
class CaseKeysTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;

  private List<Verdict> judge(JsonNode content) throws IOException {
    Path cases = Files.createDirectories(folder.resolve("cases"));
    JSON.writeValue(cases.resolve("case.json").toFile(), content);
    List<Verdict> verdicts = new ArrayList<>();
    Conformance.of(
            Readers.all(), NotOursRules.all(), SharedData.repository().resolve("conformance"))
        .judge(CaseFiles.under(List.of(cases)), verdict -> verdicts.add(verdict.whole()));
    return verdicts;
  }

  @ParameterizedTest
  @CsvSource({
    "services/slot-lifecycle.json, '', weight",
    "services/slot-lifecycle.json, /steps/0, steps[0].weight",
    "services/select-load-balance.json, /steps/0, steps[0].weight",
    "services/select-load-balance.json, /steps/0/response, steps[0].response.weight",
    "services/indexer-e07-no-tag.json, /steps/0, steps[0].weight",
    "router/active-weight-32.json, '', weight",
    "router/active-weight-32.json, /workers/0, workers[0].weight",
    "router/active-weight-32.json, /steps/0, steps[0].weight",
    "router-cli/model-card-with-default-router-config.json, /router_config, router_config.weight"
  })
  void shouldFailACaseWithAKeyThatIsNotKnown(String file, String place, String key)
      throws IOException {
    JsonNode content = JSON.readTree(SharedData.golden(file).toFile());
    assertThat(judge(content)).noneMatch(verdict -> verdict.outcome() == Verdict.Outcome.FAILED);

    ((ObjectNode) content.at(place)).put("weight", 1);

    assertThat(judge(content)).singleElement().asString().contains("key is not known: key=" + key);
  }

  @ParameterizedTest
  @CsvSource({"transcript, /steps/0", "transcript, /workers/0", "ties, ''"})
  void shouldFailARecordedSelectionWithAKeyThatIsNotKnown(String kind, String place)
      throws IOException {
    JsonNode cases = JSON.readTree(SharedData.golden("core/selection.json").toFile()).get("cases");
    JsonNode content =
        Stream.iterate(0, i -> i + 1)
            .limit(cases.size())
            .map(cases::get)
            .filter(each -> each.path("kind").asText().equals(kind))
            .findFirst()
            .orElseThrow();
    assertThat(judge(content)).noneMatch(verdict -> verdict.outcome() == Verdict.Outcome.FAILED);

    ((ObjectNode) content.at(place)).put("weight", 1);

    assertThat(judge(content)).singleElement().asString().contains("key is not known: key=");
  }

  @Test
  void shouldFailASettingThatIsTakenAndNotCompared() throws IOException {
    JsonNode card =
        JSON.readTree(
            SharedData.golden("router-cli/model-card-with-default-router-config.json").toFile());
    ((ObjectNode) card.at("/router_config/kv_router_config")).put("router_snapshot_threshold", 7);

    assertThat(judge(card))
        .singleElement()
        .asString()
        .contains("setting is not compared: name=router_snapshot_threshold");
  }

  @Test
  void shouldFindKeysAtAnyDepthOfAnswersAndLetValuesBeKeys() throws IOException {
    CaseKeys keys = CaseKeys.of("steps").answers(List.of("response"), Set.of("loads", "dp"));
    JsonNode content =
        JSON.readTree(
            "{\"steps\":[{\"response\":[{\"loads\":[{\"dp\":{\"0\":1,\"m:default\":2},\"x\":1}]}]}],"
                + "\"y\":0}");

    assertThat(keys.unknown(content)).containsExactly("y", "steps[0].response[0].loads[0].x");
    assertThat(CaseKeys.any().unknown(content)).isEmpty();
  }
}
