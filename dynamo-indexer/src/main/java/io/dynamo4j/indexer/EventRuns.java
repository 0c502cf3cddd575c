// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import java.util.List;

/** Whether events that a source has sent for a gap close it. */
final class EventRuns {
  private EventRuns() {}

  /**
   * Returns whether these events bring one who has everything before {@code nextId} to {@code
   * lastId}: numbers rise, without a hole if they are said to be whole, and begin at or before
   * {@code nextId}, or with a clear, before which nothing matters.
   */
  static boolean continues(List<RouterEvent> events, long nextId, long lastId, boolean isWhole) {
    if (events.isEmpty()) {
      return !isWhole || Long.compareUnsigned(lastId + 1, nextId) <= 0;
    }
    RouterEvent first = events.get(0);
    if (isWhole
        && Long.compareUnsigned(first.event().eventId(), nextId) > 0
        && !(first.event().data() instanceof KvCacheEventData.Cleared)) {
      return false;
    }
    long before = first.event().eventId();
    for (RouterEvent event : events.subList(1, events.size())) {
      long id = event.event().eventId();
      if (isWhole ? id != before + 1 : Long.compareUnsigned(id, before) <= 0) {
        return false;
      }
      before = id;
    }
    return isWhole ? before == lastId : Long.compareUnsigned(before, lastId) <= 0;
  }
}
