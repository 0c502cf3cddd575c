// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.engine.EngineFramesReader;
import io.dynamo4j.conformance.plane.NatsCommandReader;
import io.dynamo4j.conformance.service.IndexerServiceRules;
import io.dynamo4j.conformance.service.SelectionServiceReader;
import io.dynamo4j.conformance.service.SlotTrackerReader;
import io.dynamo4j.conformance.tree.RadixTreeReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Every rule for recordings that are not replayed; {@code not-ours.txt} says why of each. */
final class NotOursRules {
  private static final Pattern RUN = Pattern.compile("[A-Z]\\d+");

  private NotOursRules() {}

  static List<NotOursRule> all() {
    List<NotOursRule> rules = new ArrayList<>();
    rules.add(RadixTreeReader.JSON_EVENTS);
    rules.add(EngineFramesReader.WITHOUT_MESSAGES);
    rules.add(SelectionServiceReader.PROTOCOL_ALONE);
    rules.add(SlotTrackerReader.PROTOCOL_ALONE);
    rules.addAll(IndexerServiceRules.all());
    rules.add(NatsCommandReader.OF_THE_CLIENT);
    rules.add(new NotOursRule("frontend-answer", NotOursRules::isFrontendAnswer));
    rules.add(new NotOursRule("recorder-note", NotOursRules::isNote));
    rules.add(new NotOursRule("probe-of-a-peer", NotOursRules::isProbe));
    rules.add(new NotOursRule("trace-replay-run", NotOursRules::isTraceRun));
    rules.add(new NotOursRule("router-run-summary", NotOursRules::isRunSummary));
    return rules;
  }

  private static boolean isFrontendAnswer(JsonNode content) {
    boolean isHttp = content.has("path") && content.has("lines_total");
    boolean isOfWorker = content.has("mode") && content.has("controls_received");
    return isHttp || isOfWorker || (content.has("variant") && content.has("seen"));
  }

  private static boolean isNote(JsonNode content) {
    return content.has("t_s") && content.has("what");
  }

  private static boolean isProbe(JsonNode content) {
    boolean isCall = content.has("trace") && content.has("options");
    return content.has("what") && (isCall || (content.has("sent") && content.has("got")));
  }

  private static boolean isTraceRun(JsonNode content) {
    return content.has("trace") && content.has("summary") && content.has("policy");
  }

  /** Figures of runs, by the run's letter and number. */
  private static boolean isRunSummary(JsonNode content) {
    if (content.has("expiry_s") && content.has("trace")) {
      return true;
    }
    int runs = 0;
    for (Map.Entry<String, JsonNode> field : content.properties()) {
      runs += RUN.matcher(field.getKey()).matches() ? 1 : 0;
    }
    return runs > 0;
  }
}
