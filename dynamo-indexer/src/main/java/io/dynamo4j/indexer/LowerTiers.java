// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.tree.ApplyResult;
import io.dynamo4j.core.tree.RadixTree;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * What ranks hold below their devices: in host memory, on disk, outside. Each tier has a coverage
 * of its own; a query goes on in one where the tier before ended.
 *
 * <p>Unlike on a device, a block may come before its parent and counts once the parent is known; a
 * block taken from the middle leaves those behind it in place.
 *
 * <p><b>Threads.</b> Written on the lane; {@link #ranks} may be read anywhere.
 */
final class LowerTiers {
  private static final TierRank[] NO_RANKS = {};

  private final RadixTree device;
  private final long seed;
  private final long maxPairs;
  private final long maxPairsPerRank;
  private final TreeMap<WorkerWithDpRank, TierRank> ranks = new TreeMap<>();
  private final ApplyResult result = ApplyResult.create();
  private volatile TierRank[] published = NO_RANKS;
  private long pairs;

  LowerTiers(RadixTree device, long seed, long maxPairs, long maxPairsPerRank) {
    this.device = device;
    this.seed = seed;
    this.maxPairs = maxPairs;
    this.maxPairsPerRank = maxPairsPerRank;
  }

  /** Returns the ranks that hold anything here; not to be modified. */
  TierRank[] ranks() {
    return published;
  }

  /** Returns the (hash, tier) pairs held. */
  long pairCount() {
    return pairs;
  }

  /** Applies a store or removal of a tier below the device. */
  ApplyResult apply(RouterEvent event) {
    int tier = TierOrder.indexOf(event.tier());
    KvCacheEventData data = event.event().data();
    TierRank rank = ranks.get(event.worker());
    long before = rank == null ? 0 : rank.pairCount();
    if (data instanceof KvCacheEventData.Stored stored) {
      if (stored.blockCount() > Math.min(maxPairs - pairs, maxPairsPerRank - before)) {
        return result.rejected(ApplyResult.Outcome.OUT_OF_CAPACITY, stored.blockCount());
      }
      if (stored.hasParent() && contains(stored.blockHashes(), stored.parentHash())) {
        return result.rejected(ApplyResult.Outcome.SELF_REFERENCE, stored.blockCount());
      }
      if (rank == null) {
        rank = new TierRank(event.worker(), device, seed);
        ranks.put(event.worker(), rank);
        publish();
      }
      rank.store(tier, stored, result);
    } else if (data instanceof KvCacheEventData.Removed removed) {
      if (rank == null) {
        return result.removed(0, removed.blockCount());
      }
      rank.remove(tier, removed.blockHashes(), result);
    }
    if (rank != null) {
      pairs += rank.pairCount() - before;
      if (rank.isEmpty()) {
        ranks.remove(rank.worker);
        publish();
      }
    }
    return result;
  }

  private static boolean contains(long[] hashes, long hash) {
    for (long each : hashes) {
      if (each == hash) {
        return true;
      }
    }
    return false;
  }

  /** Tells of blocks that a device holds since just now: others may have waited for them. */
  void deviceStored(WorkerWithDpRank worker, long[] hashes) {
    TierRank rank = ranks.isEmpty() ? null : ranks.get(worker);
    if (rank != null) {
      rank.deviceStored(hashes);
    }
  }

  void removeWorker(long workerId) {
    WorkerWithDpRank first = new WorkerWithDpRank(workerId, 0);
    WorkerWithDpRank last = new WorkerWithDpRank(workerId, -1); // the greatest unsigned rank
    List.copyOf(ranks.subMap(first, true, last, true).keySet()).forEach(this::removeRank);
  }

  void removeRank(WorkerWithDpRank worker) {
    TierRank rank = ranks.remove(worker);
    if (rank != null) {
      pairs -= rank.pairCount();
      publish();
    }
  }

  private void publish() {
    published = ranks.values().toArray(TierRank[]::new);
  }

  /** Writes one store a block and tier. */
  void dump(Consumer<RouterEvent> sink) {
    for (TierRank rank : ranks.values()) {
      dump(rank, sink);
    }
  }

  private static void dump(TierRank rank, Consumer<RouterEvent> sink) {
    TierBlocks blocks = rank.blocks();
    for (int entry = 0; entry < blocks.limit(); entry++) {
      for (int tier = 0; tier < TierOrder.COUNT; tier++) {
        if ((blocks.tiers(entry) & 1 << tier) == 0) {
          continue;
        }
        long[] hash = {blocks.hash(entry)};
        long[] local = {blocks.local(entry)};
        KvCacheEventData stored =
            blocks.hasParent(entry)
                ? KvCacheEventData.Stored.under(blocks.parent(entry), hash, local)
                : KvCacheEventData.Stored.atRoot(hash, local);
        sink.accept(
            RouterEvent.of(
                rank.worker.workerId(),
                TierOrder.tier(tier),
                KvCacheEvent.of(0, rank.worker.dpRank(), stored)));
      }
    }
  }
}
