// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.index;

import io.dynamo4j.core.collect.LongObjectMap;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Which block follows which, as the engines themselves said; a block's hash names its whole prefix,
 * whoever holds it.
 */
final class BlockLedger {
  private record Block(boolean hasParent, long parent, long local) {}

  private final LongObjectMap<Block> blocks = LongObjectMap.create(0);

  void note(List<KvCacheEvent> events) {
    for (KvCacheEvent event : events) {
      if (event.data() instanceof KvCacheEventData.Stored stored) {
        boolean hasParent = stored.hasParent();
        long parent = stored.parentHash();
        for (int i = 0; i < stored.blockCount(); i++) {
          long hash = stored.blockHashes()[i];
          blocks.put(hash, new Block(hasParent, parent, stored.tokensHashes()[i]));
          hasParent = true;
          parent = hash;
        }
      }
    }
  }

  /** Returns the local hashes from the root to a block. */
  long[] pathTo(long hash) {
    List<Block> path = new ArrayList<>();
    Block block = known(hash);
    path.add(block);
    while (block.hasParent()) {
      block = known(block.parent());
      path.add(block);
    }
    Collections.reverse(path);
    return path.stream().mapToLong(Block::local).toArray();
  }

  private Block known(long hash) {
    Block block = blocks.get(hash);
    if (block == null) {
      throw new IllegalStateException(
          "engine holds a block that it never announced: hash=" + Long.toUnsignedString(hash));
    }
    return block;
  }
}
