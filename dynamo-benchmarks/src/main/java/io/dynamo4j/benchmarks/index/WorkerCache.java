// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** The blocks of one worker by external hash, least recent first. */
final class WorkerCache {
  private final Map<Long, Boolean> blocks = new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true);
  private final int capacity;

  WorkerCache(int capacity) {
    this.capacity = capacity;
  }

  int size() {
    return blocks.size();
  }

  boolean holds(long hash) {
    return blocks.containsKey(hash);
  }

  /** Returns how many blocks of the chain from its first on are held. */
  int hit(long[] chain) {
    int hit = 0;
    while (hit < chain.length && holds(chain[hit])) {
      hit++;
    }
    return hit;
  }

  /** Takes a chain in and returns what had to leave, in order. */
  long[] take(long[] chain, int hit, LogShape.Evict evict) {
    for (int i = chain.length - 1; i >= 0; i--) {
      blocks.get(chain[i]); // makes it the most recent
    }
    int missing = 0;
    for (int i = hit; i < chain.length; i++) {
      missing += holds(chain[i]) ? 0 : 1;
    }
    long[] evicted = evict(missing);
    for (int i = 0; i < chain.length; i++) {
      blocks.put(chain[evict == LogShape.Evict.TAIL ? chain.length - 1 - i : i], true);
    }
    return evicted;
  }

  private long[] evict(int missing) {
    long[] evicted = new long[Math.max(0, blocks.size() + missing - capacity)];
    int count = 0;
    while (blocks.size() + missing > capacity) {
      long oldest = blocks.keySet().iterator().next();
      blocks.remove(oldest);
      evicted[count++] = oldest;
    }
    return Arrays.copyOf(evicted, count);
  }
}
