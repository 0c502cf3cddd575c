// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.engine;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** Keeps the hashers of the adapters and namespaces that were used last. */
final class BlockHashers {
  private static final int KEPT = 64;

  private record Key(String loraName, String namespace, boolean eagle) {}

  private final int blockSize;
  private final BlockHasher plain;
  private final Map<Key, BlockHasher> others = new LinkedHashMap<>(16, 0.75f, true);

  BlockHashers(int blockSize) {
    this.blockSize = blockSize;
    this.plain = BlockHasher.of(BlockHashOptions.of(blockSize));
  }

  BlockHasher get(String loraName, String namespace, boolean eagle) {
    if (loraName.isEmpty() && namespace.isEmpty() && !eagle) {
      return plain;
    }
    Key key = new Key(loraName, namespace, eagle);
    BlockHasher hasher = others.get(key);
    if (hasher == null) {
      hasher =
          BlockHasher.of(
              BlockHashOptions.builder(blockSize)
                  .loraName(loraName)
                  .cacheNamespace(namespace)
                  .eagle(eagle)
                  .build());
      makeRoom();
      others.put(key, hasher);
    }
    return hasher;
  }

  private void makeRoom() {
    if (others.size() >= KEPT) {
      Iterator<Key> eldest = others.keySet().iterator();
      eldest.next();
      eldest.remove();
    }
  }
}
