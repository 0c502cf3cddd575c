// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that one decision was made from and what it came to, so that anyone can repeat it.
 *
 * <p><b>Threads.</b> Immutable.
 *
 * @param request what was routed
 * @param blockSize tokens per block
 * @param trackedBlocks prompt blocks that the booking counts
 * @param tracksPrefillTokens whether prompt tokens count as load
 * @param forecast what a prediction takes from the whole fleet, null where the router predicts
 *     nothing
 * @param candidates eligible ranks in the order in which the policy saw them; unmodifiable
 * @param ineligible ranks that were none, and why; unmodifiable
 * @param seed the number that all chance of the decision came from
 * @param selection what the policy chose; null if it refused everybody
 */
public record DecisionRecord(
    SchedulingRequest request,
    int blockSize,
    int trackedBlocks,
    boolean tracksPrefillTokens,
    @Nullable FleetForecast forecast,
    List<DecisionCandidate> candidates,
    Map<WorkerWithDpRank, IneligibilityReason> ineligible,
    long seed,
    @Nullable WorkerSelectionResult selection) {

  /**
   * Lets a policy decide again on the same figures and with the same chance: the policy that made
   * the record comes to its very selection.
   */
  public @Nullable WorkerSelectionResult replay(WorkerSelector selector) {
    WorkerCandidates rows = WorkerCandidates.create();
    rows.reset(request.tokenIds().length(), blockSize, trackedBlocks, tracksPrefillTokens);
    List<RankForecast> ranks = new ArrayList<>(candidates.size());
    for (DecisionCandidate candidate : candidates) {
      candidate.addTo(rows);
      if (candidate.forecast() != null) {
        ranks.add(candidate.forecast());
      }
    }
    if (forecast != null) {
      rows.setForecast(forecast, ranks);
    }
    return selector.select(request, rows, new DecisionRandom().start(seed));
  }
}
