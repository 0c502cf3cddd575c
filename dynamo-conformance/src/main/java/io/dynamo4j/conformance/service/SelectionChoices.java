// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.conformance.Fields;
import io.dynamo4j.conformance.MalformedCaseException;
import io.dynamo4j.conformance.Replay;
import io.dynamo4j.conformance.router.RouterReader;
import io.dynamo4j.conformance.service.ServiceStep.Outcome;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.TieredOverlap;
import io.dynamo4j.kvrouter.KvRouterConfig;
import io.dynamo4j.kvrouter.NoEligibleWorkerException;
import io.dynamo4j.kvrouter.SchedulingRequest;
import io.dynamo4j.kvrouter.WorkerCandidates;
import io.dynamo4j.kvrouter.WorkerSelectionResult;
import io.dynamo4j.plane.WorkerInstance;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Who is chosen, with which figures, and what each rank holds, against what was recorded. */
final class SelectionChoices {
  /** Recorded costs are printed with three decimals. */
  private static final double HALF_OF_THE_LAST_DECIMAL = 0.000501;

  private final Replay replay;

  SelectionChoices(Replay replay) {
    this.replay = replay;
  }

  static SchedulingRequest request(String id, JsonNode body, boolean withOverride) {
    SchedulingRequest.Builder request =
        SchedulingRequest.builder(id, SelectionRequests.tokens(body))
            .routing(SelectionRequests.routing(body));
    if (withOverride) {
      request.configOverride(SelectionRequests.override(body));
    }
    return request.build();
  }

  /**
   * Compares a choice: the recorded rank must be one that ours could choose as well, with the same
   * figures.
   *
   * @param choose makes the choice under test, with or without the request's own weights
   */
  void compare(
      SelectionFleet fleet,
      ServiceStep step,
      String where,
      Function<Boolean, WorkerSelectionResult> choose) {
    WorkerWithDpRank recorded = ServiceCases.rank(step.result());
    List<Long> figures =
        List.of(
            recorded.workerId(),
            (long) recorded.dpRank(),
            step.result().path("effective_prefill_tokens").asLong(-1),
            step.result().path("potential_decode_blocks").asLong(-1));
    fleet.selector().want(recorded);
    WorkerSelectionResult ours;
    try {
      ours = choose.apply(true);
    } catch (NoEligibleWorkerException nobody) {
      replay.fault(where + ": recorded=" + recorded + ", ours=" + nobody);
      return;
    }
    int promptTokens = SelectionRequests.promptTokens(step.body());
    if (!figures.equals(figures(ours, promptTokens))) {
      String text = where + ": recorded=" + figures + ", ours=" + figures(ours, promptTokens);
      boolean hasOverride = step.body().path("router_config_override").isObject();
      if (hasOverride && figures.equals(figures(choose.apply(false), promptTokens))) {
        replay.deviation(RouterReader.OVERRIDES_ACT, text);
      } else {
        replay.fault(text);
      }
    } else if (step.cost() != null
        && !(Math.abs(ours.cost() - step.cost()) <= HALF_OF_THE_LAST_DECIMAL)) {
      replay.fault(where + ": cost: recorded=" + step.cost() + ", ours=" + ours.cost());
    }
    compareTokens(fleet, step, where);
  }

  private static List<Long> figures(WorkerSelectionResult choice, int promptTokens) {
    return List.of(
        choice.worker().workerId(),
        (long) choice.worker().dpRank(),
        (long) promptTokens - Math.min(promptTokens, choice.cachedTokens()),
        choice.potentialDecodeBlocks());
  }

  /** What an answer says of cached tokens: of the device by rank, and down to each tier. */
  private void compareTokens(SelectionFleet fleet, ServiceStep step, String where) {
    JsonNode told = Fields.required(step.result(), "overlap");
    WorkerWithDpRank chosen = ServiceCases.rank(step.result());
    TieredOverlap overlap =
        fleet.find(SelectionRequests.localHashes(step.body(), fleet.blockSize()));
    SortedMap<String, Integer> recorded = new TreeMap<>();
    told.path("dp")
        .properties()
        .forEach(rank -> recorded.put("rank " + rank.getKey(), rank.getValue().asInt(-1)));
    for (String tier : List.of("longest_matched", "gpu", "cpu", "disk")) {
      recorded.put(tier, Fields.integer(told, tier));
    }
    SortedMap<String, Integer> ours = new TreeMap<>();
    for (WorkerInstance worker : fleet.workers()) {
      for (int i = 0; worker.workerId() == chosen.workerId() && i < worker.dpSize(); i++) {
        int[] tiers = tiers(overlap, worker.rank(i));
        ours.put("rank " + worker.rank(i).dpRank(), tiers[0] * fleet.blockSize());
      }
    }
    int[] tiers = tiers(overlap, chosen);
    ours.put("gpu", tiers[0] * fleet.blockSize());
    ours.put("cpu", tiers[1] * fleet.blockSize());
    ours.put("disk", tiers[2] * fleet.blockSize());
    ours.put("longest_matched", tiers[2] * fleet.blockSize());
    replay.same(where + " overlap", recorded, ours);
  }

  /** Returns blocks down to the device, to host memory, and to the disk and outside. */
  private static int[] tiers(TieredOverlap overlap, WorkerWithDpRank rank) {
    int device = depth(overlap.device(), rank);
    if (!overlap.hasLowerTiers()) {
      return new int[] {device, device, device};
    }
    int host = device + depth(overlap.of(StorageTier.HOST_PINNED), rank);
    int disk =
        host
            + depth(overlap.of(StorageTier.DISK), rank)
            + depth(overlap.of(StorageTier.EXTERNAL), rank);
    return new int[] {device, host, disk};
  }

  private static int depth(OverlapScores scores, WorkerWithDpRank rank) {
    return Math.max(0, scores.depthOf(rank));
  }

  void compareOverlap(@Nullable SelectionFleet fleet, ServiceStep step, String where) {
    if (fleet == null || fleet.workers().isEmpty()) {
      replay.same(where, step.outcome(), Outcome.UNAVAILABLE);
      return;
    }
    replay.same(where, step.outcome(), Outcome.DONE);
    long[] locals = SelectionRequests.localHashes(step.body(), fleet.blockSize());
    TieredOverlap overlap = fleet.find(locals);
    replay.same(where, Fields.integer(step.result(), "num_blocks"), locals.length);
    Set<String> recorded = new TreeSet<>();
    for (JsonNode row : Fields.array(step.result(), "workers")) {
      recorded.add(
          ServiceCases.rank(row)
              + " "
              + Fields.integer(row, "device_blocks")
              + " "
              + Fields.integer(row, "host_pinned_blocks")
              + " "
              + Fields.integer(row, "disk_blocks")
              + " "
              + Fields.integer(row, "host_pinned_extension_blocks")
              + " "
              + Fields.integer(row, "disk_extension_blocks"));
    }
    Set<String> ours = new TreeSet<>();
    for (WorkerWithDpRank rank : fleet.slots().ranks()) {
      int[] tiers = tiers(overlap, rank);
      ours.add(
          rank
              + " "
              + tiers[0]
              + " "
              + tiers[1]
              + " "
              + tiers[2]
              + " "
              + (tiers[1] - tiers[0])
              + " "
              + (tiers[2] - tiers[1]));
    }
    replay.same(where, recorded, ours);
  }

  void comparePotentialLoads(@Nullable SelectionFleet fleet, ServiceStep step, String where) {
    if (fleet == null || fleet.workers().isEmpty()) {
      replay.same(where, step.outcome(), Outcome.UNAVAILABLE);
      return;
    }
    if (!SelectionRequests.isTold(step.body()) && !isEmptyPrompt(step.body())) {
      replay.same(where, step.outcome(), Outcome.INVALID);
      return;
    }
    replay.same(where, step.outcome(), Outcome.DONE);
    Set<String> ours =
        SelectionRequests.hasTokens(step.body())
            ? ServiceCases.potentialLoads(
                fleet.router().potentialLoads(request("loads", step.body(), true)))
            : ServiceCases.potentialLoads(
                fleet
                    .slots()
                    .potentialLoads(
                        SelectionRequests.sequenceHashes(step.body(), fleet.blockSize()),
                        uncached(fleet, step.body())));
    replay.same(where, ServiceCases.potentialLoads(step.result()), ours);
  }

  private static boolean isEmptyPrompt(JsonNode body) {
    return body.path("block_hashes").isArray() && body.get("block_hashes").isEmpty();
  }

  /** Returns the tokens of a prompt told in hashes, of which nothing may be cached. */
  private static int uncached(SelectionFleet fleet, JsonNode body) {
    TieredOverlap overlap = fleet.find(SelectionRequests.localHashes(body, fleet.blockSize()));
    if (overlap.device().size() > 0) {
      throw new MalformedCaseException("prompt told in hashes is cached: body=" + body);
    }
    return SelectionRequests.promptTokens(body);
  }

  /**
   * Chooses for a prompt that is told in hashes: the selector under test over the ranks that the
   * request allows.
   */
  static @Nullable WorkerSelectionResult chooseByHashes(SelectionFleet fleet, JsonNode body) {
    KvRouterConfig config = fleet.router().config();
    long[] hashes = SelectionRequests.sequenceHashes(body, fleet.blockSize());
    WorkerCandidates candidates = WorkerCandidates.create();
    candidates.reset(
        SelectionRequests.promptTokens(body),
        fleet.blockSize(),
        hashes.length,
        config.routerTrackPrefillTokens());
    RoutingHints routing = SelectionRequests.routing(body);
    TieredOverlap overlap = fleet.find(SelectionRequests.localHashes(body, fleet.blockSize()));
    for (WorkerWithDpRank rank : fleet.slots().ranks()) {
      if (routing.pinAllows(rank) && routing.allows(rank.workerId())) {
        int[] tiers = tiers(overlap, rank);
        candidates.add(rank, tiers[0], tiers[1] - tiers[0], tiers[2] - tiers[1]);
      }
    }
    fleet.slots().tracker().project(hashes, hashes.length, candidates);
    SchedulingRequest request =
        SchedulingRequest.builder("hashes", TokenSlice.wrap(new int[0])).build();
    return candidates.size() == 0
        ? null
        : fleet.selector().select(request, candidates, fleet.random());
  }
}
