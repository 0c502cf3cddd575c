// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How many requests ended how, by the names under which the recorded peer counts them. */
final class Outcomes {
  private static final Pattern REQUESTS =
      Pattern.compile(
          "(?:dynamo_frontend_)?requests_total\\{.*error_type=\"(\\w*)\".*status=\"(\\w+)\"} (\\d+)");
  private static final Pattern CANCELLATIONS =
      Pattern.compile("(?:dynamo_frontend_)?model_cancellation_total\\{.*} (\\d+)");
  private static final Pattern REJECTIONS =
      Pattern.compile("(?:dynamo_frontend_)?model_rejection_total\\{.*} (\\d+)");
  private static final String CANCELLED = "cancelled";
  private static final String CANCELLATIONS_KEY = "cancellation_total";
  private static final String REJECTIONS_KEY = "rejection_total";

  private Outcomes() {}

  /** Reads them from lines of metrics. */
  static Map<String, Long> recorded(JsonNode lines) {
    Map<String, Long> outcomes = new TreeMap<>();
    for (JsonNode line : lines) {
      Matcher requests = REQUESTS.matcher(line.asText());
      Matcher cancellations = CANCELLATIONS.matcher(line.asText());
      Matcher rejections = REJECTIONS.matcher(line.asText());
      if (requests.matches()) {
        outcomes.merge(
            type(requests.group(2), requests.group(1)), Long.valueOf(requests.group(3)), Long::sum);
      } else if (cancellations.matches()) {
        outcomes.merge(CANCELLATIONS_KEY, Long.valueOf(cancellations.group(1)), Long::sum);
      } else if (rejections.matches()) {
        outcomes.merge(REJECTIONS_KEY, Long.valueOf(rejections.group(1)), Long::sum);
      }
    }
    return outcomes;
  }

  /** There, a final time-out is internal or not by who saw it first; clients are told the same. */
  private static String type(String status, String type) {
    if (type.isEmpty()) {
      return status;
    }
    return type.equals("response_timeout") ? "internal" : type;
  }

  /**
   * Counts them. What the HTTP interface refuses is no request yet, there and here.
   *
   * @param cancelled how many requests ended because their client left
   */
  static Map<String, Long> of(MigrationCase recorded, List<Answer> answers, long cancelled) {
    Map<String, Long> outcomes = new TreeMap<>();
    for (int i = 0; i < answers.size(); i++) {
      if (recorded.clients().get(i).isMalformed()) {
        continue;
      }
      String end = answers.get(i).end();
      String type =
          switch (end) {
            case Answer.COMPLETED -> "success";
            case Answer.LEFT -> CANCELLED;
            case Answer.HANGING -> Answer.HANGING;
            case "failed:400" -> "validation";
            case "failed:499" -> CANCELLED;
            case "failed:503" -> "unavailable";
            case "failed:529" -> "overload";
            default -> "internal";
          };
      outcomes.merge(type, 1L, Long::sum);
      if (type.equals("overload")) {
        outcomes.merge(REJECTIONS_KEY, 1L, Long::sum);
      }
    }
    if (cancelled != 0) {
      outcomes.put(CANCELLATIONS_KEY, cancelled);
    }
    return outcomes;
  }
}
