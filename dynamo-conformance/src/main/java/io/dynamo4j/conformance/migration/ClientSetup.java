// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.conformance.MalformedCaseException;
import java.util.List;
import java.util.Set;

/** One client of a case: what it asks, when, and when it leaves. */
final class ClientSetup {
  private static final Set<String> KEYS =
      Set.of("path", "body", "headers", "timeout", "disconnect_after", "disconnect_delay", "at");

  /** What, beside the prompt, a request to a worker takes over unchanged. */
  private static final Set<String> BODY =
      Set.of(
          "model",
          "prompt",
          "messages",
          "input",
          "system",
          "instructions",
          "stream",
          "stream_options",
          "max_tokens",
          "max_completion_tokens",
          "max_output_tokens",
          "min_tokens",
          "n",
          "best_of",
          "stop",
          "stop_token_ids",
          "ignore_eos",
          "include_stop_str_in_output",
          "temperature",
          "top_p",
          "top_k",
          "min_p",
          "seed",
          "presence_penalty",
          "frequency_penalty",
          "repetition_penalty",
          "length_penalty",
          "logit_bias",
          "logprobs",
          "top_logprobs",
          "prompt_logprobs",
          "skip_special_tokens",
          "prompt_embeds",
          "guided_json",
          "guided_regex",
          "guided_choice",
          "guided_grammar",
          "response_format",
          "tools",
          "tool_choice",
          "parallel_tool_calls",
          "reasoning_effort",
          "chat_template_kwargs",
          "user",
          "metadata",
          "nvext");

  private static final double NANOS_PER_SECOND = 1e9;

  private final JsonNode recorded;
  private final JsonNode request;

  private ClientSetup(JsonNode recorded) {
    this.recorded = recorded;
    this.request = recorded.path("request");
    WorkerSetup.refuseUnknown(request, KEYS);
    WorkerSetup.refuseUnknown(body(), BODY);
  }

  static ClientSetup of(JsonNode recorded) {
    return new ClientSetup(recorded);
  }

  JsonNode recorded() {
    return recorded;
  }

  JsonNode body() {
    return request.path("body");
  }

  Api api() {
    return Api.of(request.path("path").asText());
  }

  boolean isStreamed() {
    return body().path("stream").asBoolean();
  }

  long startNanos() {
    return recorded.path("t_ms").asLong() * 1_000_000L;
  }

  long recordedEndNanos() {
    return startNanos() + recorded.path("elapsed_ms").asLong() * 1_000_000L;
  }

  /** Returns after how long the client gives up, or 0. */
  long timeoutNanos() {
    return (long) (request.path("timeout").asDouble() * NANOS_PER_SECOND);
  }

  /** Returns after how many pieces of text the client leaves, or 0. */
  int leavesAfter() {
    return request.path("disconnect_after").asInt();
  }

  long leavingNanos() {
    return (long) (request.path("disconnect_delay").asDouble() * NANOS_PER_SECOND);
  }

  List<List<Integer>> prompts() {
    return Tokenizer.prompts(request.path("path").asText(), body());
  }

  /**
   * Returns whether the gateway refused the request for its form: it had no answer, and would have
   * none from any worker.
   */
  boolean isMalformed() {
    String message = recorded.at("/body/message").asText();
    int status = recorded.path("status").asInt();
    return (status == 400 || status == 422)
        && (message.contains("deserialize") || message.contains("Validation"));
  }

  /** Makes the request that workers receive of a body that was never dispatched. */
  ObjectNode toRequest(List<Integer> prompt) {
    for (String name : List.of("nvext", "tools", "tool_choice", "response_format", "logprobs")) {
      if (body().has(name) && !isMalformed()) {
        throw new MalformedCaseException("request was never dispatched: unknown field=" + name);
      }
    }
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("model", body().path("model").asText());
    ObjectNode stop = json.putObject("stop_conditions");
    JsonNode max = body().path(api().maxTokensField());
    stop.set("max_tokens", max.isMissingNode() ? body().path("max_completion_tokens") : max);
    stop.set("min_tokens", body().path("min_tokens"));
    JsonNode strings = body().path("stop");
    stop.set("stop", strings.isTextual() ? stop.arrayNode().add(strings) : strings);
    stop.set("ignore_eos", body().path("ignore_eos"));
    stop.putArray("stop_token_ids_hidden").add(257);
    ObjectNode sampling = json.putObject("sampling_options");
    for (String name : List.of("n", "temperature", "seed", "include_stop_str_in_output")) {
      sampling.set(name, body().path(name));
    }
    withTokens(json, prompt);
    return json;
  }

  static void withTokens(ObjectNode json, List<Integer> prompt) {
    ArrayNode tokens = json.putArray("token_ids");
    prompt.forEach(tokens::add);
  }
}
