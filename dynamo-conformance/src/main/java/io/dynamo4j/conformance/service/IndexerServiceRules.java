// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.NotOursRule;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Recordings of the services in which this library has no part, by their own content. */
public final class IndexerServiceRules {
  private static final String INDEXER = "dynamo.indexer";

  private IndexerServiceRules() {}

  /** Returns every rule. */
  public static List<NotOursRule> all() {
    return List.of(
        new NotOursRule("index-service-replay", IndexerServiceRules::asksForReplay),
        new NotOursRule("index-service-several-models", IndexerServiceRules::hasSeveralModels),
        new NotOursRule("index-service-protocol-alone", IndexerServiceRules::isProtocolAlone),
        new NotOursRule("index-service-peers", IndexerServiceRules::isOfPeers),
        new NotOursRule("index-service-summary", content -> hasText(content, "rows")),
        new NotOursRule("service-mesh", IndexerServiceRules::isMesh),
        new NotOursRule("service-metrics", content -> content.has("bucket_bounds")),
        new NotOursRule("service-command-line", IndexerServiceRules::isCommandLine));
  }

  private static boolean hasText(JsonNode content, String name) {
    return content.has("id") && content.has("title") && content.path(name).isArray();
  }

  /** Returns whether sequence numbers matter: an engine's replay was asked for, or could be. */
  static boolean asksForReplay(JsonNode content) {
    for (JsonNode step : content.path("steps")) {
      if (step.path("op").asText().equals("retain_only")) {
        return true;
      }
    }
    return content.has("replay_traffic") || content.has("replay_requests_hex");
  }

  private static boolean hasSeveralModels(JsonNode content) {
    Set<String> models = new TreeSet<>();
    boolean publishes = false;
    for (JsonNode step : content.path("steps")) {
      publishes |= step.path("op").asText().equals("pub");
      if (step.path("path").asText().equals("/register")) {
        models.add(step.path("body").path("model_name").asText());
      }
    }
    return publishes && models.size() > 1;
  }

  private static boolean isOfIndexer(JsonNode content) {
    return content.path("service").asText().contains(INDEXER) || !content.has("service");
  }

  /** No engine says anything. */
  private static boolean isProtocolAlone(JsonNode content) {
    JsonNode steps = content.path("steps");
    if (!content.has("title") || !steps.isArray() || !isOfIndexer(content) || isOfPeers(content)) {
      return false;
    }
    boolean isCalled = false;
    for (JsonNode step : steps) {
      String operation = step.path("op").asText();
      if (operation.equals("pub")) {
        return false;
      }
      isCalled |= !operation.isEmpty();
    }
    return isCalled && !asksForReplay(content);
  }

  private static boolean isOfPeers(JsonNode content) {
    boolean hasPeers = content.has("peer_dump");
    for (JsonNode step : content.path("steps")) {
      hasPeers |= step.path("path").asText().equals("/peers") && content.has("log");
    }
    return hasPeers || content.path("service").asText().contains("--peers");
  }

  /** Steps are frames between services. */
  private static boolean isMesh(JsonNode content) {
    JsonNode first = content.path("steps").path(0);
    boolean isInbound = first.has("frames_hex") && first.has("loads_after");
    return isInbound || (first.has("request") && first.has("frames"));
  }

  private static boolean isCommandLine(JsonNode content) {
    JsonNode first = content.path("steps").path(0);
    return hasText(content, "lines") || (first.has("args") && first.has("exit"));
  }
}
