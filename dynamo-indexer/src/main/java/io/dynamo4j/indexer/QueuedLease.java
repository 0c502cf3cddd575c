// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A lease whose calls go through the queue of its rank's lane, behind the decision itself. */
final class QueuedLease implements DecisionLease {
  private final IndexLane lane;
  private final AtomicBoolean closed = new AtomicBoolean();

  // The lane's.
  private @Nullable DecidedRank rank;
  private long[] hashes = {};
  private long outputBlocks;

  QueuedLease(IndexLane lane) {
    this.lane = lane;
  }

  @Override
  public void addOutputBlock() {
    if (!closed.get()) {
      lane.add(new IndexUpdate.LeaseGrown(this));
    }
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      lane.add(new IndexUpdate.LeaseEnded(this));
    }
  }

  /* --------------- On the lane --------------- */

  void begin(DecidedRank decidedRank, long[] pinnedHashes) {
    rank = decidedRank;
    hashes = pinnedHashes;
  }

  void grow(DecisionMemory memory) {
    if (rank != null) {
      outputBlocks++;
      memory.addOutputBlock(rank);
    }
  }

  void end(DecisionMemory memory) {
    if (rank != null) {
      memory.release(rank, hashes, outputBlocks);
      rank = null;
    }
  }
}
