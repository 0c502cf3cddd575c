// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.source;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import java.util.ArrayList;
import java.util.List;

/** The last events of one rank, their numbers consecutive from 1. One thread at a time. */
final class RecentEvents {
  private final RouterEvent[] ring;
  private long lastId;
  private long lastClearId;

  RecentEvents(int capacity) {
    this.ring = new RouterEvent[capacity];
  }

  /** Returns the number of the newest event, 0 before the first. */
  long lastId() {
    return lastId;
  }

  /** Returns the number of the oldest event that is still here; one past the newest if none is. */
  long firstId() {
    return Math.max(1, lastId - ring.length + 1);
  }

  int capacity() {
    return ring.length;
  }

  /** Returns whether everything was cleared by an event after this number. */
  boolean hasClearAfter(long id) {
    return lastClearId > id;
  }

  /** Adds the event that bears the number after the newest. */
  void add(RouterEvent event) {
    long id = event.event().eventId();
    if (id != lastId + 1) {
      throw new IllegalArgumentException(
          "event is out of order: eventId=" + id + ", expected=" + (lastId + 1));
    }
    lastId = id;
    ring[slot(id)] = event;
    if (event.event().data() instanceof KvCacheEventData.Cleared) {
      lastClearId = id;
    }
  }

  /** Returns the events from this number on, which must still be here. */
  List<RouterEvent> since(long id) {
    List<RouterEvent> events = new ArrayList<>((int) (lastId - id + 1));
    for (long each = id; each <= lastId; each++) {
      events.add(ring[slot(each)]);
    }
    return events;
  }

  /** Returns what suffices of {@link #since}: nothing before the last clear matters. */
  List<RouterEvent> neededSince(long id) {
    return since(Math.max(id, lastClearId));
  }

  private int slot(long id) {
    return (int) (id % ring.length);
  }
}
