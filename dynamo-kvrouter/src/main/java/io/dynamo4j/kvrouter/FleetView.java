// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fleet as one decision sees it: who is registered, who may take the request, what each holds
 * of it and carries.
 *
 * <p><b>Threads.</b> Belongs to the router's lock.
 */
final class FleetView {
  private static final long[] NO_HASHES = {};

  private final Eligibility eligibility;
  private final ActiveBlockTracker tracker;
  private final @Nullable WorkerSpeeds speeds;
  private final int blockSize;
  private final boolean predicts;
  private final WorkerCandidates candidates = WorkerCandidates.create();
  private RankTable table = RankTable.EMPTY;
  private final RankOverlap overlap = new RankOverlap();

  /**
   * Makes an empty view.
   *
   * @param predicts whether rows tell what ranks can hold
   */
  FleetView(
      Eligibility eligibility,
      ActiveBlockTracker tracker,
      @Nullable WorkerSpeeds speeds,
      int blockSize,
      boolean predicts) {
    this.eligibility = eligibility;
    this.tracker = tracker;
    this.speeds = speeds;
    this.blockSize = blockSize;
    this.predicts = predicts;
  }

  /** Takes over the directory's snapshot; returns whether it is another one than last time. */
  boolean refresh() {
    RankTable next = eligibility.refresh();
    if (next == table) {
      return false;
    }
    table = next;
    overlap.reset(table);
    return true;
  }

  RankTable table() {
    return table;
  }

  /** Returns the ranks that some rule leaves out of the request's choice. */
  Map<WorkerWithDpRank, IneligibilityReason> ineligible(SchedulingRequest request) {
    return eligibility.reasons(request.routing(), request.excludedWorkers());
  }

  /** Finds the ranks that may take the request; returns how many there are. */
  int collect(SchedulingRequest request) {
    return eligibility.collect(request.routing(), request.excludedWorkers());
  }

  /**
   * Returns where the table has a choice.
   *
   * @throws IllegalStateException if the rank was no candidate
   */
  int requireEligible(WorkerWithDpRank worker) {
    int index = table.indexOf(worker);
    if (!eligibility.isEligible(index)) {
      throw new IllegalStateException(
          "selector chose a worker that was no candidate: worker=" + worker);
    }
    return index;
  }

  boolean admit(WorkerWithDpRank worker) {
    return eligibility.admit(worker);
  }

  NoEligibleWorkerException explain(SchedulingRequest request, boolean filtered) {
    return eligibility.explain(
        request.key(), request.routing(), request.excludedWorkers(), filtered);
  }

  boolean isOverload(SchedulingRequest request) {
    return eligibility.isOverload(request.routing(), request.excludedWorkers());
  }

  /** Returns how many ranks of the table busy thresholds exclude now. */
  int overloadedRanks() {
    return eligibility.overloadedRanks();
  }

  /** Returns whether every rank collected has too much in work for a class. */
  boolean allBusy(PolicyClass policy, int count) {
    if (!policy.waits() || count == 0) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      int index = eligibility.eligible(i);
      long tokens = tracker.load(table.rank(index)).prefillTokens();
      if (!policy.isBusy(tokens, table.instance(index).maxBatchedTokens())) {
        return false;
      }
    }
    return true;
  }

  /** Returns a row for each rank collected, with what it holds of the prompt and carries. */
  WorkerCandidates fill(SchedulingRequest request, Prompt prompt, long[] hashes, int count) {
    candidates.reset(
        request.tokenIds().length(),
        blockSize,
        hashes.length,
        prompt.config().routerTrackPrefillTokens());
    overlap.spread(prompt.overlap());
    candidates.addAll(table, eligibility.eligible(), count, overlap);
    if (predicts) {
      candidates.setCapacities(table);
    }
    if (speeds != null || prefersTaints(request.routing())) {
      for (int row = 0; row < count; row++) {
        weigh(request.routing(), row, eligibility.eligible(row));
      }
    }
    tracker.project(hashes, hashes.length, candidates);
    return candidates;
  }

  /** A pinned request has nothing to compare. */
  private static boolean prefersTaints(RoutingHints hints) {
    return !hints.constraints().preferredTaints().isEmpty() && !hints.isPinned();
  }

  /** Sets what multiplies a row's cost, and what divides it. */
  private void weigh(RoutingHints hints, int row, int index) {
    if (prefersTaints(hints)) {
      candidates.setCostFactor(row, hints.constraints().costFactor(table.instance(index).taints()));
    }
    if (speeds != null) {
      WorkerWithDpRank rank = table.rank(index);
      candidates.setSpeeds(row, speeds.prefill(rank), speeds.decode(rank));
    }
  }

  /** Returns the most tokens of the prompt that one rank collected has cached. */
  long bestCachedTokens(SchedulingRequest request, Prompt prompt, int count) {
    fill(request, prompt, NO_HASHES, count);
    int best = 0;
    for (int row = 0; row < candidates.size(); row++) {
      best = Math.max(best, cachedTokens(row, prompt.config()));
    }
    return best;
  }

  /** Returns what every rank of the table would carry with the request on it. */
  List<PotentialLoad> potentialLoads(SchedulingRequest request, Prompt prompt, long[] hashes) {
    fill(request, prompt, hashes, eligibility.collectAll());
    List<PotentialLoad> loads = new ArrayList<>(candidates.size());
    for (int row = 0; row < candidates.size(); row++) {
      loads.add(potentialLoad(row, prompt.config()));
    }
    return Collections.unmodifiableList(loads);
  }

  private PotentialLoad potentialLoad(int row, KvRouterConfig config) {
    long own =
        candidates.tracksPrefillTokens()
            ? Math.max(0, candidates.promptTokens() - cachedTokens(row, config))
            : 0;
    return new PotentialLoad(
        candidates.worker(row),
        candidates.activePrefillTokens(row) + own,
        candidates.activeBlocks(row) + candidates.addedBlocks(row),
        candidates.activeRequests(row));
  }

  private int cachedTokens(int row, KvRouterConfig config) {
    double overlap = KvWorkerScorer.of(config).effectiveOverlapBlocks(candidates, row);
    return WorkerSelectionResult.cachedTokens(overlap, blockSize);
  }
}
