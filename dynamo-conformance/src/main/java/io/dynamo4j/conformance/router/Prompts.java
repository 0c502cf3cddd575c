// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.core.model.RoutingConstraints;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.kvrouter.RouterConfigOverride;
import io.dynamo4j.kvrouter.SchedulingRequest;
import java.util.Map;

/** Requests as the steps describe them. */
final class Prompts {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Prompts() {}

  /**
   * Returns the request of a step.
   *
   * @throws IllegalArgumentException if the step's override is out of range
   */
  static SchedulingRequest of(String id, JsonNode step) {
    return SchedulingRequest.builder(id, RouterSetup.tokens(step))
        .routing(hints(step))
        .configOverride(override(step))
        .updateIndexer(step.path("op").asText().equals("generate"))
        .build();
  }

  /** Returns consecutive tokens. */
  static SchedulingRequest request(String id, int first, int count) {
    return SchedulingRequest.builder(id, tokens(first, count)).build();
  }

  /** Returns a request of eighteen tokens that may say how long its answer will be. */
  static SchedulingRequest growing(String id, String expectedOutputTokens) {
    RoutingHints.Builder hints = RoutingHints.builder();
    if (!expectedOutputTokens.equals("None")) {
      hints.expectedOutputTokens(Long.parseLong(expectedOutputTokens));
    }
    return SchedulingRequest.builder(id, tokens(0, 18)).routing(hints.build()).build();
  }

  static TokenSlice tokens(int first, int count) {
    int[] tokens = new int[count];
    for (int i = 0; i < count; i++) {
      tokens[i] = first + i;
    }
    return TokenSlice.wrap(tokens);
  }

  private static RoutingHints hints(JsonNode step) {
    RoutingConstraints.Builder constraints = RoutingConstraints.builder();
    step.path("constraints")
        .path("required")
        .forEach(taint -> constraints.requireTaint(taint.asText()));
    step.path("constraints")
        .path("preferred")
        .properties()
        .forEach(taint -> constraints.preferTaint(taint.getKey(), taint.getValue().asDouble()));
    return RoutingHints.builder()
        .constraints(constraints.build())
        .cacheNamespace(Fields.textOrEmpty(step, "cache_namespace"))
        .requiredDpRank(step.path("dp_rank").asInt(RoutingHints.ANY_DP_RANK))
        .strictPriority(step.path("strict_priority").asLong())
        .priorityJumpSeconds(step.path("priority_jump").asDouble())
        .policyClass(Fields.textOrEmpty(step, "policy_class"))
        .build();
  }

  private static RouterConfigOverride override(JsonNode step) {
    JsonNode override = step.path(step.has("override") ? "override" : "router_config_override");
    return override.isObject()
        ? RouterConfigOverride.fromMap(JSON.convertValue(override, Map.class))
        : RouterConfigOverride.none();
  }
}
