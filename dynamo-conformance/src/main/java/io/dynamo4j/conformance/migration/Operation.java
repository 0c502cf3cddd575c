// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.dynamo4j.conformance.MalformedCaseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Something done to a worker.
 *
 * @param atNanos when, counted from the first request; before it if negative
 */
record Operation(long atNanos, String verb, String worker) {
  private static final Set<String> VERBS =
      Set.of("kill", "stop", "cont", "sigterm", "spawn", "unregister");
  private static final double NANOS_PER_SECOND = 1e9;

  /** Reads a case's timeline. */
  static List<Operation> all(JsonNode timeline) {
    WorkerSetup.refuseUnknown(timeline, Set.of("pre", "during"));
    List<Operation> operations = new ArrayList<>();
    long now = 0;
    for (JsonNode each : timeline.path("pre")) {
      if (each.path(0).asText().equals("sleep")) {
        now += (long) (each.path(1).asDouble() * NANOS_PER_SECOND);
      } else {
        operations.add(of(now, each));
      }
    }
    long before = now;
    operations.replaceAll(each -> new Operation(each.atNanos - before, each.verb, each.worker));
    for (JsonNode each : timeline.path("during")) {
      addDuring(operations, each);
    }
    return operations;
  }

  /** A number somewhere in the entry says when; the rest, nested or not, says what. */
  private static void addDuring(List<Operation> operations, JsonNode entry) {
    double at = 0;
    @Nullable JsonNode nested = null;
    ArrayNode words = JsonNodeFactory.instance.arrayNode();
    for (JsonNode part : entry) {
      if (part.isNumber()) {
        at = part.asDouble();
      } else if (part.isArray()) {
        nested = part;
      } else {
        words.add(part);
      }
    }
    JsonNode what = nested == null ? words : nested;
    if (!what.path(0).asText().equals("sleep")) {
      operations.add(of((long) (at * NANOS_PER_SECOND), what));
    }
  }

  private static Operation of(long at, JsonNode what) {
    String verb = what.path(0).asText();
    String worker = what.path(1).asText();
    if (!VERBS.contains(verb) || worker.isEmpty()) {
      throw new MalformedCaseException("operation is unknown: operation=" + what);
    }
    return new Operation(at, verb, worker);
  }
}
