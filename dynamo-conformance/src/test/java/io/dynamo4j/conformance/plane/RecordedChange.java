// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.plane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Changes one value of a recording, as a recorder that erred would. */
final class RecordedChange {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private RecordedChange() {}

  /** Changes the value at a place, counted around; returns false if there is none. */
  static boolean change(JsonNode recorded, int place) {
    List<Runnable> changes = new ArrayList<>();
    collect(recorded, changes);
    if (changes.isEmpty()) {
      return false;
    }
    changes.get(Math.floorMod(place, changes.size())).run();
    return true;
  }

  private static void collect(JsonNode node, List<Runnable> changes) {
    if (node instanceof ObjectNode object) {
      if (object.has("$undecodable") || object.has("$bin")) {
        return;
      }
      object
          .properties()
          .forEach(
              entry ->
                  collect(entry.getValue(), value -> object.set(entry.getKey(), value), changes));
    } else if (node instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        int at = i;
        collect(array.get(i), value -> array.set(at, value), changes);
      }
    }
  }

  private static void collect(JsonNode node, Consumer<JsonNode> set, List<Runnable> changes) {
    if (node.isContainerNode()) {
      collect(node, changes);
    } else {
      changes.add(() -> set.accept(changed(node)));
    }
  }

  private static JsonNode changed(JsonNode value) {
    if (value.isBoolean()) {
      return NODES.booleanNode(!value.booleanValue());
    }
    if (value.isIntegralNumber()) {
      return NODES.numberNode(value.longValue() + 1);
    }
    if (value.isNumber()) {
      return NODES.numberNode(value.doubleValue() + 1.5);
    }
    return value.isNull() ? NODES.numberNode(1) : NODES.textNode("1" + value.asText());
  }
}
