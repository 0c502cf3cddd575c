// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.hash;

/**
 * Chains local block hashes into sequence hashes: each names a block together with everything
 * before it.
 *
 * <p>The first equals its local hash. The chain has one seed for every model: LoRA, namespace,
 * images and EAGLE windows enter through the local hashes only.
 */
public final class SequenceHasher {
  /** Seed of the chain, and base of every request's own seed. */
  public static final long CHAIN_SEED = 1337;

  private static final XxHash3 CHAIN = XxHash3.seeded(CHAIN_SEED);

  private SequenceHasher() {}

  /** Returns the sequence hash of a block that follows a block. No allocation. */
  public static long next(long parentSequenceHash, long localHash) {
    return CHAIN.hash(parentSequenceHash, localHash);
  }

  /**
   * Writes the sequence hash of each of the first {@code count} blocks. No allocation.
   *
   * @param out may be {@code localHashes} itself
   * @throws IllegalArgumentException if {@code count} is negative or above the length of an array
   */
  public static void hash(long[] localHashes, int count, long[] out) {
    if (count < 0 || count > localHashes.length || count > out.length) {
      throw new IllegalArgumentException(
          "cannot chain hashes: count="
              + count
              + ", localHashes.length="
              + localHashes.length
              + ", out.length="
              + out.length);
    }
    if (count == 0) {
      return;
    }
    long hash = localHashes[0];
    out[0] = hash;
    for (int i = 1; i < count; i++) {
      hash = CHAIN.hash(hash, localHashes[i]);
      out[i] = hash;
    }
  }
}
