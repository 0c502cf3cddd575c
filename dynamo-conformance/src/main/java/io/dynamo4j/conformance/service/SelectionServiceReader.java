// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.CaseKeys;
import io.dynamo4j.conformance.CaseReader;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.NotOursRule;
import io.dynamo4j.conformance.Replay;
import java.util.Map;
import java.util.Set;

/** Calls of the peer's selection service and its engines' messages, into the router under test. */
public final class SelectionServiceReader implements CaseReader {
  /** Cases in which no worker is ever registered. */
  public static final NotOursRule PROTOCOL_ALONE =
      new NotOursRule(
          "selection-service-protocol-alone",
          content -> isOfService(content) && hasCalls(content) && !registers(content));

  private static final Set<String> OPERATIONS = Set.of("http", "pub");

  @Override
  public String name() {
    return "selection-service";
  }

  @Override
  public boolean reads(JsonNode content) {
    return isOfService(content) && hasCalls(content) && registers(content);
  }

  static boolean isOfService(JsonNode content) {
    return content.path("service").asText().contains("dynamo.select_service");
  }

  private static boolean hasCalls(JsonNode content) {
    for (JsonNode step : content.path("steps")) {
      if (!OPERATIONS.contains(step.path("op").asText())) {
        return false;
      }
    }
    return content.path("steps").isArray();
  }

  private static boolean registers(JsonNode content) {
    for (JsonNode step : content.path("steps")) {
      if (step.path("status").asInt() == 201) {
        return true;
      }
    }
    return false;
  }

  @Override
  public CaseKeys keys() {
    return ServiceCases.KEYS;
  }

  @Override
  public Replay replay(JsonNode content) {
    Replay replay = Replay.create();
    SelectionWorkers workers = new SelectionWorkers(Map.of());
    SelectionReplay run = new SelectionReplay(workers, replay);
    int number = 0;
    for (JsonNode step : Fields.array(content, "steps")) {
      String where = "step " + ++number + " " + step.path("path").asText("events");
      if (Fields.text(step, "op").equals("pub")) {
        workers.publish(step, where, replay);
      } else {
        run.step(ServiceStep.ofHttp(step), where);
      }
    }
    return replay;
  }
}
