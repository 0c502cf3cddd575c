// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import org.jspecify.annotations.Nullable;

/**
 * One eligible rank as a decision saw it.
 *
 * @param deviceBlocks leading prompt blocks in device memory
 * @param hostBlocks blocks in host memory that continue those
 * @param diskBlocks blocks on disk that continue those
 * @param activePrefillTokens prompt tokens that its requests still have to compute
 * @param activeBlocks distinct blocks that its requests hold
 * @param addedBlocks blocks that the request would add to those
 * @param activeRequests its requests in flight
 * @param costFactor what its whole cost is multiplied with
 * @param prefillSpeed its speed of computing prompts, relative to the others
 * @param decodeSpeed its speed of generating, relative to the others
 * @param totalBlocks blocks of its cache, not positive if unknown
 * @param batchTokens tokens that it computes in one step, not positive if unknown
 * @param forecast what a prediction takes from it, null where the router predicts nothing
 * @param cost its cost; NaN where the policy does not tell, or a filter removed it
 * @param removedBy the filter that removed it, null if none did
 */
public record DecisionCandidate(
    WorkerWithDpRank worker,
    int deviceBlocks,
    int hostBlocks,
    int diskBlocks,
    long activePrefillTokens,
    long activeBlocks,
    int addedBlocks,
    int activeRequests,
    double costFactor,
    double prefillSpeed,
    double decodeSpeed,
    long totalBlocks,
    long batchTokens,
    @Nullable RankForecast forecast,
    double cost,
    @Nullable String removedBy) {

  static DecisionCandidate of(
      WorkerCandidates rows, int row, double cost, @Nullable String removedBy) {
    return new DecisionCandidate(
        rows.worker(row),
        rows.deviceBlocks(row),
        rows.hostBlocks(row),
        rows.diskBlocks(row),
        rows.activePrefillTokens(row),
        rows.activeBlocks(row),
        rows.addedBlocks(row),
        rows.activeRequests(row),
        rows.costFactor(row),
        rows.prefillSpeed(row),
        rows.decodeSpeed(row),
        rows.totalBlocks(row),
        rows.batchTokens(row),
        rows.rankForecast(row),
        cost,
        removedBy);
  }

  /** Adds this rank to the rows of a decision. */
  void addTo(WorkerCandidates rows) {
    int row = rows.add(worker, deviceBlocks, hostBlocks, diskBlocks);
    rows.setLoad(row, activePrefillTokens, activeBlocks, addedBlocks, activeRequests);
    rows.setCostFactor(row, costFactor);
    rows.setSpeeds(row, prefillSpeed, decodeSpeed);
    rows.setCapacity(row, totalBlocks, batchTokens);
  }
}
