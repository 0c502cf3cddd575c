// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.migration;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Replay;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What was seen when a case was recorded. It is told twice, in full and in short. */
final class RecordedCase {
  private static final String PREFIX = "(?:dynamo_frontend_)?model_migration_";
  private static final Pattern TOTAL =
      Pattern.compile(PREFIX + "total\\{migration_type=\"(\\w+)\".*} (\\d+)");
  private static final Pattern DURATION =
      Pattern.compile(
          PREFIX
              + "duration_seconds_count\\{migration_type=\"(\\w+)\".*outcome=\"(\\w+)\"} (\\d+)");
  private static final Pattern EXCEEDED =
      Pattern.compile(PREFIX + "max_seq_len_exceeded_total\\{.*} (\\d+)");
  private static final Pattern OUTPUT =
      Pattern.compile("dynamo_frontend_output_tokens_total\\{.*} (\\d+)");

  private RecordedCase() {}

  static Seen of(MigrationCase recorded) {
    List<Dispatches.OfRequest> requests = new ArrayList<>();
    recorded
        .recordedDispatches()
        .forEach(
            (id, attempts) -> {
              Dispatches.OfRequest request = new Dispatches.OfRequest();
              for (JsonNode attempt : attempts) {
                String worker = attempt.path("worker").asText();
                request.shown().add(Dispatches.show(recorded, worker, attempt.path("request")));
                request.events().add(WorkerEvents.recorded(attempt));
              }
              requests.add(request);
            });
    List<Dispatches.OfRequest> dispatches = Dispatches.inOrder(requests);
    return new Seen(
        dispatches.stream().map(Dispatches.OfRequest::shown).toList(),
        dispatches.stream().map(Dispatches.OfRequest::events).toList(),
        recorded.clients().stream().map(RecordedAnswer::of).toList(),
        counters(recorded.content().path("metrics_after")),
        outputTokens(recorded.content().path("metrics_after")),
        Outcomes.recorded(recorded.content().path("metrics_after")));
  }

  private static long outputTokens(JsonNode lines) {
    long tokens = 0;
    for (JsonNode line : lines) {
      Matcher output = OUTPUT.matcher(line.asText());
      tokens += output.matches() ? Long.parseLong(output.group(1)) : 0;
    }
    return tokens;
  }

  private static Map<String, Long> counters(JsonNode lines) {
    Map<String, Long> counters = new TreeMap<>();
    for (JsonNode line : lines) {
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

  /** Notes a fault where the short form and the full one differ: one of them was tampered with. */
  static void judgeShortForm(MigrationCase recorded, Seen full, Replay replay) {
    JsonNode expect = recorded.content().path("expect");
    replay.same(
        "expect.dispatches",
        recorded.content().path("attempts").size(),
        expect.path("dispatches").asInt());
    replay.same(
        "expect.migration_metrics", full.counters(), counters(expect.path("migration_metrics")));
    Map<String, Long> brief = Outcomes.recorded(expect.path("migration_metrics"));
    replay.same("expect.migration_metrics", full.outcomes(), brief);
    judgeDispatches(recorded, expect.path("per_request"), replay);
    RecordedChanges.judge(recorded, replay);
    replay.same("expect.client", full.answers().size(), expect.path("client").size());
    for (int i = 0; i < full.answers().size() && i < expect.path("client").size(); i++) {
      judgeAnswer(
          i,
          recorded.clients().get(i),
          full.answers().get(i),
          expect.path("client").get(i),
          replay);
    }
  }

  private static void judgeDispatches(MigrationCase recorded, JsonNode perRequest, Replay replay) {
    List<String> full = new ArrayList<>();
    recorded
        .recordedDispatches()
        .forEach(
            (id, attempts) -> {
              for (JsonNode attempt : attempts) {
                JsonNode request = attempt.path("request");
                full.add(
                    id
                        + " "
                        + request.path("token_ids").size()
                        + " "
                        + request.at("/stop_conditions/max_tokens")
                        + " "
                        + request.at("/stop_conditions/min_tokens"));
              }
            });
    List<String> brief = new ArrayList<>();
    for (JsonNode request : perRequest) {
      for (JsonNode dispatch : request.path("dispatch")) {
        brief.add(
            request.path("ctx_id").asText()
                + " "
                + dispatch.path("token_ids_len").asInt()
                + " "
                + dispatch.path("max_tokens")
                + " "
                + dispatch.path("min_tokens"));
      }
    }
    full.sort(null);
    brief.sort(null);
    replay.same("expect.per_request", full, brief);
  }

  private static String end(ClientSetup setup, JsonNode brief) {
    int status = brief.path("status").asInt();
    if (status != 200) {
      return RecordedAnswer.refused(status);
    }
    if (brief.path("error").isObject()) {
      return Answer.failed(brief.at("/error/code").asInt());
    }
    return brief.path("done").asBoolean() || !setup.isStreamed()
        ? Answer.COMPLETED
        : Answer.failed(0);
  }

  private static void judgeAnswer(
      int number, ClientSetup setup, Answer full, JsonNode brief, Replay replay) {
    if (!setup.api().hasChoices()) {
      return;
    }
    String what = "expect.client[" + number + "].";
    Map<Integer, String> texts = new TreeMap<>();
    brief
        .fields()
        .forEachRemaining(
            field -> {
              if (field.getKey().matches("\\d+")
                  && !field.getValue().asText("").isEmpty()
                  && field.getValue().isTextual()) {
                texts.put(Integer.valueOf(field.getKey()), field.getValue().asText());
              }
            });
    replay.same(what + "text", full.texts(), texts);
    if (!full.end().equals(Answer.LEFT)) {
      replay.same(what + "end", full.end(), end(setup, brief));
    }
    Map<Integer, List<String>> reasons = new TreeMap<>();
    for (JsonNode each : brief.path("finish_reasons_in_order")) {
      reasons
          .computeIfAbsent(each.path(0).asInt(), key -> new ArrayList<>())
          .add(each.path(1).asText());
    }
    if (!brief.has("finish_reasons_in_order")) {
      full.finishReasons()
          .keySet()
          .forEach(choice -> reasons.put(choice, List.of(brief.path(choice + ".finish").asText())));
    }
    replay.same(what + "finish", full.finishReasons(), reasons);
    JsonNode usage = brief.path("usage");
    if (usage.has("completion_tokens") && full.usage() != null) {
      replay.same(
          what + "usage",
          full.usage().promptTokens() + "+" + full.usage().completionTokens(),
          usage.path("prompt_tokens").asLong() + "+" + usage.path("completion_tokens").asLong());
    }
  }
}
