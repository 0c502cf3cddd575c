// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import org.jspecify.annotations.Nullable;

/**
 * Finds a run by its parent and its first hash.
 *
 * <p><b>Layout.</b> Chains through the runs themselves, so that adding makes no object. Hashes may
 * be chosen by a peer: they are mixed with a seed that the owner draws.
 *
 * <p><b>Threads.</b> Not thread-safe. <b>Cost.</b> O(1) expected; allocates only when it grows, at
 * one run a bucket.
 */
final class PrefixRunTable {
  private static final int INITIAL_BUCKETS = 64;
  private static final int MAX_BUCKETS = 1 << 29;

  private final long seed;
  private @Nullable PrefixRun[] buckets = new @Nullable PrefixRun[INITIAL_BUCKETS];
  private int size;

  PrefixRunTable(long seed) {
    this.seed = seed;
  }

  int size() {
    return size;
  }

  @Nullable PrefixRun find(PrefixRun parent, long firstHash) {
    for (PrefixRun run = buckets[bucket(firstHash, buckets.length)];
        run != null;
        run = run.nextInBucket) {
      if (run.parent == parent && run.firstHash() == firstHash) {
        return run;
      }
    }
    return null;
  }

  void add(PrefixRun run) {
    if (size == buckets.length && size < MAX_BUCKETS) {
      grow();
    }
    link(run, buckets);
    size++;
  }

  /** Takes out a run; before its parent or its first hash becomes another. */
  void remove(PrefixRun run) {
    int bucket = bucket(run.firstHash(), buckets.length);
    PrefixRun before = null;
    for (PrefixRun at = buckets[bucket]; at != null && at != run; at = at.nextInBucket) {
      before = at;
    }
    if (before == null) {
      buckets[bucket] = run.nextInBucket;
    } else {
      before.nextInBucket = run.nextInBucket;
    }
    run.nextInBucket = null;
    size--;
  }

  private void grow() {
    @Nullable PrefixRun[] wider = new @Nullable PrefixRun[buckets.length * 2];
    for (PrefixRun first : buckets) {
      for (PrefixRun run = first; run != null; ) {
        PrefixRun next = run.nextInBucket;
        link(run, wider);
        run = next;
      }
    }
    buckets = wider;
  }

  private void link(PrefixRun run, @Nullable PrefixRun[] into) {
    int bucket = bucket(run.firstHash(), into.length);
    run.nextInBucket = into[bucket];
    into[bucket] = run;
  }

  private int bucket(long hash, int count) {
    return (int) DecisionRandom.mix(hash ^ seed) & (count - 1);
  }
}
