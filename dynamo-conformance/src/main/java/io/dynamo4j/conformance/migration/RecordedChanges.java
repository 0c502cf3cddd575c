// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.conformance.Replay;
import java.util.HashMap;
import java.util.Map;

/**
 * What a recording says that changed from one dispatch of a request to the next. It must be what
 * did change: so every dispatch is looked at, also where ours would not make it.
 */
final class RecordedChanges {
  private static final String CHANGES = "changed_from_previous_dispatch";

  private RecordedChanges() {}

  /** Notes a fault where a dispatch is not the one before with the changes told. */
  static void judge(MigrationCase recorded, Replay replay) {
    Map<String, ObjectNode> last = new HashMap<>();
    int number = 0;
    for (JsonNode attempt : recorded.content().path("attempts")) {
      String request = attempt.path("ctx_id").asText();
      ObjectNode before = last.get(request);
      if (before != null) {
        replay.same(
            "attempts[" + number + "].request",
            attempt.path("request"),
            changed(before.deepCopy(), attempt.path(CHANGES)));
      } else if (attempt.has(CHANGES)) {
        replay.fault("attempts[" + number + "]: changes to no dispatch before");
      }
      if (attempt.path("request") instanceof ObjectNode received) {
        last.put(request, received);
      }
      number++;
    }
  }

  private static ObjectNode changed(ObjectNode request, JsonNode changes) {
    for (JsonNode change : changes) {
      String path = change.path("path").asText();
      int dot = path.lastIndexOf('.');
      JsonNode parent =
          dot < 0 ? request : request.at("/" + path.substring(0, dot).replace('.', '/'));
      if (!(parent instanceof ObjectNode fields)) {
        throw new MalformedCaseException("changed field has no place: path=" + path);
      }
      apply(fields, path.substring(dot + 1), change);
    }
    return request;
  }

  private static void apply(ObjectNode fields, String name, JsonNode change) {
    if (change.has("appended") && fields.path(name) instanceof ArrayNode values) {
      change.path("appended").forEach(values::add);
    } else if (change.has("added")) {
      fields.set(name, change.path("added"));
    } else if (change.has("removed")) {
      requireBefore(fields, name, change.path("removed"));
      fields.remove(name);
    } else if (change.has("to")) {
      requireBefore(fields, name, change.path("from"));
      fields.set(name, change.path("to"));
    } else {
      throw new MalformedCaseException("change is unknown: change=" + change);
    }
  }

  private static void requireBefore(ObjectNode fields, String name, JsonNode told) {
    if (!fields.path(name).equals(told)) {
      throw new MalformedCaseException(
          "changed field had another value: name=" + name + ", value=" + fields.path(name));
    }
  }
}
