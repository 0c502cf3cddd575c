// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.durable;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one rank's engine holds, in plain collections: blocks below blocks, removed from the leaves.
 * The truth that indexes are compared with.
 */
public final class ModelCache {
  private static final int CONTENTS = 3;
  private static final int MOST_BLOCKS = 40;

  private final WorkerWithDpRank rank;
  private final List<Block> held = new ArrayList<>();

  private ModelCache(WorkerWithDpRank rank) {
    this.rank = rank;
  }

  /** Returns the cache of a rank, empty. */
  public static ModelCache of(WorkerWithDpRank rank) {
    return new ModelCache(rank);
  }

  public WorkerWithDpRank rank() {
    return rank;
  }

  /** Changes something and returns what changed. */
  public KvCacheEventData change(RandomSource random) {
    int draw = random.nextInt(100);
    if (draw < 2) {
      held.clear();
      return KvCacheEventData.Cleared.instance();
    }
    return held.size() >= MOST_BLOCKS || (draw < 35 && !held.isEmpty())
        ? remove(random)
        : store(random);
  }

  private KvCacheEventData store(RandomSource random) {
    Block parent =
        held.isEmpty() || random.nextInt(4) == 0 ? null : held.get(random.nextInt(held.size()));
    int count = 1 + random.nextInt(3);
    long[] hashes = new long[count];
    long[] contents = new long[count];
    Block above = parent;
    for (int i = 0; i < count; i++) {
      Block block = new Block(above, 1 + random.nextInt(CONTENTS));
      hashes[i] = block.hash;
      contents[i] = block.content;
      Block same = find(block.hash);
      if (same == null) {
        held.add(block);
      }
      above = same == null ? block : same;
    }
    return parent == null
        ? KvCacheEventData.Stored.atRoot(hashes, contents)
        : KvCacheEventData.Stored.under(parent.hash, hashes, contents);
  }

  private KvCacheEventData remove(RandomSource random) {
    Block leaf = held.get(random.nextInt(held.size()));
    for (Block below = childOf(leaf); below != null; below = childOf(leaf)) {
      leaf = below;
    }
    held.remove(leaf);
    return KvCacheEventData.Removed.of(new long[] {leaf.hash});
  }

  private @Nullable Block childOf(Block parent) {
    for (Block block : held) {
      if (block.parent == parent) {
        return block;
      }
    }
    return null;
  }

  private @Nullable Block find(long hash) {
    for (Block block : held) {
      if (block.hash == hash) {
        return block;
      }
    }
    return null;
  }

  /** Returns how many blocks are held. */
  public int size() {
    return held.size();
  }

  /** Returns the contents from the root to each block. */
  public List<long[]> paths() {
    return held.stream().map(Block::path).toList();
  }

  private static final class Block {
    final @Nullable Block parent;
    final long hash;
    final long content;
    private final int depth;

    Block(@Nullable Block parent, long content) {
      this.parent = parent;
      this.content = content;
      this.depth = parent == null ? 1 : parent.depth + 1;
      this.hash = (parent == null ? 17 : parent.hash) * 1_000_003 + content;
    }

    long[] path() {
      long[] path = new long[depth];
      @Nullable Block at = this;
      for (int i = depth - 1; at != null; i--) {
        path[i] = at.content;
        at = at.parent;
      }
      return path;
    }
  }
}
