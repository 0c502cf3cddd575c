// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.core.token.TokenSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What was seen when the case was recorded. */
final class RecordedAnswer {
  private static final Pattern TOTAL =
      Pattern.compile("model_migration_total\\{migration_type=\"(\\w+)\".*} (\\d+)");
  private static final Pattern DURATION =
      Pattern.compile(
          "model_migration_duration_seconds_count\\{migration_type=\"(\\w+)\".*outcome=\"(\\w+)\"} (\\d+)");
  private static final Pattern EXCEEDED =
      Pattern.compile("model_migration_max_seq_len_exceeded_total\\{.*} (\\d+)");

  private RecordedAnswer() {}

  static Observation of(JsonNode content) {
    JsonNode client = content.path("expect").path("client").path(0);
    boolean completed =
        client.path("status").asInt() == 200
            && client.path("exception").isNull()
            && client.path("error").isMissingNode();
    return new Observation(
        dispatches(content), completed, texts(client), finishReasons(client), counters(content));
  }

  /** Returns whether the client saw the answer grow: a unary one that fails shows nothing. */
  static boolean isStreamed(JsonNode content) {
    return content.at("/client/0/request/body/stream").asBoolean();
  }

  /** Returns whether the text was put through a parser of tool calls. */
  static boolean hasTools(JsonNode content) {
    return content.at("/client/0/request/body").has("tools");
  }

  private static List<String> dispatches(JsonNode content) {
    List<String> dispatches = new ArrayList<>();
    for (JsonNode attempt : content.path("attempts")) {
      JsonNode request = attempt.path("request");
      dispatches.add(
          OurAnswer.show(
              TokenSlice.wrap(Fields.tokens(request, "token_ids")),
              MigrationCase.stopConditions(request.path("stop_conditions"))));
    }
    return dispatches;
  }

  private static Map<Integer, String> texts(JsonNode client) {
    Map<Integer, String> texts = new TreeMap<>();
    client
        .fields()
        .forEachRemaining(
            field -> {
              if (field.getKey().matches("\\d+") && !field.getValue().asText().isEmpty()) {
                texts.put(Integer.valueOf(field.getKey()), field.getValue().asText());
              }
            });
    return texts;
  }

  private static List<String> finishReasons(JsonNode client) {
    List<String> reasons = new ArrayList<>();
    if (client.has("finish_reasons_in_order")) {
      client.path("finish_reasons_in_order").forEach(each -> reasons.add(each.path(1).asText()));
    } else if (client.path("0.finish").isTextual()) {
      reasons.add(client.path("0.finish").asText());
    }
    return reasons;
  }

  private static Map<String, Long> counters(JsonNode content) {
    Map<String, Long> counters = new TreeMap<>();
    for (JsonNode line : content.path("expect").path("migration_metrics")) {
      Matcher total = TOTAL.matcher(line.asText());
      Matcher duration = DURATION.matcher(line.asText());
      Matcher exceeded = EXCEEDED.matcher(line.asText());
      if (total.matches()) {
        counters.put(total.group(1), Long.valueOf(total.group(2)));
      } else if (duration.matches()) {
        counters.put(duration.group(1) + "/" + duration.group(2), Long.valueOf(duration.group(3)));
      } else if (exceeded.matches()) {
        counters.put("exceeded", Long.valueOf(exceeded.group(1)));
      }
    }
    return counters;
  }
}
