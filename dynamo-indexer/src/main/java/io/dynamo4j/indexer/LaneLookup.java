// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

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
    out.clear();
    if (predicted.length == 0) {
      join(out);
    } else {
      joinPredicted(out);
    }
  }

  private void join(OverlapScores out) {
    for (OverlapScores part : parts) {
      for (int i = 0; i < part.size(); i++) {
        out.add(part.worker(i), part.depth(i));
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
