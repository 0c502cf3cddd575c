// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.RouterEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Events that wait for the directory, oldest first, bounded by blocks. */
final class HeldEvents {

  /** One waiting event. */
  record Held(RouterEvent event, EventSource source, long sinceNanos) {
    // An event without blocks takes room as well.
    int weight() {
      return 1 + event.event().data().blockCount();
    }
  }

  private final Deque<Held> waiting = new ArrayDeque<>();
  private final int maxWeight;
  private int weight;

  HeldEvents(int maxWeight) {
    this.maxWeight = maxWeight;
  }

  int size() {
    return waiting.size();
  }

  /** Adds an event and returns those that had to give way, perhaps itself. */
  List<Held> add(Held held) {
    waiting.addLast(held);
    weight += held.weight();
    List<Held> displaced = new ArrayList<>();
    while (weight > maxWeight) {
      Held oldest = waiting.removeFirst();
      weight -= oldest.weight();
      displaced.add(oldest);
    }
    return displaced;
  }

  /** Takes out the events of one worker, oldest first. */
  List<Held> takeOf(long workerId) {
    List<Held> taken = new ArrayList<>();
    for (Iterator<Held> each = waiting.iterator(); each.hasNext(); ) {
      Held held = each.next();
      if (held.event().workerId() == workerId) {
        each.remove();
        weight -= held.weight();
        taken.add(held);
      }
    }
    return taken;
  }

  /** Takes out the oldest event if it has waited since then or longer, null otherwise. */
  @Nullable Held takeWaitingSince(long nanos) {
    Held oldest = waiting.peekFirst();
    if (oldest == null || oldest.sinceNanos() - nanos > 0) {
      return null;
    }
    waiting.removeFirst();
    weight -= oldest.weight();
    return oldest;
  }
}
