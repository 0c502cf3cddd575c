// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;

/**
 * What one caller's lookups over several lanes need besides the result: kept with the caller's
 * scores, so that lookups make no garbage. One caller.
 */
final class LaneLookup {
  private final LaneTable lanes;
  private final OverlapScores[] parts;

  private LaneLookup(LaneTable lanes) {
    this.lanes = lanes;
    this.parts = new OverlapScores[lanes.size()];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = OverlapScores.create();
    }
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
    out.clear();
    for (OverlapScores part : parts) {
      for (int i = 0; i < part.size(); i++) {
        out.add(part.worker(i), part.depth(i));
      }
    }
  }
}
