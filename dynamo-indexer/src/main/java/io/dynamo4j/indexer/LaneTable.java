// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.OverlapScores;
import org.jspecify.annotations.Nullable;

/**
 * Which lane a worker's updates go to: always the same one, so that they keep their order.
 *
 * <p>A function of the worker's id alone: nothing to remember, nothing to forget when workers come
 * and go. Ids are mixed with a seed, so that peers cannot crowd one lane.
 */
final class LaneTable {
  private final IndexLane[] lanes;
  private final long seed;
  private volatile @Nullable JoinedRanks joined;

  LaneTable(IndexLane[] lanes, long seed) {
    this.lanes = lanes;
    this.seed = seed;
  }

  /** Makes {@code out} what the trees of all lanes have found; their ranks are disjoint. */
  void join(OverlapScores[] parts, OverlapScores out) {
    JoinedRanks known = joined;
    if (known == null || !known.isOf(parts)) {
      known = JoinedRanks.of(parts);
      joined = known;
    }
    known.join(parts, out);
  }

  int size() {
    return lanes.length;
  }

  IndexLane lane(int index) {
    return lanes[index];
  }

  /** Returns the lane of a worker, all its ranks included. */
  IndexLane of(long workerId) {
    return lanes[indexOf(workerId)];
  }

  /** Returns the number of the lane of a worker. */
  int indexOf(long workerId) {
    if (lanes.length == 1) {
      return 0;
    }
    long mixed = (workerId ^ seed) * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xd6e8feb86659fd93L;
    return (int) (((mixed >>> 32) * lanes.length) >>> 32);
  }
}
