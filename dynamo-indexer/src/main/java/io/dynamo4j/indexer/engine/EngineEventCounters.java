// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/** Counted on the lane, read from anywhere. */
final class EngineEventCounters {
  private final Map<EngineEventCounter, AtomicLong> counts =
      new EnumMap<>(EngineEventCounter.class);
  private final Map<EngineEventReject, AtomicLong> rejects = new EnumMap<>(EngineEventReject.class);

  EngineEventCounters() {
    for (EngineEventCounter counter : EngineEventCounter.values()) {
      counts.put(counter, new AtomicLong());
    }
    for (EngineEventReject reason : EngineEventReject.values()) {
      rejects.put(reason, new AtomicLong());
    }
  }

  void add(EngineEventCounter counter, long more) {
    AtomicLong count = Objects.requireNonNull(counts.get(counter), "counter");
    count.lazySet(count.get() + more);
  }

  void reject(EngineEventReject reason) {
    AtomicLong count = Objects.requireNonNull(rejects.get(reason), "reason");
    count.lazySet(count.get() + 1);
  }

  EngineEventStatus status() {
    Map<EngineEventCounter, Long> countsNow = new EnumMap<>(EngineEventCounter.class);
    counts.forEach((counter, count) -> countsNow.put(counter, count.get()));
    Map<EngineEventReject, Long> rejectsNow = new EnumMap<>(EngineEventReject.class);
    rejects.forEach((reason, count) -> rejectsNow.put(reason, count.get()));
    return new EngineEventStatus(countsNow, rejectsNow);
  }
}
