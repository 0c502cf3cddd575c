// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import org.jspecify.annotations.Nullable;

/**
 * What happened to a worker's cache: blocks stored, blocks removed, or everything cleared.
 *
 * <p>Blocks are parallel {@code long[]}, never an object a block. Arrays are not copied in or out:
 * whoever builds an event hands them over and nobody writes to them again.
 */
public sealed interface KvCacheEventData
    permits KvCacheEventData.Stored, KvCacheEventData.Removed, KvCacheEventData.Cleared {

  /** Returns the number of blocks named; 0 for {@link Cleared}. */
  int blockCount();

  /** Blocks that now hang, one after the other, under a parent. */
  final class Stored implements KvCacheEventData {
    private final boolean hasParent;
    private final long parentHash;
    private final long[] blockHashes;
    private final long[] tokensHashes;

    private Stored(boolean hasParent, long parentHash, long[] blockHashes, long[] tokensHashes) {
      if (blockHashes.length != tokensHashes.length) {
        throw new IllegalArgumentException(
            "block and token hashes differ in number: blockHashes="
                + blockHashes.length
                + ", tokensHashes="
                + tokensHashes.length);
      }
      this.hasParent = hasParent;
      this.parentHash = parentHash;
      this.blockHashes = blockHashes;
      this.tokensHashes = tokensHashes;
    }

    /** Blocks that begin a sequence. */
    public static Stored atRoot(long[] blockHashes, long[] tokensHashes) {
      return new Stored(false, 0, blockHashes, tokensHashes);
    }

    /** Blocks that continue the block which the same worker stored as {@code parentHash}. */
    public static Stored under(long parentHash, long[] blockHashes, long[] tokensHashes) {
      return new Stored(true, parentHash, blockHashes, tokensHashes);
    }

    public boolean hasParent() {
      return hasParent;
    }

    /** Returns the parent's external hash; meaningless unless {@link #hasParent()}. */
    public long parentHash() {
      return parentHash;
    }

    /** Returns the engine's own (external, opaque) hash of each block; not to be modified. */
    public long[] blockHashes() {
      return blockHashes;
    }

    /** Returns the local content hash of each block; not to be modified. */
    public long[] tokensHashes() {
      return tokensHashes;
    }

    @Override
    public int blockCount() {
      return blockHashes.length;
    }
  }

  /** Blocks that left the cache, by external hash. */
  final class Removed implements KvCacheEventData {
    private final long[] blockHashes;

    private Removed(long[] blockHashes) {
      this.blockHashes = blockHashes;
    }

    public static Removed of(long[] blockHashes) {
      return new Removed(blockHashes);
    }

    /** Returns the external hashes; not to be modified. */
    public long[] blockHashes() {
      return blockHashes;
    }

    @Override
    public int blockCount() {
      return blockHashes.length;
    }
  }

  /** Every block of the emitting rank is gone. */
  final class Cleared implements KvCacheEventData {
    private static final Cleared INSTANCE = new Cleared();

    private Cleared() {}

    public static Cleared instance() {
      return INSTANCE;
    }

    @Override
    public int blockCount() {
      return 0;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Cleared;
    }

    @Override
    public int hashCode() {
      return 1;
    }
  }
}
