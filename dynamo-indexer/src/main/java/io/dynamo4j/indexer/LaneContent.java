// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.tree.ApplyResult;
import io.dynamo4j.core.tree.RadixTree;
import java.util.function.Consumer;

/**
 * What the events of one lane's ranks add up to, on devices and below them.
 *
 * <p><b>Threads.</b> Written on the lane; lookups beside it.
 */
record LaneContent(RadixTree tree, LowerTiers lowerTiers) {

  /** Returns what holds nothing yet, below devices within these bounds. */
  static LaneContent of(RadixTree device, long seed, long maxBlocks, long maxBlocksPerRank) {
    return new LaneContent(device, new LowerTiers(device, seed, maxBlocks, maxBlocksPerRank));
  }

  boolean isEmpty() {
    return tree.blockCount() == 0 && lowerTiers.pairCount() == 0;
  }

  ApplyResult apply(RouterEvent event) {
    KvCacheEventData data = event.event().data();
    boolean isCleared = data instanceof KvCacheEventData.Cleared;
    boolean isOfDevice = event.tier() == StorageTier.DEVICE || isCleared;
    ApplyResult result = isOfDevice ? tree.apply(event) : lowerTiers.apply(event);
    if (isCleared) {
      lowerTiers.removeRank(event.worker()); // an engine clears all its tiers at once
    } else if (isOfDevice
        && data instanceof KvCacheEventData.Stored stored
        && !result.isRejected()) {
      lowerTiers.deviceStored(event.worker(), stored.blockHashes());
    }
    return result;
  }

  void removeWorker(long workerId) {
    tree.removeWorker(workerId);
    lowerTiers.removeWorker(workerId);
  }

  void removeRank(WorkerWithDpRank worker) {
    tree.removeWorkerDpRank(worker);
    lowerTiers.removeRank(worker);
  }

  void dump(Consumer<RouterEvent> sink) {
    tree.dump(sink);
    lowerTiers.dump(sink);
  }
}
