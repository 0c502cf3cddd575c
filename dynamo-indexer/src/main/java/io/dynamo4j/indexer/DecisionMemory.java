// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.tree.RadixTree;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A tree of what routing decisions say ranks hold, and when to stop believing each block.
 *
 * <p>A prefix is never forgotten before what follows it: whatever names a block names all before
 * it, and of one decision the deepest block is the first to go. Forgetting costs O(blocks
 * forgotten).
 *
 * <p><b>Threads.</b> The lane's alone, but for lookups in {@link #tree}.
 */
final class DecisionMemory {
  private static final int REMOVED_AT_ONCE = 1024;

  private final RadixTree tree;
  private final Scheduler lane;
  private final DecisionRetention retention;
  private final long seed;
  private final TreeMap<WorkerWithDpRank, DecidedRank> ranks = new TreeMap<>();
  private final BlockRecency blocks = new BlockRecency();
  private final BlockRecency.Order timed = new BlockRecency.Order();
  private @Nullable Cancellable expiry;
  private Runnable changed = () -> {};

  // Hashes of one rank to be taken out of the tree together.
  private final long[] leaving = new long[REMOVED_AT_ONCE];
  private int leavingCount;
  private @Nullable DecidedRank leavingFrom;

  DecisionMemory(RadixTree tree, Scheduler lane, DecisionRetention retention, long seed) {
    this.tree = tree;
    this.lane = lane;
    this.retention = retention;
    this.seed = seed;
  }

  RadixTree tree() {
    return tree;
  }

  /** Sets what runs when time has made blocks go; before the first decision. */
  void whenExpired(Runnable action) {
    changed = action;
  }

  /* --------------- Learning --------------- */

  /** Takes a decision in; the lease will speak of its rank from now on. */
  void record(RoutingDecision decision, QueuedLease lease) {
    long[] hashes = decision.sequenceHashes();
    if (hashes.length == 0) {
      return;
    }
    DecidedRank rank =
        ranks.computeIfAbsent(decision.worker(), worker -> new DecidedRank(worker, seed));
    if (!applied(rank, KvCacheEventData.Stored.atRoot(hashes, decision.localHashes()))) {
      endIfEmpty(rank);
      return;
    }
    if (retention.policy() == ApproximateCachePolicy.LRU && decision.capacityBlocks() > 0) {
      rank.capacityBlocks = decision.capacityBlocks();
      pin(rank, hashes);
      lease.begin(rank, hashes);
      makeRoom(rank);
    } else {
      touch(rank, hashes);
    }
    armExpiry();
  }

  private boolean applied(DecidedRank rank, KvCacheEventData data) {
    KvCacheEvent event = KvCacheEvent.of(0, rank.worker.dpRank(), data);
    return !tree.apply(RouterEvent.of(rank.worker.workerId(), StorageTier.DEVICE, event))
        .isRejected();
  }

  /* --------------- Where time decides --------------- */

  /** Makes the blocks the last used ones, the deepest of them the first to go. */
  private void touch(DecidedRank rank, long[] hashes) {
    long now = lane.clock().nanoTime();
    for (int i = hashes.length - 1; i >= 0; i--) {
      int entry = rank.entries.get(hashes[i]) - 1;
      if (entry < 0) {
        entry = enter(rank, hashes[i]);
      } else if (blocks.isPinned(entry)) {
        continue;
      } else {
        blocks.unlink(order(rank), entry);
      }
      blocks.append(order(rank), entry, now);
    }
    while (blocks.size() > retention.maxBlocks() && timed.oldest() != BlockRecency.NONE) {
      forget(timed, timed.oldest());
    }
    flushLeaving();
  }

  private BlockRecency.Order order(DecidedRank rank) {
    return rank.capacityBlocks > 0 ? rank.unpinned : timed;
  }

  private int enter(DecidedRank rank, long hash) {
    int entry = blocks.create(rank, hash);
    rank.entries.put(hash, entry + 1);
    return entry;
  }

  /* --------------- Where room decides --------------- */

  private void pin(DecidedRank rank, long[] hashes) {
    for (long hash : hashes) {
      int entry = rank.entries.get(hash) - 1;
      if (entry < 0) {
        blocks.pin(enter(rank, hash));
      } else if (blocks.pin(entry) == 0) {
        blocks.unlink(rank.unpinned, entry);
      }
    }
  }

  void addOutputBlock(DecidedRank rank) {
    if (!rank.isGone) {
      rank.outputBlocks++;
      makeRoom(rank);
    }
  }

  /** A request has ended: its blocks may go, the deepest first. */
  void release(DecidedRank rank, long[] hashes, long outputBlocks) {
    if (rank.isGone) {
      return;
    }
    long now = lane.clock().nanoTime();
    rank.outputBlocks -= outputBlocks;
    for (int i = hashes.length - 1; i >= 0; i--) {
      int entry = rank.entries.get(hashes[i]) - 1;
      if (blocks.unpin(entry) == 0) {
        blocks.append(rank.unpinned, entry, now);
      }
    }
    makeRoom(rank);
  }

  private void makeRoom(DecidedRank rank) {
    while (rank.excessBlocks() > 0 && rank.unpinned.oldest() != BlockRecency.NONE) {
      forget(rank.unpinned, rank.unpinned.oldest());
    }
    flushLeaving();
  }

  /* --------------- Forgetting --------------- */

  private void forget(BlockRecency.Order order, int entry) {
    DecidedRank rank = blocks.rank(entry);
    long hash = blocks.hash(entry);
    blocks.unlink(order, entry);
    blocks.drop(entry);
    rank.entries.put(hash, 0);
    if (leavingFrom != rank || leavingCount == leaving.length) {
      flushLeaving();
      leavingFrom = rank;
    }
    leaving[leavingCount++] = hash;
  }

  private void flushLeaving() {
    DecidedRank rank = leavingFrom;
    if (rank == null) {
      return;
    }
    applied(rank, KvCacheEventData.Removed.of(Arrays.copyOf(leaving, leavingCount)));
    leavingCount = 0;
    leavingFrom = null;
    endIfEmpty(rank);
  }

  private void endIfEmpty(DecidedRank rank) {
    if (rank.entries.size() == 0 && rank.outputBlocks == 0) {
      rank.isGone = true;
      ranks.remove(rank.worker);
    }
  }

  private void armExpiry() {
    if (expiry == null && timed.oldest() != BlockRecency.NONE) {
      long due = blocks.usedNanos(timed.oldest()) + retention.ttlNanos();
      expiry = lane.schedule(this::expire, due - lane.clock().nanoTime());
    }
  }

  private void expire() {
    expiry = null;
    long since = lane.clock().nanoTime() - retention.ttlNanos();
    while (timed.oldest() != BlockRecency.NONE && blocks.usedNanos(timed.oldest()) - since <= 0) {
      forget(timed, timed.oldest());
    }
    flushLeaving();
    armExpiry();
    changed.run();
  }

  void removeWorker(long workerId) {
    WorkerWithDpRank first = new WorkerWithDpRank(workerId, 0);
    WorkerWithDpRank last = new WorkerWithDpRank(workerId, -1); // the greatest unsigned rank
    List.copyOf(ranks.subMap(first, true, last, true).keySet()).forEach(this::removeRank);
  }

  void removeRank(WorkerWithDpRank worker) {
    DecidedRank rank = ranks.remove(worker);
    if (rank == null) {
      return;
    }
    rank.isGone = true;
    rank.entries.forEach(
        (hash, value) -> {
          if (!blocks.isPinned(value - 1)) {
            blocks.unlink(order(rank), value - 1);
          }
          blocks.drop(value - 1);
        });
    tree.removeWorkerDpRank(worker);
  }

  void close() {
    if (expiry != null) {
      expiry.cancel();
    }
  }
}
