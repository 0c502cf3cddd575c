// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Dispatches as texts that can be compared. */
final class Dispatches {
  private Dispatches() {}

  /** Shows everything that a worker received, and which worker it was. */
  static String show(MigrationCase recorded, String worker, JsonNode request) {
    JsonNode shown = recorded.isDisaggregated() ? withoutTransfer(request) : request;
    return worker + " " + RequestJson.canonical(shown);
  }

  /**
   * How prefill and decoding find each other is the routers' affair; that a prefill's result is
   * there is shown.
   */
  private static JsonNode withoutTransfer(JsonNode request) {
    ObjectNode copy = request.deepCopy();
    copy.remove("routing");
    copy.remove("router_config_override");
    if (copy.has("prefill_result")) {
      copy.put("prefill_result", "present");
    }
    return copy;
  }

  /** What the workers received of one request, in order, and what came of it. */
  record OfRequest(List<String> shown, List<String> events) {
    OfRequest() {
      this(new ArrayList<>(), new ArrayList<>());
    }
  }

  /** Sorts by what was received. */
  static List<OfRequest> inOrder(Collection<OfRequest> requests) {
    List<OfRequest> sorted = new ArrayList<>(requests);
    sorted.sort(
        Comparator.comparing((OfRequest each) -> String.valueOf(each.shown()))
            .thenComparing(each -> String.valueOf(each.events())));
    return sorted;
  }

  static List<List<String>> sorted(Collection<List<String>> byRequest) {
    List<List<String>> sorted = new ArrayList<>(byRequest);
    sorted.sort(Comparator.comparing(String::valueOf));
    return sorted;
  }
}
