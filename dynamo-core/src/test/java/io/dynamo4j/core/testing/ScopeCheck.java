// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.tree.SyncIndexer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What lookups within scopes must say, given the scores of all ranks. */
public final class ScopeCheck {
  private static final WorkerWithDpRank STRANGER = new WorkerWithDpRank(99, 9);

  private ScopeCheck() {}

  /** Returns null, or what is wrong with some scope. */
  static @Nullable String wrongIn(
      SyncIndexer subject, long[] query, Map<WorkerWithDpRank, Integer> all) {
    OverlapScores out = OverlapScores.create();
    List<WorkerWithDpRank> some = new ArrayList<>(List.of(STRANGER));
    for (WorkerWithDpRank rank : EventStreams.ranks()) {
      int depth = subject.depthOf(rank, query, query.length, out);
      if (depth != all.getOrDefault(rank, 0)) {
        return "depth of " + rank + "=" + depth;
      }
      if ((Arrays.hashCode(query) + rank.hashCode()) % 2 == 0) {
        some.add(rank);
      }
    }
    for (LookupScope scope : List.of(LookupScope.all(), LookupScope.only(some))) {
      Map<WorkerWithDpRank, Integer> want = new TreeMap<>(all);
      want.keySet().removeIf(rank -> !scope.includes(rank));
      subject.findMatches(query, query.length, scope, out);
      if (!IndexComparison.byWorker(out).equals(want)) {
        return "scope=" + scope + ", scores=" + IndexComparison.byWorker(out);
      }
      LookupScope early = scope.stoppingAtLastRank();
      subject.findMatches(query, query.length, early, out);
      if (!isBestKnown(IndexComparison.byWorker(out), want)) {
        return "scope=" + early + ", scores=" + IndexComparison.byWorker(out);
      }
    }
    return null;
  }

  /** The same ranks; all scores right, but one may be lower if it is still the greatest. */
  public static boolean isBestKnown(
      Map<WorkerWithDpRank, Integer> early, Map<WorkerWithDpRank, Integer> exact) {
    if (!early.keySet().equals(exact.keySet())) {
      return false;
    }
    int greatest = early.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    int lower = 0;
    for (Map.Entry<WorkerWithDpRank, Integer> score : early.entrySet()) {
      int right = exact.getOrDefault(score.getKey(), 0);
      if (score.getValue() > right || (score.getValue() < right && score.getValue() < greatest)) {
        return false;
      }
      lower += score.getValue() < right ? 1 : 0;
    }
    return lower <= 1;
  }
}
