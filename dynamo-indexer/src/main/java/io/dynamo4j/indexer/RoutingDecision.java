// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Objects;

/**
 * A prompt that was sent to a rank, which will hold its blocks soon: what an index can learn
 * without, or ahead of, the rank's own events.
 *
 * <p>Arrays are not copied: whoever builds a decision hands them over.
 */
public final class RoutingDecision {
  private final WorkerWithDpRank worker;
  private final long capacityBlocks;
  private final long[] localHashes;
  private final long[] sequenceHashes;

  private RoutingDecision(
      WorkerWithDpRank worker, long capacityBlocks, long[] localHashes, long[] sequenceHashes) {
    this.worker = Objects.requireNonNull(worker, "worker");
    this.capacityBlocks = capacityBlocks;
    this.localHashes = localHashes;
    this.sequenceHashes = sequenceHashes;
  }

  /**
   * Returns a decision.
   *
   * @param capacityBlocks blocks that the rank's cache has room for; 0 or less if unknown
   * @param localHashes local hash of each full block of the prompt
   * @param sequenceHashes sequence hash of each of them
   * @throws IllegalArgumentException if the hashes differ in number
   */
  public static RoutingDecision of(
      WorkerWithDpRank worker, long capacityBlocks, long[] localHashes, long[] sequenceHashes) {
    if (localHashes.length != sequenceHashes.length) {
      throw new IllegalArgumentException(
          "local and sequence hashes differ in number: localHashes="
              + localHashes.length
              + ", sequenceHashes="
              + sequenceHashes.length);
    }
    return new RoutingDecision(worker, capacityBlocks, localHashes, sequenceHashes);
  }

  public WorkerWithDpRank worker() {
    return worker;
  }

  /** Returns the blocks that the rank's cache has room for; 0 or less if unknown. */
  public long capacityBlocks() {
    return capacityBlocks;
  }

  /** Returns local hashes; not to be modified. */
  public long[] localHashes() {
    return localHashes;
  }

  /** Returns sequence hashes; not to be modified. */
  public long[] sequenceHashes() {
    return sequenceHashes;
  }
}
