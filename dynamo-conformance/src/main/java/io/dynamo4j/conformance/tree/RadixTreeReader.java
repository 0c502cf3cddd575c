// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.tree;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.conformance.NotOursRule;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.conformance.tree.TreeScenario.Query;
import io.dynamo4j.conformance.tree.TreeScenario.Step;

/** Scenarios of the single-threaded tree, and the dump that it ends with. */
public final class RadixTreeReader implements CaseReader {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Events as JSON text, as the recorded binding takes them. */
  public static final NotOursRule JSON_EVENTS =
      new NotOursRule("index-event-as-json-text", RadixTreeReader::isJsonText);

  @Override
  public String name() {
    return "radix-tree";
  }

  @Override
  public boolean reads(JsonNode content) {
    return content.has("steps") && content.has("queries") && content.has("dump");
  }

  @Override
  public Replay replay(JsonNode content) {
    TreeScenario scenario = TreeScenario.of(content, "result");
    Replay replay = TreeReplay.of(scenario, false);
    reload(content, scenario, replay);
    return replay;
  }

  /** A dump of the peer, read by ours, gives the peer's own answers. */
  private static void reload(JsonNode content, TreeScenario scenario, Replay replay) {
    Index ours = new OurIndex();
    for (JsonNode event : Fields.array(content, "dump")) {
      try {
        TreeScenario.stored(JSON.readTree(event.asText())).on(ours);
      } catch (JsonProcessingException e) {
        throw new MalformedCaseException("dump is no JSON: " + e.getOriginalMessage(), e);
      }
    }
    Step last = scenario.steps().get(scenario.steps().size() - 1);
    for (Query query : last.queries()) {
      replay.same(
          "dump reloaded, query " + query.locals(), query.scores(), ours.find(query.locals()));
    }
  }

  private static boolean isJsonText(JsonNode content) {
    JsonNode steps = content.path("steps");
    if (!steps.isArray()) {
      return false;
    }
    for (JsonNode step : steps) {
      if (step.path("op").asText().equals("raw") && step.path("json").isTextual()) {
        return true;
      }
    }
    return false;
  }
}
