// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.selection;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.kvrouter.Booking;
import io.dynamo4j.kvrouter.BookingKey;
import io.dynamo4j.kvrouter.KvRouterConfig;
import io.dynamo4j.kvrouter.KvWorkerScorer;
import io.dynamo4j.kvrouter.SchedulingRequest;
import io.dynamo4j.kvrouter.WorkerCandidates;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** One recorded decision: configuration, request, bookings before it, one row a rank, winners. */
final class Decision {
  /** Recorded costs of pinned ranks are printed with three decimals. */
  private static final double HALF_OF_THE_LAST_DECIMAL = 0.000501;

  private final JsonNode content;
  private final KvRouterConfig config;
  private final BlockHasher hasher;
  private final SchedulingRequest request;
  private final boolean tracksPrefillTokens;
  private final long[] hashes;
  private final Map<WorkerWithDpRank, JsonNode> rows = new TreeMap<>();

  private Decision(JsonNode content) {
    this.content = content;
    this.config = KvRouterConfig.fromEnvironment(environment(content));
    this.hasher = BlockHasher.of(BlockHashOptions.of(Fields.integer(content, "block_size")));
    TokenSlice prompt = TokenSlice.wrap(Fields.tokens(content, "token_ids"));
    this.request = SchedulingRequest.builder("request", prompt).build();
    JsonNode override = content.path("request_extra").path("router_config_override");
    this.tracksPrefillTokens =
        config.routerTrackPrefillTokens() && Fields.flag(override, "track_prefill_tokens", true);
    this.hashes = sequenceHashes(prompt, 0);
    for (JsonNode row : Fields.array(content, "rows")) {
      rows.put(rank(row), row);
    }
  }

  /**
   * Reads a case.
   *
   * @throws io.dynamo4j.conformance.MalformedCaseException if it cannot be understood
   */
  static Decision of(JsonNode content) {
    return new Decision(content);
  }

  /** A row is that of a rank of the workers, with what the case says to be cached there. */
  void compareFleet(Replay replay) {
    Set<WorkerWithDpRank> ranks = new TreeSet<>();
    for (JsonNode worker : Fields.array(content, "workers")) {
      int start = Fields.integer(worker, "dp_start");
      for (int i = 0; i < Fields.integer(worker, "dp_size"); i++) {
        long workerId = Fields.bits(Fields.required(worker, "worker_id"));
        ranks.add(new WorkerWithDpRank(workerId, start + i));
      }
    }
    replay.same("ranks", rows.keySet(), ranks);
    replay.same("tokens", Fields.integer(content, "isl_tokens"), request.tokenIds().length());
    Map<WorkerWithDpRank, JsonNode> cached = new TreeMap<>();
    Fields.array(content, "cached").forEach(each -> cached.put(rank(each), each));
    rows.forEach(
        (worker, row) -> {
          JsonNode blocks = cached.getOrDefault(worker, MissingNode.getInstance());
          compareBlocks(worker + " dev", row, blocks, "device_blocks", replay);
          compareBlocks(worker + " host", row, blocks, "host_pinned_extension_blocks", replay);
          compareBlocks(worker + " disk", row, blocks, "disk_extension_blocks", replay);
        });
  }

  private static void compareBlocks(
      String what, JsonNode row, JsonNode cached, String name, Replay replay) {
    String column = what.substring(what.lastIndexOf(' ') + 1);
    replay.same(what, Fields.integer(row, column), cached.path(name).asInt());
  }

  /** The recorded bookings, made again, give the recorded loads. */
  void compareLoads(Replay replay) {
    ActiveBlockTracker tracker = ActiveBlockTracker.create(1);
    int number = 0;
    for (JsonNode active : Fields.array(content, "active")) {
      book(tracker, active, ++number);
    }
    WorkerCandidates candidates = noCandidates();
    rows.keySet().forEach(worker -> candidates.add(worker, 0, 0, 0));
    tracker.project(hashes, hashes.length, candidates);
    for (int i = 0; i < candidates.size(); i++) {
      WorkerWithDpRank worker = candidates.worker(i);
      JsonNode row = Objects.requireNonNull(rows.get(worker), "row");
      replay.same(
          worker + " A_tok",
          (long) Fields.integer(row, "A_tok"),
          candidates.activePrefillTokens(i));
      replay.same(
          worker + " A_blk", (long) Fields.integer(row, "A_blk"), candidates.activeBlocks(i));
      replay.same(worker + " A_req", Fields.integer(row, "A_req"), candidates.activeRequests(i));
      replay.same(worker + " add", Fields.integer(row, "add"), candidates.addedBlocks(i));
      if (row.has("potential_decode_blocks")) {
        replay.same(
            worker + " potential_decode_blocks",
            (long) Fields.integer(row, "potential_decode_blocks"),
            candidates.activeBlocks(i) + candidates.addedBlocks(i));
      }
    }
  }

  /** Each rank's cost when it is the only candidate. */
  void comparePinnedCosts(Replay replay) {
    rows.forEach(
        (worker, row) -> {
          WorkerCandidates candidates = noCandidates();
          add(candidates, worker, row);
          double ours = KvWorkerScorer.of(config).cost(request, candidates, 0);
          double recorded = number(row, "pinned_cost_3dp");
          if (!(Math.abs(ours - recorded) <= HALF_OF_THE_LAST_DECIMAL)) {
            replay.same(worker + " pinned cost", recorded, ours);
          }
          if (row.has("formula_cost_pinned")) {
            replay.same(worker + " pinned cost", number(row, "formula_cost_pinned"), ours);
          }
        });
  }

  /** Winners are eligible, cost the same to the last bit and, without temperature, the least. */
  void compareWinners(Replay replay) {
    WorkerCandidates candidates = noCandidates();
    rows.forEach(
        (worker, row) -> {
          if (Fields.flag(row, "eligible", false)) {
            add(candidates, worker, row);
          }
        });
    Map<WorkerWithDpRank, Double> costs = new LinkedHashMap<>();
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < candidates.size(); i++) {
      double cost = KvWorkerScorer.of(config).cost(request, candidates, i);
      costs.put(candidates.worker(i), cost);
      JsonNode row = Objects.requireNonNull(rows.get(candidates.worker(i)), "row");
      if (row.has("formula_cost")) {
        replay.same(candidates.worker(i) + " cost", number(row, "formula_cost"), cost);
      }
      least = Math.min(least, cost);
    }
    JsonNode winners = Fields.array(content, "chosen");
    if (winners.isEmpty()) {
      replay.fault("nothing was chosen");
    }
    int draws = 0;
    for (JsonNode winner : winners) {
      double recorded = number(winner, "cost");
      draws += Fields.integer(winner, "count");
      replay.same(rank(winner) + " cost", recorded, costs.getOrDefault(rank(winner), Double.NaN));
      if (config.routerTemperature() == 0) {
        replay.same(rank(winner) + " least cost", recorded, least);
      }
    }
    replay.same("draws", Fields.integer(content, "draws"), draws);
  }

  private void book(ActiveBlockTracker tracker, JsonNode active, int number) {
    long[] blocks = sequenceHashes(TokenSlice.wrap(Fields.tokens(active, "token_ids")), number);
    boolean counts =
        Fields.flag(active, "track_prefill_tokens", true)
            && !Fields.isAbsent(active, "effective_prefill_tokens");
    Booking booking =
        Booking.of(
            new BookingKey("booking " + number, 0),
            rank(active),
            blocks,
            blocks.length,
            counts ? Fields.integer(active, "effective_prefill_tokens") : 0);
    tracker.book(booking);
    for (JsonNode fraction : active.path("output_block_decay_fractions")) {
      if (fraction.isNull()) {
        tracker.addOutputBlock(booking);
      } else {
        tracker.addOutputBlock(booking, fraction.asDouble());
      }
    }
    if (Fields.flag(active, "prefill_complete", false)) {
      tracker.markPrefillCompleted(booking);
    }
  }

  private WorkerCandidates noCandidates() {
    WorkerCandidates candidates = WorkerCandidates.create();
    candidates.reset(
        request.tokenIds().length(), hasher.blockSize(), hashes.length, tracksPrefillTokens);
    return candidates;
  }

  private static void add(WorkerCandidates candidates, WorkerWithDpRank worker, JsonNode row) {
    int at =
        candidates.add(
            worker,
            Fields.integer(row, "dev"),
            Fields.integer(row, "host"),
            Fields.integer(row, "disk"));
    candidates.setLoad(
        at,
        Fields.integer(row, "A_tok"),
        Fields.integer(row, "A_blk"),
        Fields.integer(row, "add"),
        Fields.integer(row, "A_req"));
  }

  /** Without reuse assumed, the blocks of each request are its own: told apart by its number. */
  private long[] sequenceHashes(TokenSlice tokens, int number) {
    long[] all = hasher.hash(tokens);
    SequenceHasher.hash(all, all.length, all);
    if (!config.routerAssumeKvReuse()) {
      for (int i = 0; i < all.length; i++) {
        all[i] += number;
      }
    }
    return all;
  }

  private static Map<String, String> environment(JsonNode content) {
    Map<String, String> environment = new LinkedHashMap<>();
    Fields.required(content, "config_env")
        .properties()
        .forEach(entry -> environment.put(entry.getKey(), entry.getValue().asText()));
    return environment;
  }

  private static WorkerWithDpRank rank(JsonNode node) {
    return new WorkerWithDpRank(
        Fields.bits(Fields.required(node, "worker_id")), Fields.integer(node, "dp_rank"));
  }

  private static double number(JsonNode node, String name) {
    JsonNode field = Fields.required(node, name);
    if (!field.isNumber()) {
      throw Fields.wrong("number", name, field);
    }
    return field.doubleValue();
  }
}
