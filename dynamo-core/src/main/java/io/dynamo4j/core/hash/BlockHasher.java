// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.hash;

import io.dynamo4j.core.token.BlockHashing;
import io.dynamo4j.core.token.TokenSlice;
import java.util.Arrays;

/**
 * Turns tokens into local block hashes: one per full block, a function of the block's content and
 * the {@link BlockHashOptions} alone.
 *
 * <p>A trailing partial block is ignored, because engines cache full blocks only. A prompt shorter
 * than one block has no hashes, and that is no error.
 *
 * <p><b>Shapes.</b> Block {@code i} covers tokens {@code [i * B, i * B + window)}, where window is
 * {@code B}, or {@code B + 1} with EAGLE. Hashes are unsigned 64-bit patterns.
 *
 * <p><b>Threads.</b> Immutable; safe for concurrent use.
 *
 * <p><b>Cost.</b> O(tokens), no allocation, except that a block with multimodal hashes is copied.
 *
 * <p><b>Source.</b> XXH3-64 over little-endian token bytes, then the multimodal hashes, with the
 * seed rule of Dynamo 1.6.1, confirmed by recorded cases.
 */
public final class BlockHasher implements BlockHashing {
  private final BlockHashOptions options;
  private final int blockSize;
  private final long windowSize;
  private final XxHash3 xxHash3;

  private BlockHasher(BlockHashOptions options) {
    this.options = options;
    this.blockSize = options.blockSize();
    this.windowSize = options.windowSize();
    this.xxHash3 = XxHash3.seeded(options.seed());
  }

  public static BlockHasher of(BlockHashOptions options) {
    return new BlockHasher(options);
  }

  public BlockHashOptions options() {
    return options;
  }

  @Override
  public int blockSize() {
    return blockSize;
  }

  @Override
  public long windowSize() {
    return windowSize;
  }

  /**
   * Returns the number of full blocks in {@code tokenCount} tokens.
   *
   * @throws IllegalArgumentException if {@code tokenCount} is negative
   */
  public int blockCount(int tokenCount) {
    if (tokenCount < 0) {
      throw new IllegalArgumentException(
          "token count must not be negative: tokenCount=" + tokenCount);
    }
    long overlap = windowSize - blockSize;
    return (int) (Math.max(tokenCount - overlap, 0) / blockSize);
  }

  /**
   * Writes the local hash of every full block.
   *
   * @param out at least {@code blockCount(tokens.length())} long
   * @return number of hashes written
   * @throws IllegalArgumentException if {@code out} is too short; nothing is written then
   */
  public int hash(TokenSlice tokens, long[] out) {
    int count = blockCountFitting(tokens, out);
    xxHash3.hashAll(
        tokens.backingArray(), tokens.backingOffset(), blockSize, (int) windowSize, count, out);
    return count;
  }

  /**
   * Writes the local hash of every full block of a prompt with images or other media.
   *
   * @param mmHashesPerBlock the hashes of the objects that touch each block, in any order,
   *     repetitions counting; a list shorter than the blocks means none for the rest, a longer one
   *     is cut. Not modified
   * @param out at least {@code blockCount(tokens.length())} long
   * @return number of hashes written
   * @throws IllegalArgumentException if {@code out} is too short; nothing is written then
   */
  public int hash(TokenSlice tokens, long[][] mmHashesPerBlock, long[] out) {
    int count = hash(tokens, out);
    int withMedia = Math.min(count, mmHashesPerBlock.length);
    for (int i = 0; i < withMedia; i++) {
      if (mmHashesPerBlock[i].length > 0) {
        int offset = tokens.backingOffset() + i * blockSize;
        out[i] = localHash(tokens.backingArray(), offset, mmHashesPerBlock[i]);
      }
    }
    return count;
  }

  /** Returns the hashes of all full blocks in a new array. */
  public long[] hash(TokenSlice tokens) {
    long[] out = new long[blockCount(tokens.length())];
    hash(tokens, out);
    return out;
  }

  @Override
  public long localHash(int[] tokens, int offset) {
    return xxHash3.hash(tokens, offset, Math.toIntExact(windowSize));
  }

  @Override
  public long sequenceHash(long parentHash, long localHash) {
    return SequenceHasher.next(parentHash, localHash);
  }

  private long localHash(int[] tokens, int offset, long[] mmHashes) {
    int window = (int) windowSize;
    long[] sorted = mmHashes.clone();
    sortUnsigned(sorted);
    int[] content = Arrays.copyOfRange(tokens, offset, offset + window + 2 * sorted.length);
    for (int i = 0; i < sorted.length; i++) {
      content[window + 2 * i] = (int) sorted[i];
      content[window + 2 * i + 1] = (int) (sorted[i] >>> 32);
    }
    return xxHash3.hash(content, 0, content.length);
  }

  /** Flipping the top bit maps unsigned order to signed order. */
  private static void sortUnsigned(long[] values) {
    for (int i = 0; i < values.length; i++) {
      values[i] ^= Long.MIN_VALUE;
    }
    Arrays.sort(values);
    for (int i = 0; i < values.length; i++) {
      values[i] ^= Long.MIN_VALUE;
    }
  }

  private int blockCountFitting(TokenSlice tokens, long[] out) {
    int count = blockCount(tokens.length());
    if (out.length < count) {
      throw new IllegalArgumentException(
          "result array is too short: out.length=" + out.length + ", blocks=" + count);
    }
    return count;
  }

  @Override
  public String toString() {
    return "BlockHasher[" + options + "]";
  }
}
