// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseKeys;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import java.util.Set;
import java.util.TreeSet;

/**
 * Engines' messages into the peer's indexing service, and what it answers to queries: what is found
 * on the device, and what is held in the tiers below.
 *
 * <p>Not read are cases in which a replay was asked for, or several models are served.
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
    if (!steps.isArray() || content.has("engine") || IndexerServiceRules.asksForReplay(content)) {
      return false;
    }
    boolean publishes = false;
    Set<String> models = new TreeSet<>();
    for (JsonNode step : steps) {
      String operation = step.path("op").asText();
      String path = step.path("path").asText();
      boolean isOther = operation.equals("http") && !isOfWorkers(path);
      if (!OPERATIONS.contains(operation) || isOther) {
        return false;
      }
      if (path.equals("/register")) {
        models.add(step.path("body").path("model_name").asText());
      }
      publishes |= operation.equals("pub");
    }
    return publishes && models.size() == 1;
  }

  private static boolean isOfWorkers(String path) {
    return path.equals("/register")
        || path.equals("/unregister")
        || path.split("\\?", 2)[0].equals("/workers");
  }

  @Override
  public CaseKeys keys() {
    return ServiceCases.KEYS;
  }

  @Override
  public Replay replay(JsonNode content) {
    IndexerServiceReplay run = new IndexerServiceReplay();
    for (JsonNode step : Fields.array(content, "steps")) {
      switch (Fields.text(step, "op")) {
        case "http" -> workers(step, run);
        case "pub" -> run.publish(step);
        case "query", "query_by_hash" -> run.query(step);
        default -> run.dump(step);
      }
    }
    return run.result();
  }

  private static void workers(JsonNode step, IndexerServiceReplay run) {
    switch (step.path("path").asText()) {
      case "/register" -> run.register(step);
      case "/unregister" -> run.unregister(step);
      default -> {
        // What the service lists of itself.
      }
    }
  }
}
