// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Numbers a writer's events, each rank's from 1. The first of a rank is always a clear: it takes
 * the rank over from whoever wrote it before. Behind a clear a rank begins anew, so of one that is
 * gone nothing is kept.
 */
final class RankNumbers {
  private final Map<WorkerWithDpRank, Numbers> ranks = new TreeMap<>();

  /** Adds an event to an entry under its number, behind a clear if it is its rank's first. */
  void number(RouterEvent event, List<RouterEvent> out) {
    boolean isClear = event.event().data() instanceof KvCacheEventData.Cleared;
    Numbers numbers = ranks.computeIfAbsent(event.worker(), rank -> new Numbers());
    if (numbers.last == 0 && !isClear) {
      out.add(next(clear(event.worker()), numbers));
    }
    out.add(next(event, numbers));
    if (isClear) {
      ranks.remove(event.worker());
    }
  }

  private static RouterEvent next(RouterEvent event, Numbers numbers) {
    numbers.last++;
    return RouterEvent.of(
        event.workerId(),
        event.tier(),
        KvCacheEvent.of(numbers.last, event.worker().dpRank(), event.event().data()));
  }

  /** Returns clears of all ranks that may hold something. */
  List<RouterEvent> clears() {
    return ranks.keySet().stream().map(RankNumbers::clear).toList();
  }

  /** Returns clears of a worker's ranks that may hold something. */
  List<RouterEvent> clears(long workerId) {
    return ranks.keySet().stream()
        .filter(rank -> rank.workerId() == workerId)
        .map(RankNumbers::clear)
        .toList();
  }

  static RouterEvent clear(WorkerWithDpRank rank) {
    return RouterEvent.of(
        rank.workerId(),
        StorageTier.DEVICE,
        KvCacheEvent.of(0, rank.dpRank(), KvCacheEventData.Cleared.instance()));
  }

  private static final class Numbers {
    long last;
  }
}
