// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import java.util.Set;

/**
 * Engines' messages into the peer's indexing service, and what it answers to queries: what is found
 * on the device, and what is held in the tiers below.
 *
 * <p>Not read are cases about replays, registration and the service's own protocol.
 */
public final class IndexerServiceReader implements CaseReader {
  private static final Set<String> OPERATIONS =
      Set.of("pub", "query", "query_by_hash", "dump", "http");

  @Override
  public String name() {
    return "indexer-service";
  }

  @Override
  public boolean reads(JsonNode content) {
    JsonNode steps = content.path("steps");
    if (!steps.isArray() || content.has("replay_traffic") || content.has("engine")) {
      return false;
    }
    boolean publishes = false;
    for (JsonNode step : steps) {
      String operation = step.path("op").asText();
      boolean isOther = operation.equals("http") && !step.path("path").asText().equals("/register");
      if (!OPERATIONS.contains(operation) || isOther) {
        return false;
      }
      publishes |= operation.equals("pub");
    }
    return publishes;
  }

  @Override
  public Replay replay(JsonNode content) {
    IndexerServiceReplay run = new IndexerServiceReplay();
    for (JsonNode step : Fields.array(content, "steps")) {
      switch (Fields.text(step, "op")) {
        case "http" -> run.register(step);
        case "pub" -> run.publish(step);
        case "query", "query_by_hash" -> run.query(step);
        default -> run.dump(step);
      }
    }
    return run.result();
  }
}
