// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Replay;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which fields of what was seen are compared, and which are not and why. A field that is in neither
 * list is a fault, so that nothing is left out silently; what a case sets up is looked at by those
 * who read it.
 */
final class CaseFields {
  private static final Map<String, Set<String>> COMPARED =
      Map.of(
          "attempts",
          Set.of(
              "worker",
              "ctx_id",
              "metadata",
              "request",
              "events",
              "changed_from_previous_dispatch"),
          "events",
          Set.of("ev", "cls", "made", "stopped", "killed"),
          "client",
          Set.of("status", "sse", "body", "exception"),
          "expect",
          Set.of("dispatches", "per_request", "client", "migration_metrics"),
          "expect.client",
          Set.of("status", "exception", "error", "done", "usage", "finish_reasons_in_order"),
          "expect.per_request",
          Set.of("ctx_id", "dispatch"),
          "expect.per_request.dispatch",
          Set.of("token_ids_len", "max_tokens", "min_tokens", "worker"),
          "choices",
          Set.of("index", "text", "delta", "message", "finish_reason", "logprobs"),
          "usage",
          Set.of(
              "prompt_tokens",
              "completion_tokens",
              "input_tokens",
              "output_tokens",
              "total_tokens",
              "prompt_tokens_details",
              "input_tokens_details",
              "cache_read_input_tokens"),
          "chunk",
          Set.of("choices", "usage", "error"));

  /** By place and field, why it is not compared. */
  private static final Map<String, String> IGNORED = ignored();

  /** What workers say happened to them. */
  private static final Set<String> EVENTS =
      Set.of("context_stopped", "exit", "freeze", "generator_end", "raise", "sync_raise");

  private static final Set<String> METRICS =
      Set.of(
          "model_cancellation_total",
          "model_migration_duration_seconds_count",
          "model_migration_max_seq_len_exceeded_total",
          "model_migration_total",
          "model_rejection_total",
          "output_tokens_total",
          "requests_total");

  private CaseFields() {}

  private static Map<String, String> ignored() {
    Map<String, String> ignored = new LinkedHashMap<>();
    ignored.put("attempts.attempt", "the place in the list says it");
    ignored.put("attempts.t_ms", "real time on a busy machine");
    ignored.put("attempts.script", "what the worker was told to do; it is played, not compared");
    ignored.put("attempts.trace_headers_present", "tracing was off; it is the frontend's");
    ignored.put("events.t_ms", "real time on a busy machine");
    for (String step : List.of("hang", "hang_released", "sigterm", "waitstop")) {
      ignored.put("ev." + step, "a step of the script that the worker got to, not its end");
    }
    ignored.put("client.request", "set-up: what the client asks");
    ignored.put("client.t_ms", "set-up: when the client asks");
    ignored.put("client.elapsed_ms", "real time on a busy machine");
    ignored.put("client.headers", "HTTP");
    ignored.put("client.closed", "framing: how the connection ended");
    ignored.put("client.client_disconnected_after_chunks", "set-up: the client's own doing");
    ignored.put("client.summary", "expect.client tells the same and is compared");
    ignored.put("expect.client.body", "the HTTP body of an error; its code is compared");
    ignored.put("expect.client.other", "framing: lines of events without data");
    ignored.put("expect.client.text_after_finish_reason", "finish_reasons_in_order tells it");
    ignored.put("usage.output_tokens_details", "tokens of reasoning, which the frontend finds");
    ignored.put("usage.cache_creation_input_tokens", "zero; workers do not tell");
    ignored.put("chunk.id", "framing of the HTTP interface");
    ignored.put("chunk.created", "framing of the HTTP interface");
    ignored.put("chunk.model", "framing of the HTTP interface");
    ignored.put("chunk.object", "framing of the HTTP interface");
    ignored.put("chunk.system_fingerprint", "framing of the HTTP interface");
    ignored.put("chunk.nvext", "the frontend's own report on itself");
    ignored.put("chunk.code", "the HTTP body of an error; the status is compared");
    ignored.put("chunk.message", "the words of an error are the frontend's");
    ignored.put("chunk.type", "the HTTP body of an error; the status is compared");
    ignored.put(
        "metrics.disconnected_clients", "the frontend's sockets; cancellations are compared");
    return ignored;
  }

  /** Notes a fault for each field of what was seen that nobody knows. */
  static void judge(JsonNode content, Replay replay) {
    for (JsonNode attempt : content.path("attempts")) {
      known("attempts", attempt, replay);
      replay.same("attempts.metadata", 0, attempt.path("metadata").size());
      for (JsonNode event : attempt.path("events")) {
        known("events", event, replay);
        String name = event.path("ev").asText();
        if (!EVENTS.contains(name) && !IGNORED.containsKey("ev." + name)) {
          replay.fault("not compared: event=" + name);
        }
      }
    }
    content.path("client").forEach(client -> judgeClient(client, replay));
    judgeExpect(content.path("expect"), replay);
    judgeMetrics(content.path("metrics_after"), replay);
    judgeMetrics(content.at("/expect/migration_metrics"), replay);
  }

  private static void judgeExpect(JsonNode expect, Replay replay) {
    known("expect", expect, replay);
    for (JsonNode client : expect.path("client")) {
      known("expect.client", client, replay);
      judgeUsage(client.path("usage"), replay);
    }
    for (JsonNode request : expect.path("per_request")) {
      known("expect.per_request", request, replay);
      request.path("dispatch").forEach(each -> known("expect.per_request.dispatch", each, replay));
    }
  }

  private static void judgeClient(JsonNode client, Replay replay) {
    known("client", client, replay);
    boolean hasChoices = Api.of(client.at("/request/path").asText()).hasChoices();
    for (JsonNode chunk : RecordedAnswer.chunks(client)) {
      judgeUsage(chunk.path("usage"), replay);
      judgeUsage(chunk.at("/response/usage"), replay);
      if (hasChoices) {
        known("chunk", chunk, replay);
        chunk.path("choices").forEach(choice -> known("choices", choice, replay));
      }
    }
  }

  /** The sum is told beside its parts. */
  private static void judgeUsage(JsonNode usage, Replay replay) {
    if (!usage.isObject()) {
      return;
    }
    known("usage", usage, replay);
    if (usage.has("total_tokens")) {
      long parts =
          usage.path("prompt_tokens").asLong()
              + usage.path("input_tokens").asLong()
              + usage.path("completion_tokens").asLong()
              + usage.path("output_tokens").asLong();
      replay.same("usage.total_tokens", usage.path("total_tokens").asLong(), parts);
    }
  }

  private static void judgeMetrics(JsonNode lines, Replay replay) {
    for (JsonNode line : lines) {
      String name = line.asText().split("[{ ]", 2)[0].replaceFirst("^dynamo_frontend_", "");
      if (!METRICS.contains(name) && !IGNORED.containsKey("metrics." + name)) {
        replay.fault("not compared: metric=" + name);
      }
    }
  }

  private static void known(String place, JsonNode node, Replay replay) {
    Set<String> compared = COMPARED.getOrDefault(place, Set.of());
    for (Iterator<String> names = node.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      boolean choice = place.equals("expect.client") && name.matches("\\d+(\\.finish)?");
      if (!choice && !compared.contains(name) && !IGNORED.containsKey(place + "." + name)) {
        replay.fault("not compared: field=" + place + "." + name);
      }
    }
  }
}
