// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/**
 * Gathers what changes in the cache and hands it over in batches, numbered from 0.
 *
 * <p>Order is kept; removals that follow one another become one event.
 */
final class CacheEventLog {
  private final int dpRank;
  private final Consumer<List<KvCacheEvent>> sink;
  private List<KvCacheEvent> batch = new ArrayList<>();
  private long[] removed = new long[16];
  private int removedCount;
  private long nextEventId;
  private long storedBlockCount;
  private long removedBlockCount;

  CacheEventLog(int dpRank, Consumer<List<KvCacheEvent>> sink) {
    this.dpRank = dpRank;
    this.sink = sink;
  }

  /** Blocks {@code [from, to)} of a request are now in the cache. */
  void stored(EngineRequest request, int from, int to) {
    if (from == to) {
      return;
    }
    closeRemoved();
    long[] blockHashes = Arrays.copyOfRange(request.sequenceHashes, from, to);
    long[] tokensHashes = Arrays.copyOfRange(request.localHashes, from, to);
    storedBlockCount += to - from;
    add(
        from == 0
            ? KvCacheEventData.Stored.atRoot(blockHashes, tokensHashes)
            : KvCacheEventData.Stored.under(
                request.sequenceHashes[from - 1], blockHashes, tokensHashes));
  }

  void removed(long hash) {
    if (removedCount == removed.length) {
      removed = Arrays.copyOf(removed, removedCount * 2);
    }
    removed[removedCount++] = hash;
  }

  void cleared() {
    closeRemoved();
    add(KvCacheEventData.Cleared.instance());
  }

  /** Hands the batch over; nothing happens if it is empty. */
  void flush() {
    closeRemoved();
    if (batch.isEmpty()) {
      return;
    }
    List<KvCacheEvent> events = Collections.unmodifiableList(batch);
    batch = new ArrayList<>();
    sink.accept(events);
  }

  long nextEventId() {
    return nextEventId;
  }

  long storedBlockCount() {
    return storedBlockCount;
  }

  long removedBlockCount() {
    return removedBlockCount;
  }

  private void closeRemoved() {
    if (removedCount > 0) {
      removedBlockCount += removedCount;
      add(KvCacheEventData.Removed.of(Arrays.copyOf(removed, removedCount)));
      removedCount = 0;
    }
  }

  private void add(KvCacheEventData data) {
    batch.add(KvCacheEvent.of(nextEventId++, dpRank, data));
  }
}
