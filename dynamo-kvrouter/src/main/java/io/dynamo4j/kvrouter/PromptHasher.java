// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.RoutingHints;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The block hasher of each adapter and cache namespace.
 *
 * <p>Both names come from callers, so the number kept is bounded: the least recently used is made
 * anew when it comes again, which costs two short hashes. The base model takes no lock.
 *
 * <p><b>Threads.</b> Any.
 */
final class PromptHasher {
  static final int MAX_HASHERS = 1_024;

  private final int blockSize;
  private final BlockHasher base;
  private final ReentrantLock lock = new ReentrantLock();
  private final RecentHashers others = new RecentHashers();

  private record Names(String loraName, String cacheNamespace) {}

  /** Ordered by use, bounded. */
  private static final class RecentHashers extends LinkedHashMap<Names, BlockHasher> {
    private static final long serialVersionUID = 1L;

    RecentHashers() {
      super(16, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<Names, BlockHasher> eldest) {
      return size() > MAX_HASHERS;
    }
  }

  PromptHasher(int blockSize) {
    this.blockSize = blockSize;
    this.base = BlockHasher.of(BlockHashOptions.of(blockSize));
  }

  BlockHasher of(RoutingHints hints) {
    if (hints.loraName().isEmpty() && hints.cacheNamespace().isEmpty()) {
      return base;
    }
    Names names = new Names(hints.loraName(), hints.cacheNamespace());
    lock.lock();
    try {
      return others.computeIfAbsent(names, this::create);
    } finally {
      lock.unlock();
    }
  }

  int size() {
    lock.lock();
    try {
      return others.size();
    } finally {
      lock.unlock();
    }
  }

  private BlockHasher create(Names names) {
    return BlockHasher.of(
        BlockHashOptions.builder(blockSize)
            .loraName(names.loraName())
            .cacheNamespace(names.cacheNamespace())
            .build());
  }
}
