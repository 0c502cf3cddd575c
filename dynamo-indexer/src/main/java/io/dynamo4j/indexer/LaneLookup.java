// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.tree.RadixTree;
import java.util.Objects;

/**
 * What one caller's lookups over several lanes need besides the result: kept with the caller's
 * scores, so that lookups make no garbage. One caller.
 */
final class LaneLookup {
  private final LaneTable lanes;
  private final OverlapScores[] parts;
  private final OverlapScores[] predicted;
  private final RankRows rows = new RankRows();
  // Of lookups over all tiers.
  private final RankRows predictedRows = new RankRows();
  private final int[] added = new int[TierOrder.COUNT];
  private long[] places = {};

  private LaneLookup(LaneTable lanes) {
    this.lanes = lanes;
    this.parts = scores(lanes.size());
    this.predicted = scores(lanes.lane(0).predictions() == null ? 0 : lanes.size());
  }

  private static OverlapScores[] scores(int count) {
    OverlapScores[] scores = new OverlapScores[count];
    for (int i = 0; i < count; i++) {
      scores[i] = OverlapScores.create();
    }
    return scores;
  }

  /** Returns the one kept with {@code out} for these lanes, new if there is none. */
  static LaneLookup of(LaneTable lanes, OverlapScores out) {
    if (out.keptForIndex() instanceof LaneLookup kept && kept.lanes == lanes) {
      return kept;
    }
    LaneLookup lookup = new LaneLookup(lanes);
    out.keepForIndex(lookup);
    return lookup;
  }

  /** Looks a query up in each lane's tree; their ranks are disjoint. */
  void find(long[] localHashes, int count, LookupScope scope, OverlapScores out) {
    // Where a lane stops at its last rank says nothing about the ranks of the others.
    LookupScope exact = scope.exact();
    for (int i = 0; i < parts.length; i++) {
      lanes.lane(i).tree().findMatches(localHashes, count, exact, parts[i]);
    }
    for (int i = 0; i < predicted.length; i++) {
      RadixTree tree = Objects.requireNonNull(lanes.lane(i).predictions(), "predictions");
      tree.findMatches(localHashes, count, exact, predicted[i]);
    }
    if (predicted.length == 0) {
      lanes.join(parts, out);
    } else {
      out.clear();
      joinPredicted(out);
    }
  }

  /** Looks a query up in all tiers: where the device ends, those below go on. */
  void findTiered(long[] localHashes, int count, TieredOverlap out) {
    LookupScope all = LookupScope.all();
    rows.clear();
    predictedRows.clear();
    for (int i = 0; i < parts.length; i++) {
      lanes.lane(i).tree().findMatches(localHashes, count, all, parts[i]);
      rows.addAll(parts[i]);
    }
    for (int i = 0; i < predicted.length; i++) {
      RadixTree tree = Objects.requireNonNull(lanes.lane(i).predictions(), "predictions");
      tree.findMatches(localHashes, count, all, predicted[i]);
      predictedRows.addAll(predicted[i]);
    }
    if (places.length < count) {
      places = new long[Math.max(count, 2 * places.length)];
    }
    SequenceHasher.hash(localHashes, count, places);
    out.clearLowerTiers();
    for (int i = 0; i < lanes.size(); i++) {
      for (TierRank rank : lanes.lane(i).lowerTiers().ranks()) {
        goOn(rank, count, out);
      }
    }
    for (OverlapScores part : predicted) {
      rows.addAll(part);
    }
    rows.writeTo(out.device());
  }

  /** Adds what the tiers of a rank hold behind its device, as events say. */
  private void goOn(TierRank rank, int count, TieredOverlap out) {
    int depth = rows.depthOf(rank.worker);
    rank.walk(places, count, depth, added);
    // What is expected on the device anyway is not added a second time.
    int expected = Math.max(0, predictedRows.depthOf(rank.worker) - depth);
    for (int tier = 0; tier < added.length; tier++) {
      int twice = Math.min(added[tier], expected);
      expected -= twice;
      if (added[tier] > twice) {
        out.of(TierOrder.tier(tier)).add(rank.worker, added[tier] - twice);
      }
    }
  }

  /** For each rank the larger of what events say and what decisions make expect. */
  private void joinPredicted(OverlapScores out) {
    rows.clear();
    for (OverlapScores part : parts) {
      rows.addAll(part);
    }
    for (OverlapScores part : predicted) {
      rows.addAll(part);
    }
    rows.writeTo(out);
  }

  /** Returns the score of one rank. */
  int depthOf(WorkerWithDpRank worker, long[] localHashes, int count) {
    IndexLane lane = lanes.of(worker.workerId());
    int depth = lane.tree().depthOf(worker, localHashes, count, parts[0]);
    RadixTree predictions = lane.predictions();
    return predictions == null
        ? depth
        : Math.max(depth, predictions.depthOf(worker, localHashes, count, predicted[0]));
  }
}
