// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the steps that recorded workers followed. */
final class ScriptParser {
  static final int DEFAULT_ANSWER_TOKENS = 8;

  /** Stands for the class where nothing is raised but a chunk cannot be decoded. */
  static final String UNDECODABLE = "";

  private static final double NANOS_PER_SECOND = 1e9;

  /** What the classes that workers raised are to their caller, within a stream. */
  private static final Map<String, ErrorType> RAISED =
      Map.ofEntries(
          Map.entry("CannotConnect", ErrorType.BACKEND_CANNOT_CONNECT),
          Map.entry("Disconnected", ErrorType.BACKEND_DISCONNECTED),
          Map.entry("ConnectionTimeout", ErrorType.BACKEND_CONNECTION_TIMEOUT),
          Map.entry("EngineShutdown", ErrorType.ENGINE_SHUTDOWN),
          Map.entry("StreamIncomplete", ErrorType.STREAM_INCOMPLETE),
          Map.entry("WorkerUnavailable", ErrorType.WORKER_UNAVAILABLE),
          Map.entry("ResponseTimeout", ErrorType.RESPONSE_TIMEOUT),
          Map.entry("WorkerOverloaded", ErrorType.WORKER_OVERLOADED),
          Map.entry("Unavailable", ErrorType.UNAVAILABLE),
          Map.entry("ResourceExhausted", ErrorType.CAPACITY_EXHAUSTED),
          Map.entry("PoolExhausted", ErrorType.POOL_EXHAUSTED),
          Map.entry("DeadlineExceeded", ErrorType.DEADLINE_EXCEEDED),
          Map.entry("Cancelled", ErrorType.BACKEND_CANCELLED),
          Map.entry("CancelledError", ErrorType.BACKEND_CANCELLED),
          Map.entry("InvalidArgument", ErrorType.BACKEND_INVALID_ARGUMENT),
          Map.entry("ValueError", ErrorType.BACKEND_INVALID_ARGUMENT),
          Map.entry("TypeError", ErrorType.BACKEND_INVALID_ARGUMENT),
          Map.entry("RuntimeError", ErrorType.BACKEND_UNKNOWN),
          Map.entry("Unknown", ErrorType.BACKEND_UNKNOWN),
          Map.entry("DynamoException", ErrorType.BACKEND_UNKNOWN));

  /** What they are where the stream was not open yet: only a class of the protocol is one then. */
  private static final Map<String, ErrorType> REFUSED =
      Map.of(
          "ValueError", ErrorType.BACKEND_UNKNOWN,
          "TypeError", ErrorType.BACKEND_UNKNOWN,
          "CancelledError", ErrorType.BACKEND_UNKNOWN);

  private ScriptParser() {}

  /** Returns the script of a dispatch that the case says nothing about. */
  static List<Act> standard() {
    return List.of(new Act.UpTo(DEFAULT_ANSWER_TOKENS), new Act.End());
  }

  /** Returns what a worker that raises before its stream opens is to its caller. */
  static ErrorType refusal(String name) {
    ErrorType untyped = REFUSED.get(name);
    return untyped != null ? untyped : raised(name);
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
      case "tok" -> addTokens(acts, step);
      case "multi" -> acts.add(new Act.Generate(count(step, 1), null));
      case "tokfinish" -> acts.add(new Act.Generate(1, knownReason(step.path(1))));
      case "finish" -> acts.add(new Act.Generate(0, knownReason(step.path(1))));
      case "raw" -> acts.add(raw(step.path(1)));
      case "idx" -> addChoices(acts, step, sequence);
      case "upto" -> acts.add(new Act.UpTo(step.has(1) ? count(step, 1) : Integer.MAX_VALUE));
      case "sleep" -> acts.add(new Act.Sleep(nanos(step, 1)));
      case "hang" -> acts.add(new Act.Hang());
      case "waitstop" -> acts.add(new Act.WaitStop(nanos(step, 1)));
      case "freeze" -> acts.add(new Act.Freeze());
      case "exit" -> acts.add(new Act.Exit());
      case "sigterm", "unregister" -> acts.add(new Act.Leave());
      case "raise" -> acts.add(new Act.Fail(raised(step), step.path(1).asText()));
      case "return" -> acts.add(new Act.End());
      default -> throw new MalformedCaseException("script step is unknown: step=" + name);
    }
  }

  private static void addTokens(List<Act> acts, JsonNode step) {
    for (int i = 0; i < count(step, 1); i++) {
      acts.add(new Act.Generate(1, null));
      if (step.has(2)) {
        acts.add(new Act.Sleep(nanos(step, 2)));
      }
    }
  }

  private static void addChoices(List<Act> acts, JsonNode step, String sequence) {
    for (int i = 0; i < count(step, 1); i++) {
      for (int choice = 0; choice < count(step, 2); choice++) {
        int token = sequence.charAt(i % sequence.length());
        acts.add(new Act.Chunk(List.of(token), choice, null, null));
      }
    }
  }

  private static int count(JsonNode step, int index) {
    JsonNode count = step.path(index);
    if (!count.canConvertToInt() || !count.isIntegralNumber() || count.intValue() < 0) {
      throw new MalformedCaseException("script step has no count: step=" + step);
    }
    return count.intValue();
  }

  private static long nanos(JsonNode step, int index) {
    if (!step.path(index).isNumber()) {
      throw new MalformedCaseException("script step has no duration: step=" + step);
    }
    return (long) (step.path(index).doubleValue() * NANOS_PER_SECOND);
  }

  /** A chunk that cannot be decoded breaks the protocol. */
  private static Act raw(JsonNode chunk) {
    JsonNode finish = chunk.path("finish_reason");
    boolean decodable = chunk.has("token_ids") && (isAbsent(finish) || reason(finish) != null);
    if (!decodable) {
      return new Act.Fail(ErrorType.BACKEND_PROTOCOL, UNDECODABLE);
    }
    List<Integer> tokens = new ArrayList<>();
    for (int token : Fields.tokens(chunk, "token_ids")) {
      tokens.add(token);
    }
    return new Act.Chunk(
        tokens, chunk.path("index").asInt(), reason(finish), usage(chunk.path("completion_usage")));
  }

  private static @Nullable CompletionUsage usage(JsonNode usage) {
    return isAbsent(usage)
        ? null
        : new CompletionUsage(
            usage.path("prompt_tokens").asLong(),
            usage.path("completion_tokens").asLong(),
            usage.at("/prompt_tokens_details/cached_tokens").asLong(CompletionUsage.UNKNOWN));
  }

  private static ErrorType raised(JsonNode step) {
    String name = step.path(1).asText();
    if (name.equals("HttpError")) {
      return step.path(3).asInt() >= 500
          ? ErrorType.UNAVAILABLE
          : ErrorType.BACKEND_INVALID_ARGUMENT;
    }
    return raised(name);
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

  private static FinishReason knownReason(JsonNode node) {
    FinishReason reason = reason(node);
    if (reason == null) {
      throw new MalformedCaseException("finish reason is unknown: reason=" + node);
    }
    return reason;
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
