// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.RouterEvent;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Events of one rank that wait for those before them, by number, each number once; bounded by
 * events and by blocks. Belongs to the feed's lane.
 */
final class HeldBack {
  private static final int MAX_BLOCKS = 1 << 18;

  private final TreeSet<RouterEvent> events =
      new TreeSet<>((a, b) -> Long.compareUnsigned(idOf(a), idOf(b)));
  private final int maxEvents;
  private int blocks;

  HeldBack(int maxEvents) {
    this.maxEvents = maxEvents;
  }

  private static long idOf(RouterEvent event) {
    return event.event().eventId();
  }

  boolean isEmpty() {
    return events.isEmpty();
  }

  /** Adds an event; those with the lowest numbers give way, which shows as a gap later. */
  void add(RouterEvent event) {
    if (events.add(event)) {
      blocks += event.event().data().blockCount();
    }
    while (events.size() > maxEvents || (blocks > MAX_BLOCKS && events.size() > 1)) {
      removeFirst();
    }
  }

  /** Takes out the event of this number if none is before it, null otherwise. */
  @Nullable RouterEvent take(long id) {
    return !events.isEmpty() && idOf(events.first()) == id ? removeFirst() : null;
  }

  /** Drops the events of lower numbers. */
  void dropBelow(long id) {
    while (!events.isEmpty() && Long.compareUnsigned(idOf(events.first()), id) < 0) {
      removeFirst();
    }
  }

  /** Takes out the event with the lowest number, null if there is none. */
  @Nullable RouterEvent poll() {
    return events.isEmpty() ? null : removeFirst();
  }

  int size() {
    return events.size();
  }

  void clear() {
    events.clear();
    blocks = 0;
  }

  private RouterEvent removeFirst() {
    RouterEvent first = events.first();
    events.remove(first);
    blocks -= first.event().data().blockCount();
    return first;
  }
}
