// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Requests as workers receive them: JSON to the library's type and back, every field. */
final class RequestJson {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String STOP = "stop_conditions";
  private static final String SAMPLING = "sampling_options";

  private RequestJson() {}

  /** Reads a request; {@code pin} is the one worker that it names, or null. */
  static PreprocessedRequest read(String id, JsonNode json, @Nullable WorkerWithDpRank pin) {
    JsonNode sampling = json.path(SAMPLING);
    Map<String, Object> rest = JSON.convertValue(json, new TypeReference<>() {});
    return PreprocessedRequest.builder(id, TokenSlice.wrap(Fields.tokens(json, "token_ids")))
        .model(json.path("model").asText())
        .stopConditions(stopConditions(json.path(STOP)))
        .samplingOptions(samplingOptions(sampling))
        .routing(
            pin == null ? RoutingHints.none() : RoutingHints.builder().pinnedWorker(pin).build())
        .extensions(new LinkedHashMap<>(rest))
        .build();
  }

  private static StopConditions stopConditions(JsonNode stop) {
    List<Integer> hidden = new ArrayList<>();
    stop.path("stop_token_ids").forEach(id -> hidden.add(id.asInt()));
    stop.path("stop_token_ids_hidden").forEach(id -> hidden.add(id.asInt()));
    List<Integer> visible = new ArrayList<>();
    stop.path("stop_token_ids_visible").forEach(id -> visible.add(id.asInt()));
    List<String> strings = new ArrayList<>();
    stop.path("stop").forEach(string -> strings.add(string.asText()));
    return StopConditions.builder()
        .maxTokens(stop.path("max_tokens").asLong(StopConditions.UNSET))
        .minTokens(stop.path("min_tokens").asLong(StopConditions.UNSET))
        .stop(strings)
        .stopTokenIds(hidden)
        .visibleStopTokenIds(visible)
        .ignoreEos(stop.path("ignore_eos").asBoolean())
        .build();
  }

  private static SamplingOptions samplingOptions(JsonNode sampling) {
    SamplingOptions.Builder options =
        SamplingOptions.builder()
            .n(sampling.path("n").asInt(1))
            .includeStopInOutput(sampling.path("include_stop_str_in_output").asBoolean());
    if (sampling.path("guided_decoding").isObject()) {
      options.guidedDecoding(
          JSON.convertValue(
              sampling.path("guided_decoding"), new TypeReference<Map<String, Object>>() {}));
    }
    if (sampling.path("temperature").isNumber()) {
      options.temperature(sampling.path("temperature").doubleValue());
    }
    if (sampling.path("top_p").isNumber()) {
      options.topP(sampling.path("top_p").doubleValue());
    }
    if (sampling.path("seed").isIntegralNumber()) {
      options.seed(sampling.path("seed").longValue());
    }
    return options.build();
  }

  /**
   * Writes a request: what the library reads from its own fields, the rest as it was carried, and
   * tokens and budgets as a worker sees them.
   */
  static ObjectNode write(PreprocessedRequest request) {
    ObjectNode json = JSON.valueToTree(request.extensions());
    json.put("model", request.model());
    ArrayNode tokens = json.putArray("token_ids");
    for (int i = 0; i < request.tokenIds().length(); i++) {
      tokens.add(Integer.toUnsignedLong(request.tokenIds().get(i)));
    }
    StopConditions conditions = request.stopConditions();
    ObjectNode stop = json.withObject("/" + STOP);
    putBudget(stop, "max_tokens", conditions.maxTokens());
    putBudget(stop, "min_tokens", conditions.minTokens());
    stop.set("stop", JSON.valueToTree(conditions.stop()));
    stop.put("ignore_eos", conditions.ignoreEos());
    SamplingOptions options = request.samplingOptions();
    ObjectNode sampling = json.withObject("/" + SAMPLING);
    if (options.n() > 1) {
      sampling.put("n", options.n());
    }
    sampling.put("include_stop_str_in_output", options.includeStopInOutput());
    options.temperature().ifPresent(value -> sampling.put("temperature", value));
    options.topP().ifPresent(value -> sampling.put("top_p", value));
    options.seed().ifPresent(value -> sampling.put("seed", value));
    sampling.set("guided_decoding", JSON.valueToTree(options.guidedDecoding()));
    return json;
  }

  private static void putBudget(ObjectNode stop, String name, long budget) {
    if (budget == StopConditions.UNSET) {
      stop.putNull(name);
    } else {
      stop.put(name, budget);
    }
  }

  /**
   * Returns one text for requests that mean the same: keys in order, and nothing that is null,
   * false, empty, or 1 where that is the default.
   */
  static String canonical(JsonNode json) {
    ObjectNode copy = json.deepCopy();
    if (copy.path(SAMPLING).path("n").asInt() == 1) {
      copy.withObject("/" + SAMPLING).remove("n");
    }
    JsonNode meaning = meaning(copy);
    return meaning == null ? "{}" : meaning.toString();
  }

  private static @Nullable JsonNode meaning(JsonNode node) {
    if (node.isObject()) {
      Map<String, JsonNode> fields = new TreeMap<>();
      node.fields()
          .forEachRemaining(
              field -> {
                JsonNode value = meaning(field.getValue());
                if (value != null) {
                  fields.put(field.getKey(), value);
                }
              });
      ObjectNode kept = JSON.createObjectNode();
      fields.forEach(kept::set);
      return kept.isEmpty() ? null : kept;
    }
    boolean says =
        !node.isNull()
            && !(node.isBoolean() && !node.booleanValue())
            && !(node.isArray() && node.isEmpty());
    return says ? node : null;
  }
}
