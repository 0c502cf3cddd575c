// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.kvrouter.RequestLease;
import io.dynamo4j.kvrouter.SchedulingRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Who waits and who goes, against what the recorded router said. */
final class QueueCheck {
  /** In the recorded router a question without a booking waits like a request. */
  static final String QUESTIONS_NEVER_WAIT = "router-questions-never-wait";

  /** In the recorded router a request waits though every worker is beyond a busy threshold. */
  static final String OVERLOAD_IS_TOLD = "router-overload-is-told-at-once";

  private static final double BETWEEN_ARRIVALS = 0.02;

  private final OurRouter ours;
  private final Replay replay;
  private final Map<String, CompletableFuture<RequestLease>> waiting = new LinkedHashMap<>();

  QueueCheck(OurRouter ours, Replay replay) {
    this.ours = ours;
    this.replay = replay;
  }

  /** Requests that come one after another. */
  void submit(JsonNode step, String where) {
    JsonNode result = Fields.required(step, "result");
    int questions = 0;
    for (JsonNode arrival : Fields.array(step, "arrivals")) {
      if (arrival.has("request_id")) {
        ask(Prompts.of(Fields.text(arrival, "request_id"), arrival));
      } else {
        ours.query(Prompts.of("question", arrival));
        questions++;
      }
      ours.sleep(BETWEEN_ARRIVALS);
    }
    if (questions > 0) {
      replay.deviation(QUESTIONS_NEVER_WAIT, where + ": questions=" + questions);
    }
    List<String> recorded = new ArrayList<>();
    Fields.array(result, "admitted_at_once").forEach(id -> recorded.add(id.asText()));
    replay.same(where + ": errors", 0, Fields.array(result, "errors").size());
    replay.same(where, recorded, List.copyOf(admitted().keySet()));
  }

  /** Whoever goes once a prompt is computed. */
  void compareAdmitted(JsonNode step, String where) {
    JsonNode result = step.path("result").path("then_admitted");
    ours.settle();
    Map<String, String> recorded = new TreeMap<>();
    for (JsonNode each : result) {
      if (!each.path(0).isNull()) {
        recorded.put(each.path(0).asText(), DecisionCheck.answer(each.path(1)));
      }
    }
    replay.same(where + ": admitted", recorded, admitted());
  }

  /** A request that the recorded router still kept waiting when the recording gave it up. */
  void timedOut(SchedulingRequest request, String where) {
    CompletableFuture<RequestLease> lease = ours.select(request).toCompletableFuture();
    ours.settle();
    try {
      RequestLease got = lease.getNow(null);
      if (got != null) {
        replay.fault(where + ": recorded=waits, ours=" + got);
      }
    } catch (CompletionException failed) {
      boolean isOverload =
          failed.getCause() instanceof DynamoException typed
              && typed.errorType() == ErrorType.CAPACITY_EXHAUSTED;
      if (isOverload) {
        replay.deviation(OVERLOAD_IS_TOLD, where + ": ours=" + failed.getCause());
      } else {
        replay.fault(where + ": recorded=waits, ours=" + failed.getCause());
      }
    }
  }

  /** Five requests of other urgencies behind one that runs, 50 ms apart, served one at a time. */
  void priorities(JsonNode result, String where) {
    ask(urgent("a", 0, 0));
    ours.sleep(0.05);
    ask(urgent("b", 0, 0));
    ours.sleep(0.05);
    ask(urgent("c", 5, 0));
    ours.sleep(0.05);
    ask(urgent("d", 0.01, 0));
    ours.sleep(0.05);
    ask(urgent("e", 0, 1));
    ours.sleep(0.05);
    ask(urgent("f", 100, 0));
    ours.settle();
    List<String> served = new ArrayList<>();
    for (Map<String, String> next = admitted(); !next.isEmpty(); next = admitted()) {
      for (String id : next.keySet()) {
        served.add(id);
        ours.free(id);
      }
      ours.settle();
    }
    List<String> recorded = new ArrayList<>();
    Fields.array(result, "served").forEach(id -> recorded.add(id.asText()));
    replay.same(where, recorded, served);
  }

  private static SchedulingRequest urgent(String id, double jump, long strict) {
    return SchedulingRequest.builder(id, Prompts.tokens(1_000 * id.charAt(0), 60))
        .routing(RoutingHints.builder().priorityJumpSeconds(jump).strictPriority(strict).build())
        .build();
  }

  private void ask(SchedulingRequest request) {
    waiting.put(request.key().requestId(), ours.select(request).toCompletableFuture());
  }

  /** Returns who went since the last time, with where to. */
  private Map<String, String> admitted() {
    Map<String, String> admitted = new TreeMap<>();
    waiting.forEach(
        (id, lease) -> {
          RequestLease got = lease.getNow(null);
          if (got != null) {
            admitted.put(id, DecisionCheck.answer(got.selection()));
            ours.keep(id, got);
          }
        });
    waiting.keySet().removeAll(admitted.keySet());
    return admitted;
  }
}
