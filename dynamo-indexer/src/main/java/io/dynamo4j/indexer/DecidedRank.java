// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.collect.LongIntMap;
import io.dynamo4j.core.model.WorkerWithDpRank;

/** What decisions say one rank holds. One lane. */
final class DecidedRank {
  final WorkerWithDpRank worker;

  /** By sequence hash: entry + 1. */
  final LongIntMap entries;

  /** Blocks that no running request holds, where room decides. */
  final BlockRecency.Order unpinned = new BlockRecency.Order();

  /** Room in blocks where room decides, 0 where time does. */
  long capacityBlocks;

  /** Blocks that running requests have beyond their prompts. */
  long outputBlocks;

  boolean isGone;

  DecidedRank(WorkerWithDpRank worker, long seed) {
    this.worker = worker;
    this.entries = LongIntMap.create(seed);
  }

  /** Returns by how many blocks the rank is beyond its room. */
  long excessBlocks() {
    return entries.size() + outputBlocks - capacityBlocks;
  }
}
