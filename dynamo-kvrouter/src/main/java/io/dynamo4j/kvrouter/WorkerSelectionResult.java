// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Objects;

/**
 * The chosen rank and what was known of it.
 *
 * @param worker the choice
 * @param requiredBlocks blocks of the prompt, a partial last one included
 * @param effectiveOverlapBlocks cached blocks, each weighted by its tier (a device block counts 1)
 * @param cachedTokens the same in whole tokens
 * @param potentialDecodeBlocks blocks that the rank holds once the request is on it
 * @param cost the price that won; its unit is the policy's
 */
public record WorkerSelectionResult(
    WorkerWithDpRank worker,
    int requiredBlocks,
    double effectiveOverlapBlocks,
    int cachedTokens,
    long potentialDecodeBlocks,
    double cost) {

  public WorkerSelectionResult {
    Objects.requireNonNull(worker, "worker");
  }

  /**
   * Describes a row of the candidates.
   *
   * @param effectiveOverlapBlocks the row's weighted cached blocks
   */
  public static WorkerSelectionResult of(
      WorkerCandidates candidates, int row, double effectiveOverlapBlocks, double cost) {
    int untracked = Math.max(0, candidates.promptBlocks() - candidates.trackedBlocks());
    return new WorkerSelectionResult(
        candidates.worker(row),
        candidates.promptBlocks(),
        effectiveOverlapBlocks,
        cachedTokens(effectiveOverlapBlocks, candidates.blockSize()),
        candidates.activeBlocks(row) + candidates.addedBlocks(row) + untracked,
        cost);
  }

  /** Rounds half up, which for amounts that are never negative is half away from zero. */
  static int cachedTokens(double effectiveOverlapBlocks, int blockSize) {
    return (int) Math.max(0, Math.round(effectiveOverlapBlocks * blockSize));
  }
}
