// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import io.dynamo4j.plane.EventEnvelope;
import java.util.concurrent.CopyOnWriteArrayList;

/** Who listens to one topic of one scope. */
final class MemoryTopic {
  /** Publishers and subscriptions that hold this topic; guarded by the plane's map. */
  int users;

  private final CopyOnWriteArrayList<MemorySubscription> subscriptions =
      new CopyOnWriteArrayList<>();
  private volatile boolean closed;

  void add(MemorySubscription subscription) {
    subscriptions.add(subscription);
    if (closed) {
      subscription.close();
    }
  }

  void remove(MemorySubscription subscription) {
    subscriptions.remove(subscription);
  }

  void deliver(EventEnvelope envelope) {
    for (MemorySubscription subscription : subscriptions) {
      subscription.offer(envelope);
    }
  }

  boolean isClosed() {
    return closed;
  }

  void close() {
    closed = true;
    subscriptions.forEach(MemorySubscription::close);
  }
}
