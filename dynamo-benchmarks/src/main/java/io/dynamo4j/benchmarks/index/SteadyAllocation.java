// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.benchmarks.AllocatedBytes;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.tree.RadixTree;
import java.util.ArrayList;
import java.util.List;

/** Bytes allocated by one operation once tables have grown. */
final class SteadyAllocation {
  private static final int STORES = 500;

  private SteadyAllocation() {}

  static double lookup(RadixTree tree, List<QuerySet> sets) {
    List<long[]> queries = sets.stream().flatMap(set -> set.queries().stream()).toList();
    OverlapScores out = OverlapScores.create();
    int[] next = {0};
    return AllocatedBytes.perRun(
        () -> {
          long[] query = queries.get(next[0]);
          next[0] = (next[0] + 1) % queries.size();
          tree.findMatches(query, query.length, out);
        });
  }

  /** Removes and stores again what the last stores of the log stored, one after the other. */
  static double apply(RadixTree tree, List<RouterEvent> events) {
    List<RouterEvent> churn = new ArrayList<>();
    for (int i = events.size() - 1; i >= 0 && churn.size() < 2 * STORES; i--) {
      RouterEvent event = events.get(i);
      if (event.event().data() instanceof KvCacheEventData.Stored stored) {
        KvCacheEventData removed = KvCacheEventData.Removed.of(stored.blockHashes());
        churn.add(RouterEvent.of(event.workerId(), event.tier(), KvCacheEvent.of(i, 0, removed)));
        churn.add(event);
      }
    }
    int[] next = {0};
    return AllocatedBytes.perRun(
        () -> {
          tree.apply(churn.get(next[0]));
          next[0] = (next[0] + 1) % churn.size();
        });
  }
}
