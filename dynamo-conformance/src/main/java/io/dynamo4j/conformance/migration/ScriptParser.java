// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the steps that recorded workers followed. */
final class ScriptParser {
  private static final int DEFAULT_ANSWER_TOKENS = 8;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private static final Map<String, ErrorType> RAISED =
      Map.ofEntries(
          Map.entry("CannotConnect", ErrorType.BACKEND_CANNOT_CONNECT),
          Map.entry("Disconnected", ErrorType.BACKEND_DISCONNECTED),
          Map.entry("ConnectionTimeout", ErrorType.BACKEND_CONNECTION_TIMEOUT),
          Map.entry("EngineShutdown", ErrorType.ENGINE_SHUTDOWN),
          Map.entry("StreamIncomplete", ErrorType.STREAM_INCOMPLETE),
          Map.entry("WorkerUnavailable", ErrorType.WORKER_UNAVAILABLE),
          Map.entry("Cancelled", ErrorType.BACKEND_CANCELLED),
          Map.entry("CancelledError", ErrorType.BACKEND_CANCELLED),
          Map.entry("InvalidArgument", ErrorType.BACKEND_INVALID_ARGUMENT),
          Map.entry("ValueError", ErrorType.BACKEND_UNKNOWN),
          Map.entry("TypeError", ErrorType.BACKEND_UNKNOWN),
          Map.entry("HttpError", ErrorType.BACKEND_UNKNOWN),
          Map.entry("RuntimeError", ErrorType.BACKEND_UNKNOWN),
          Map.entry("Unknown", ErrorType.BACKEND_UNKNOWN),
          Map.entry("DynamoException", ErrorType.BACKEND_UNKNOWN));

  private ScriptParser() {}

  /** Returns the script of a dispatch that the case says nothing about. */
  static List<Act> standard() {
    return List.of(new Act.UpTo(DEFAULT_ANSWER_TOKENS), new Act.End());
  }

  /**
   * Reads one script.
   *
   * @param sequence what is generated, by position after the original prompt
   */
  static List<Act> parse(JsonNode script, String sequence) {
    List<Act> acts = new ArrayList<>();
    for (JsonNode step : script) {
      add(acts, step, sequence);
    }
    acts.add(new Act.End());
    return acts;
  }

  private static void add(List<Act> acts, JsonNode step, String sequence) {
    String name = step.path(0).asText();
    switch (name) {
      case "tok" -> {
        for (int i = 0; i < step.path(1).asInt(); i++) {
          acts.add(new Act.Generate(1, null));
        }
      }
      case "multi" -> acts.add(new Act.Generate(step.path(1).asInt(), null));
      case "tokfinish" -> acts.add(new Act.Generate(1, reason(step.path(1))));
      case "finish" -> acts.add(new Act.Generate(0, reason(step.path(1))));
      case "raw" -> acts.add(raw(step.path(1)));
      case "idx" -> addChoices(acts, step, sequence);
      case "upto" -> acts.add(new Act.UpTo(step.path(1).asInt(Integer.MAX_VALUE)));
      case "sleep" -> acts.add(new Act.Sleep((long) (step.path(1).asDouble() * NANOS_PER_SECOND)));
      case "exit" -> acts.add(new Act.Fail(ErrorType.DISCONNECTED));
      case "raise" -> acts.add(new Act.Fail(raised(step.path(1).asText())));
      case "return" -> acts.add(new Act.End());
      default -> throw new MalformedCaseException("script step is unknown: step=" + name);
    }
  }

  private static void addChoices(List<Act> acts, JsonNode step, String sequence) {
    for (int i = 0; i < step.path(1).asInt(); i++) {
      for (int choice = 0; choice < step.path(2).asInt(); choice++) {
        acts.add(new Act.Chunk(List.of((int) sequence.charAt(i)), choice, null));
      }
    }
  }

  /** A chunk that cannot be decoded breaks the protocol. */
  private static Act raw(JsonNode chunk) {
    JsonNode finish = chunk.path("finish_reason");
    boolean decodable = chunk.has("token_ids") && (isAbsent(finish) || reason(finish) != null);
    if (!decodable) {
      return new Act.Fail(ErrorType.BACKEND_PROTOCOL);
    }
    List<Integer> tokens = new ArrayList<>();
    for (int token : Fields.tokens(chunk, "token_ids")) {
      tokens.add(token);
    }
    return new Act.Chunk(tokens, chunk.path("index").asInt(), reason(finish));
  }

  private static ErrorType raised(String name) {
    ErrorType type = RAISED.get(name);
    if (type == null) {
      throw new MalformedCaseException("raised class is unknown: class=" + name);
    }
    return type;
  }

  private static boolean isAbsent(JsonNode node) {
    return node.isMissingNode() || node.isNull();
  }

  private static @Nullable FinishReason reason(JsonNode node) {
    if (node.isObject() && node.has("error")) {
      return FinishReason.ERROR;
    }
    if (node.asText().equals("abort")) {
      return FinishReason.CANCELLED;
    }
    for (FinishReason reason : FinishReason.values()) {
      if (reason.wireName().equals(node.asText())) {
        return reason;
      }
    }
    return null;
  }
}
