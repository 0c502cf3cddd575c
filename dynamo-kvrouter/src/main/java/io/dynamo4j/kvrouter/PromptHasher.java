// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.runtime.OrderIrrelevant;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The block hasher of each adapter and cache namespace.
 *
 * <p>Both names come from callers, so the number kept is bounded: a full table starts over, which
 * costs two short hashes a name.
 *
 * <p><b>Threads.</b> Any.
 */
@OrderIrrelevant("hashers are only looked up by name")
final class PromptHasher {
  private static final int MAX_HASHERS = 1_024;

  private final int blockSize;
  private final BlockHasher base;
  private final ConcurrentHashMap<Names, BlockHasher> others = new ConcurrentHashMap<>();

  private record Names(String loraName, String cacheNamespace) {}

  PromptHasher(int blockSize) {
    this.blockSize = blockSize;
    this.base = BlockHasher.of(BlockHashOptions.builder(blockSize).build());
  }

  BlockHasher of(RoutingHints hints) {
    if (hints.loraName().isEmpty() && hints.cacheNamespace().isEmpty()) {
      return base;
    }
    if (others.size() >= MAX_HASHERS) {
      others.clear();
    }
    return others.computeIfAbsent(
        new Names(hints.loraName(), hints.cacheNamespace()), this::create);
  }

  int size() {
    return others.size();
  }

  private BlockHasher create(Names names) {
    return BlockHasher.of(
        BlockHashOptions.builder(blockSize)
            .loraName(names.loraName())
            .cacheNamespace(names.cacheNamespace())
            .build());
  }
}
