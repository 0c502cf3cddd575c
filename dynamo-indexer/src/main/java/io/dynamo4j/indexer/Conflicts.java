// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ranks for which two publishers write. Belongs to the feed's lane, except for {@link #list}. */
final class Conflicts {
  private static final Logger LOG = LoggerFactory.getLogger(KvEventFeed.class);

  private record Seen(SourceConflict conflict, long lastNanos) {}

  private final ConcurrentNavigableMap<WorkerWithDpRank, Seen> present =
      new ConcurrentSkipListMap<>();

  void note(WorkerWithDpRank worker, EventSource writer, EventSource other, long nowNanos) {
    SourceConflict conflict = new SourceConflict(worker, writer.publisherId, other.publisherId);
    if (present.put(worker, new Seen(conflict, nowNanos)) == null
        && writer.publisherId != other.publisherId) {
      LOG.warn("two publishers write for one rank, the first counts: conflict={}", conflict);
    }
  }

  void remove(WorkerWithDpRank worker) {
    present.remove(worker);
  }

  /** Forgets conflicts of which nothing was seen after that moment. */
  void expire(long sinceNanos) {
    present.values().removeIf(seen -> seen.lastNanos() - sinceNanos <= 0);
  }

  List<SourceConflict> list() {
    List<SourceConflict> list = new ArrayList<>();
    present.values().forEach(seen -> list.add(seen.conflict()));
    return List.copyOf(list);
  }
}
