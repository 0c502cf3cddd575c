// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What an index should know, in plain collections: for each rank which hash is held at which
 * places, a place being the path of local hashes from the root, the latest last.
 */
final class ReferenceIndex {
  private final Map<WorkerWithDpRank, Map<Long, Set<List<Long>>>> ranks = new TreeMap<>();

  void apply(RouterEvent event) {
    KvCacheEventData data = event.event().data();
    Map<Long, Set<List<Long>>> held =
        ranks.computeIfAbsent(event.worker(), rank -> new LinkedHashMap<>());
    if (data instanceof KvCacheEventData.Stored stored) {
      store(held, stored);
    } else if (data instanceof KvCacheEventData.Removed removed) {
      Arrays.stream(removed.blockHashes()).forEach(held::remove);
    } else {
      held.clear();
    }
  }

  private static void store(Map<Long, Set<List<Long>>> held, KvCacheEventData.Stored stored) {
    List<Long> place = List.of();
    if (stored.hasParent()) {
      long parentHash = stored.parentHash();
      List<Long> parent = latest(held.get(parentHash));
      boolean isOwnParent =
          Arrays.stream(stored.blockHashes()).anyMatch(hash -> hash == parentHash);
      if (parent == null || isOwnParent) {
        return;
      }
      place = parent;
    }
    for (int i = 0; i < stored.blockCount(); i++) {
      place = append(place, stored.tokensHashes()[i]);
      Set<List<Long>> places =
          held.computeIfAbsent(stored.blockHashes()[i], hash -> new LinkedHashSet<>());
      places.remove(place);
      places.add(place);
    }
  }

  private static @Nullable List<Long> latest(@Nullable Set<List<Long>> places) {
    List<Long> latest = null;
    if (places != null) {
      for (List<Long> place : places) {
        latest = place;
      }
    }
    return latest;
  }

  private static List<Long> append(List<Long> place, long local) {
    List<Long> longer = new ArrayList<>(place);
    longer.add(local);
    return longer;
  }

  void removeWorker(long workerId) {
    ranks.keySet().removeIf(rank -> rank.workerId() == workerId);
  }

  void removeRank(WorkerWithDpRank rank) {
    ranks.remove(rank);
  }

  /** Returns the ranks that hold the first block of a query, with how many of its blocks. */
  Map<WorkerWithDpRank, Integer> scores(long[] query) {
    Map<WorkerWithDpRank, Integer> scores = new TreeMap<>();
    ranks.forEach(
        (rank, held) -> {
          int depth = depth(held, query);
          if (depth > 0) {
            scores.put(rank, depth);
          }
        });
    return scores;
  }

  private static int depth(Map<Long, Set<List<Long>>> held, long[] query) {
    Set<List<Long>> places = new LinkedHashSet<>();
    held.values().forEach(places::addAll);
    List<Long> place = List.of();
    int depth = 0;
    while (depth < query.length) {
      place = append(place, query[depth]);
      if (!places.contains(place)) {
        return depth;
      }
      depth++;
    }
    return depth;
  }
}
