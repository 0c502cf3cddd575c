// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Objects;

/**
 * What a worker, or a scheduler in front of it, says on topic {@value ActiveLoadCodec#TOPIC} about
 * one rank; figures that it does not tell are {@link #UNKNOWN}.
 *
 * @param worker the rank
 * @param activeDecodeBlocks blocks of running requests, told by schedulers
 * @param activePrefillTokens prompt tokens still to be computed, told by schedulers
 * @param kvUsedBlocks blocks in use as the engine counts them, told by workers
 */
public record ActiveLoad(
    WorkerWithDpRank worker, long activeDecodeBlocks, long activePrefillTokens, long kvUsedBlocks) {
  /** Marks a figure that is not told. */
  public static final long UNKNOWN = -1;

  public ActiveLoad {
    Objects.requireNonNull(worker, "worker");
    if (activeDecodeBlocks < UNKNOWN || activePrefillTokens < UNKNOWN || kvUsedBlocks < UNKNOWN) {
      throw new IllegalArgumentException(
          "load must not be negative: worker="
              + worker
              + ", activeDecodeBlocks="
              + activeDecodeBlocks
              + ", activePrefillTokens="
              + activePrefillTokens
              + ", kvUsedBlocks="
              + kvUsedBlocks);
    }
  }
}
