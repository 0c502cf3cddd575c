// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Objects;

/**
 * A rank as it was seen when it was too busy for a request.
 *
 * @param prefillTokens prompt tokens still to be computed
 * @param decodeBlocks blocks of running requests, or in use as the engine says, whichever is more
 * @param totalBlocks blocks that it has, negative if unknown
 * @param maxBatchedTokens token budget of one engine step, negative if unknown
 */
public record BusyRank(
    WorkerWithDpRank worker,
    long prefillTokens,
    long decodeBlocks,
    long totalBlocks,
    long maxBatchedTokens) {

  public BusyRank {
    Objects.requireNonNull(worker, "worker");
  }
}
