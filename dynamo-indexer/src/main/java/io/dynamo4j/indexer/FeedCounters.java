// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/** Counters of a feed. Any thread. */
final class FeedCounters {
  private final Map<FeedCounter, AtomicLong> counts = new EnumMap<>(FeedCounter.class);

  FeedCounters() {
    for (FeedCounter counter : FeedCounter.values()) {
      counts.put(counter, new AtomicLong());
    }
  }

  void add(FeedCounter counter, long more) {
    if (more != 0) {
      Objects.requireNonNull(counts.get(counter), "counter").addAndGet(more);
    }
  }

  Map<FeedCounter, Long> now() {
    Map<FeedCounter, Long> now = new EnumMap<>(FeedCounter.class);
    counts.forEach((counter, value) -> now.put(counter, value.get()));
    return now;
  }
}
