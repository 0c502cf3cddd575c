// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One call of a service as recorded, by HTTP or in its process.
 *
 * @param call method and path, or the name of the function; without the ids that stand in a path
 * @param id the reservation or worker that the path names, empty if it names none
 * @param query what follows the path
 * @param body what was sent, missing if nothing that could be parsed
 * @param outcome how the service took it
 * @param result what it answered
 * @param cost the price that the service logged with the answer, null if it is not recorded
 */
record ServiceStep(
    String call,
    String id,
    Map<String, String> query,
    JsonNode body,
    Outcome outcome,
    JsonNode result,
    @Nullable Double cost) {
  /** Refused by whatever parses requests: no operation ran. */
  private static final Set<Integer> UNPARSED = Set.of(405, 413, 415, 422);

  /** How a service took a call. */
  enum Outcome {
    DONE,
    /** It never reached an operation. */
    UNPARSED,
    /** A value is out of range or does not fit another. */
    INVALID,
    NOT_FOUND,
    CONFLICT,
    /** Nobody there, or nobody eligible. */
    UNAVAILABLE
  }

  /**
   * Reads an HTTP step.
   *
   * @throws MalformedCaseException if it cannot be understood
   */
  static ServiceStep ofHttp(JsonNode step) {
    String[] target = Fields.text(step, "path").split("\\?", 2);
    String[] parts = target[0].split("/", -1);
    boolean named = parts.length > 2 && (parts[1].equals("reservations") || isWorker(parts));
    String path = named ? named(parts) : target[0];
    JsonNode body = step.has("body") ? step.get("body") : MissingNode.getInstance();
    return new ServiceStep(
        Fields.text(step, "method") + " " + path,
        named ? URLDecoder.decode(parts[2], StandardCharsets.UTF_8) : "",
        query(target.length > 1 ? target[1] : ""),
        body,
        outcome(step),
        step.path("response"),
        null);
  }

  /**
   * Reads a call within a process: arguments by position, first a map or an id, and by name.
   *
   * @throws MalformedCaseException if it cannot be understood
   */
  static ServiceStep ofCall(JsonNode step) {
    JsonNode first = step.path("args").path(0);
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    if (first.isObject()) {
      body.setAll((ObjectNode) first);
    }
    if (step.path("kwargs").isObject()) {
      body.setAll((ObjectNode) step.get("kwargs"));
    }
    Map<String, String> query = new LinkedHashMap<>();
    step.path("kwargs").properties().forEach(e -> query.put(e.getKey(), e.getValue().asText()));
    if (!step.has("result")) {
      throw new MalformedCaseException("call has no result: call=" + step.path("call"));
    }
    return new ServiceStep(
        Fields.text(step, "call").replaceFirst(" \\(.* timeout\\)$", ""),
        first.isValueNode() ? first.asText() : "",
        query,
        body,
        outcomeOfCall(step.get("result")),
        step.get("result"),
        step.path("cost").isNumber() ? step.get("cost").doubleValue() : null);
  }

  private static Outcome outcomeOfCall(JsonNode result) {
    if (!result.has("error")) {
      return Outcome.DONE;
    }
    return result.path("status_code").isIntegralNumber()
        ? outcome(result.get("status_code").intValue())
        : Outcome.UNPARSED;
  }

  private static boolean isWorker(String[] parts) {
    return parts[1].equals("workers");
  }

  private static String named(String[] parts) {
    StringBuilder path = new StringBuilder("/" + parts[1] + "/{id}");
    for (int i = 3; i < parts.length; i++) {
      path.append('/').append(parts[i]);
    }
    return path.toString();
  }

  private static Map<String, String> query(String text) {
    Map<String, String> query = new LinkedHashMap<>();
    for (String pair : text.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        query.put(pair.substring(0, equals), pair.substring(equals + 1));
      }
    }
    return query;
  }

  private static Outcome outcome(JsonNode step) {
    JsonNode status = Fields.required(step, "status");
    if (!status.isIntegralNumber()) {
      return Outcome.UNPARSED;
    }
    int code = status.intValue();
    String error = step.path("response").path("error").asText();
    if (UNPARSED.contains(code) || step.has("headers") || isUnparsedText(error)) {
      return Outcome.UNPARSED;
    }
    return outcome(code);
  }

  private static Outcome outcome(int code) {
    return switch (code) {
      case 200, 201 -> Outcome.DONE;
      case 400 -> Outcome.INVALID;
      case 404 -> Outcome.NOT_FOUND;
      case 409 -> Outcome.CONFLICT;
      case 503 -> Outcome.UNAVAILABLE;
      default -> throw new MalformedCaseException("status is unknown: status=" + code);
    };
  }

  private static boolean isUnparsedText(String error) {
    return error.startsWith("Failed to parse")
        || error.equals("route not found")
        || error.startsWith("Invalid URL")
        || error.startsWith("Cannot parse");
  }

  boolean isDone() {
    return outcome == Outcome.DONE;
  }

  /** Returns which workers the call is about: its model and group, both {@code default}. */
  String partition() {
    return text("model_name") + ":" + text("routing_group");
  }

  private String text(String name) {
    String value = Fields.textOrEmpty(body, name);
    return value.isEmpty() ? "default" : value;
  }

  /** Returns whether a filter of the query lets a partition through. */
  boolean shows(String modelName, String routingGroup) {
    return query.getOrDefault("model_name", modelName).equals(modelName)
        && query.getOrDefault("routing_group", routingGroup).equals(routingGroup);
  }
}
