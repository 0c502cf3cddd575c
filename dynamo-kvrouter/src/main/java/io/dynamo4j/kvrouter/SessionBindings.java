// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Which worker each session is bound to, the one unused longest first. Any thread. */
final class SessionBindings {
  private final NanoClock clock;
  private final long idleNanos;
  private final int capacity;
  private final ReentrantLock lock = new ReentrantLock();
  private final LinkedHashMap<String, Binding> bySession = new LinkedHashMap<>();

  private record Binding(WorkerWithDpRank worker, long usedNanos) {}

  SessionBindings(NanoClock clock, long idleNanos, int capacity) {
    this.clock = clock;
    this.idleNanos = idleNanos;
    this.capacity = capacity;
  }

  /** Returns a session's worker, or null, and notes that the binding was used. */
  @Nullable WorkerWithDpRank use(String session) {
    lock.lock();
    try {
      expire();
      Binding binding = bySession.get(session);
      if (binding != null) {
        put(session, binding.worker);
      }
      return binding == null ? null : binding.worker;
    } finally {
      lock.unlock();
    }
  }

  void bind(String session, WorkerWithDpRank worker) {
    lock.lock();
    try {
      expire();
      put(session, worker);
      if (bySession.size() > capacity) {
        bySession.remove(bySession.keySet().iterator().next());
      }
    } finally {
      lock.unlock();
    }
  }

  int size() {
    lock.lock();
    try {
      expire();
      return bySession.size();
    } finally {
      lock.unlock();
    }
  }

  /** Moves the session to the end: the order is that of use. */
  private void put(String session, WorkerWithDpRank worker) {
    bySession.remove(session);
    bySession.put(session, new Binding(worker, clock.nanoTime()));
  }

  private void expire() {
    long now = clock.nanoTime();
    Iterator<Map.Entry<String, Binding>> oldest = bySession.entrySet().iterator();
    while (oldest.hasNext() && now - oldest.next().getValue().usedNanos >= idleNanos) {
      oldest.remove();
    }
  }
}
