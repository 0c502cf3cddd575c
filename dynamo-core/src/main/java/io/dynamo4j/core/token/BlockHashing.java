// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.token;

/**
 * How a stream's blocks are hashed as they fill; {@code BlockHasher} is the one in use.
 *
 * <p><b>Threads.</b> Immutable; safe for concurrent use.
 */
public interface BlockHashing {

  /** Returns the distance between the beginnings of two blocks, in tokens; at least 1. */
  int blockSize();

  /** Returns how many tokens must be there from a block's beginning on before it has a hash. */
  long windowSize();

  /** Returns the content hash of the block that begins at {@code offset} in {@code tokens}. */
  long localHash(int[] tokens, int offset);

  /** Returns the hash of a block and all before it, the last of which has {@code parentHash}. */
  long sequenceHash(long parentHash, long localHash);
}
