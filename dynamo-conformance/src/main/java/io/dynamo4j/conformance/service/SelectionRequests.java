// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.model.RoutingConstraints;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.kvrouter.RouterConfigOverride;
import java.util.Map;

/** What the bodies of calls ask for. */
final class SelectionRequests {
  private static final ObjectMapper JSON = new ObjectMapper();

  private SelectionRequests() {}

  static boolean hasTokens(JsonNode body) {
    return !Fields.isAbsent(body, "token_ids");
  }

  static TokenSlice tokens(JsonNode body) {
    return TokenSlice.wrap(Fields.tokens(body, "token_ids"));
  }

  static int promptTokens(JsonNode body) {
    return hasTokens(body) ? body.get("token_ids").size() : Fields.integer(body, "isl_tokens");
  }

  /**
   * Returns whether a prompt that is told in hashes is told in full: hashes of both kinds, as many
   * of each, and a length.
   */
  static boolean isTold(JsonNode body) {
    return hasTokens(body)
        || (body.path("block_hashes").isArray()
            && body.path("sequence_hashes").isArray()
            && body.path("isl_tokens").asInt() > 0
            && body.get("block_hashes").size() == body.get("sequence_hashes").size());
  }

  static long[] localHashes(JsonNode body, int blockSize) {
    if (!hasTokens(body)) {
      return body.has("block_hashes") ? Fields.bitsArray(body, "block_hashes") : new long[0];
    }
    return BlockHasher.of(
            BlockHashOptions.builder(blockSize)
                .loraName(Fields.textOrEmpty(body, "lora_name"))
                .cacheNamespace(Fields.textOrEmpty(body, "cache_salt"))
                .build())
        .hash(tokens(body));
  }

  static long[] sequenceHashes(JsonNode body, int blockSize) {
    if (!hasTokens(body)) {
      return Fields.bitsArray(body, "sequence_hashes");
    }
    long[] hashes = localHashes(body, blockSize);
    SequenceHasher.hash(hashes, hashes.length, hashes);
    return hashes;
  }

  static RoutingHints routing(JsonNode body) {
    RoutingConstraints.Builder constraints = RoutingConstraints.builder();
    JsonNode wished = body.path("routing_constraints");
    wished.path("required_taints").forEach(taint -> constraints.requireTaint(taint.asText()));
    wished
        .path("preferred_taints")
        .properties()
        .forEach(taint -> constraints.preferTaint(taint.getKey(), taint.getValue().asDouble()));
    RoutingHints.Builder hints =
        RoutingHints.builder()
            .constraints(constraints.build())
            .loraName(Fields.textOrEmpty(body, "lora_name"))
            .cacheNamespace(Fields.textOrEmpty(body, "cache_salt"))
            .strictPriority(body.path("strict_priority").asLong())
            .priorityJumpSeconds(body.path("priority_jump").asDouble());
    if (!Fields.isAbsent(body, "pinned_worker")) {
      hints.pinnedWorker(ServiceCases.rank(body.get("pinned_worker")));
    }
    if (!Fields.isAbsent(body, "allowed_worker_ids")) {
      hints.allowedWorkerIds(Fields.bitsArray(body, "allowed_worker_ids"));
    }
    return hints.build();
  }

  /**
   * Returns what a request changes in the configuration.
   *
   * @throws IllegalArgumentException if a value is out of range
   */
  static RouterConfigOverride override(JsonNode body) {
    JsonNode override = body.path("router_config_override");
    return override.isObject()
        ? RouterConfigOverride.fromMap(JSON.convertValue(override, Map.class))
        : RouterConfigOverride.none();
  }
}
