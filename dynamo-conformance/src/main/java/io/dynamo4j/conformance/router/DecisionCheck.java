// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.conformance.router.SteeredSelector.Row;
import io.dynamo4j.conformance.tree.Indexes;
import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.ApproximateCachePolicy;
import io.dynamo4j.kvrouter.NoEligibleWorkerException;
import io.dynamo4j.kvrouter.RequestLease;
import io.dynamo4j.kvrouter.SchedulingRequest;
import io.dynamo4j.kvrouter.WorkerSelectionResult;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Winners, single or counted, and errors, against what the recorded router said. */
record DecisionCheck(
    RouterSetup setup, OurRouter ours, EventViews views, Replay replay, QueueCheck queue) {
  /** The recorded router checks a request's own weights and then scores as configured. */
  static final String OVERRIDES_ACT = RouterReader.OVERRIDES_ACT;

  /** The recorded router takes a rank without a worker for no wish at all. */
  static final String RANK_ACTS = "router-rank-alone-acts";

  private static final int DRAWS = 200;
  private static final int OUTPUT_TOKENS = 2;
  private static final long UNKNOWN_WORKER = 99;

  void best(JsonNode step, String where) {
    JsonNode result = Fields.required(step, "result");
    String id = Fields.textOrEmpty(step, "request_id");
    boolean books = step.has("request_id");
    SchedulingRequest request;
    try {
      request = Prompts.of(books ? id : "query", step);
      if (result.has("error")) {
        expectError(request, books, result, where);
        return;
      }
      if (result.has("timeout")) {
        queue.timedOut(request, where);
        return;
      }
      compare(step, request, counts(step, result), where);
    } catch (DynamoException | IllegalArgumentException failure) {
      compareError(result, failure, where);
      return;
    }
    if (books) {
      ours.keep(id, ours.book(request, winner(result)));
    } else if (step.path("update_indexer").asBoolean() && !setup.usesEvents()) {
      tell(request, winner(result));
    }
  }

  /** The recorded router notes a decision that it neither books nor sends. */
  private void tell(SchedulingRequest request, WorkerWithDpRank worker) {
    views.told(worker, request.tokenIds());
    if (setup.config().routerApproximateCachePolicy() == ApproximateCachePolicy.TTL) {
      SchedulingRequest told =
          SchedulingRequest.builder("told", request.tokenIds()).routing(request.routing()).build();
      ours.book(told, worker).close();
    }
  }

  /** A whole answer: chosen, computed, two tokens, done. */
  void generate(JsonNode step, String where) {
    JsonNode result = Fields.required(step, "result");
    SchedulingRequest request = Prompts.of("generated", step);
    if (result.has("error")) {
      expectError(request, true, result, where);
      return;
    }
    JsonNode routed = result.path(0).path("routed");
    WorkerWithDpRank worker =
        setup.rank(Fields.text(routed, "decode_worker_id"), routed.path("decode_dp_rank").asInt());
    double hit = result.path(1).path("hit").asDouble();
    int tokens = request.tokenIds().length();
    int overlap = (int) Math.round(hit * tokens / setup.blockSize());
    Map<String, Integer> recorded = Map.of(RightDecision.answer(worker, overlap), 1);
    if (!isRankOfAny(request.routing().requiredDpRank())) {
      expectNobody(step, request, recorded, where);
      return;
    }
    compare(step, request, recorded, where);
    RequestLease lease = ours.book(request, worker);
    lease.markPrefillCompleted();
    lease.addOutputTokens(OUTPUT_TOKENS);
    lease.close();
    views.served(worker, request.tokenIds(), OUTPUT_TOKENS);
  }

  /** Steps that tell in words what the request, some prompt that nobody has, asks of routing. */
  void hints(String operation, JsonNode step, String where) {
    JsonNode result = Fields.required(step, "result");
    RoutingHints.Builder hints = RoutingHints.builder();
    switch (operation) {
      case "annotations query_instance_id" -> {}
      case "routing.backend_instance_id" -> hints.pinnedWorkerId(setup.worker("w0").workerId());
      case "routing.backend_instance_id + dp_rank 7" -> hints.pinnedWorker(setup.rank("w0", 7));
      case "routing.dp_rank only 1" -> hints.requiredDpRank(1);
      case "routing.allowed_worker_ids" -> hints.allowedWorkerIds(setup.worker("w1").workerId());
      case "routing.allowed_worker_ids unknown" -> hints.allowedWorkerIds(UNKNOWN_WORKER);
      case "pin outside allow list" ->
          hints.pinnedWorker(setup.rank("w0", 0)).allowedWorkerIds(setup.worker("w1").workerId());
      default -> throw new MalformedCaseException("operation is unknown: " + where);
    }
    SchedulingRequest request =
        SchedulingRequest.builder("hinted", Prompts.tokens(0, 16)).routing(hints.build()).build();
    if (result.has("error")) {
      expectError(request, true, result, where);
      return;
    }
    JsonNode routed = result.path(0).path("routing_data").path("worker_id");
    WorkerWithDpRank worker =
        setup.rank(Fields.text(routed, "decode_worker_id"), routed.path("decode_dp_rank").asInt());
    Map<String, Integer> recorded = Map.of(RightDecision.answer(worker, 0), 1);
    if (isRankOfAny(request.routing().requiredDpRank())) {
      compare(step, request, recorded, where);
    } else {
      expectNobody(step, request, recorded, where);
    }
  }

  private boolean isRankOfAny(int dpRank) {
    return dpRank == RoutingHints.ANY_DP_RANK
        || setup.workers().stream()
            .anyMatch(
                worker ->
                    dpRank >= worker.dpStart() && dpRank < worker.dpStart() + worker.dpSize());
  }

  /** A rank that no worker has leaves nobody, which the recorded router does not mind. */
  private void expectNobody(
      JsonNode step, SchedulingRequest request, Map<String, Integer> recorded, String where) {
    try {
      replay.fault(
          where + ": ours=" + answer(ours.query(request)) + " though no worker has the rank");
    } catch (NoEligibleWorkerException nobody) {
      if (onAnyRank(step, request, recorded)) {
        replay.deviation(RANK_ACTS, where + ": recorded=" + recorded + ", ours=" + nobody);
      } else {
        replay.fault(where + ": recorded=" + recorded + ", ours=" + nobody);
      }
    }
  }

  private void compare(
      JsonNode step, SchedulingRequest request, Map<String, Integer> recorded, String where) {
    Map<String, Integer> our = new TreeMap<>();
    for (int i = 0; i < DRAWS; i++) {
      our.merge(answer(ours.query(request)), 1, Integer::sum);
    }
    int isl = request.tokenIds().length();
    List<Row> rows = ours.selector().rows();
    String namespace = request.routing().cacheNamespace();
    var rightOverlap = views.overlap(request.tokenIds(), namespace, false);
    var peerOverlap = views.overlap(request.tokenIds(), namespace, true);
    Chances right = new RightDecision(setup, true).chances(step, isl, rows, rightOverlap);
    if (!right.fit(our)) {
      replay.fault(where + ": right=" + right + ", ours=" + our);
      return;
    }
    if (right.fit(recorded)) {
      return;
    }
    String text = where + ": recorded=" + recorded + ", ours=" + right;
    if (new RightDecision(setup, false).chances(step, isl, rows, rightOverlap).fit(recorded)) {
      replay.deviation(OVERRIDES_ACT, text);
    } else if (new RightDecision(setup, true).chances(step, isl, rows, peerOverlap).fit(recorded)) {
      replay.deviation(Indexes.SHARED_STATE, text);
    } else if (step.has("dp_rank") && onAnyRank(step, request, recorded)) {
      replay.deviation(RANK_ACTS, text);
    } else {
      replay.fault(text);
    }
  }

  /** Returns whether the recorded answer is one for the request without the rank. */
  private boolean onAnyRank(
      JsonNode step, SchedulingRequest request, Map<String, Integer> recorded) {
    ours.query(
        SchedulingRequest.builder("any", request.tokenIds())
            .routing(request.routing().toBuilder().requiredDpRank(RoutingHints.ANY_DP_RANK).build())
            .build());
    return new RightDecision(setup, true)
        .chances(
            step,
            request.tokenIds().length(),
            ours.selector().rows(),
            views.overlap(request.tokenIds(), "", false))
        .fit(recorded);
  }

  /* --------------- Errors --------------- */

  private void expectError(
      SchedulingRequest request, boolean books, JsonNode result, String where) {
    try {
      WorkerSelectionResult chosen = ours.query(request);
      if (books) {
        ours.book(request, null).close();
      }
      replay.fault(where + ": recorded=" + result + ", ours=" + answer(chosen));
    } catch (DynamoException | IllegalArgumentException failure) {
      compareError(result, failure, where);
    }
  }

  private void compareError(JsonNode result, RuntimeException failure, String where) {
    String message = result.path("message").asText();
    boolean same =
        failure instanceof DynamoException typed
            ? kind(message) == typed.errorType()
            : String.valueOf(failure.getMessage()).startsWith(message) && !message.isEmpty();
    if (!same) {
      replay.fault(where + ": recorded=" + result + ", ours=" + failure);
    }
  }

  private static @Nullable ErrorType kind(String message) {
    if (message.contains("already exists")) {
      return ErrorType.DUPLICATE_REQUEST;
    }
    if (message.startsWith("CapacityExhausted")) {
      return ErrorType.CAPACITY_EXHAUSTED;
    }
    boolean nobody = message.startsWith("no endpoints") || message.contains("is not eligible");
    return nobody ? ErrorType.UNAVAILABLE : null;
  }

  /* --------------- Answers --------------- */

  /** Returns an answer of a step as it is counted. */
  static String answer(JsonNode result) {
    return "[\"" + result.path(0).asText() + "\", " + result.path(1) + ", " + result.path(2) + "]";
  }

  static String answer(WorkerSelectionResult selection) {
    return RightDecision.answer(
        selection.worker(), (int) Math.round(selection.effectiveOverlapBlocks()));
  }

  private Map<String, Integer> counts(JsonNode step, JsonNode result) {
    Map<String, Integer> counts = new TreeMap<>();
    if (result.has("counts")) {
      result
          .get("counts")
          .properties()
          .forEach(count -> counts.put(count.getKey(), count.getValue().asInt()));
      int sum = counts.values().stream().mapToInt(Integer::intValue).sum();
      if (sum != step.path("repeat").asInt(1) || sum != result.path("repeat").asInt(sum)) {
        replay.fault("counts are not those of the repeats: sum=" + sum + ", step=" + step);
      }
    } else if (result.isArray() && result.size() == 3) {
      counts.put(answer(result), 1);
    } else {
      throw Fields.wrong("answer", "result", result);
    }
    return counts;
  }

  private WorkerWithDpRank winner(JsonNode result) {
    return setup.rank(result.path(0).asText(), result.path(1).asInt());
  }
}
