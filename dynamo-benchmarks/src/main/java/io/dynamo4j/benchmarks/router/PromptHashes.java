// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.router;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.token.TokenSlice;

/**
 * A prompt of 12,288 tokens in 768 blocks, of which a quarter begins every prompt.
 *
 * @param tokens of the prompt
 * @param local hash of each block
 * @param sequence chain over them
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PromptHashes(TokenSlice tokens, long[] local, long[] sequence) {
  static final int BLOCK_SIZE = 16;
  static final int BLOCKS = 768;
  static final int SHARED_BLOCKS = BLOCKS / 4;

  private static final BlockHasher HASHER = BlockHasher.of(BlockHashOptions.of(BLOCK_SIZE));

  static PromptHashes of(int number) {
    int[] tokens = new int[BLOCKS * BLOCK_SIZE];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = i < SHARED_BLOCKS * BLOCK_SIZE ? i : (i * 31 + number * 7_919) & 0x1ffff;
    }
    TokenSlice slice = TokenSlice.wrap(tokens);
    long[] local = new long[BLOCKS];
    HASHER.hash(slice, local);
    long[] sequence = new long[BLOCKS];
    SequenceHasher.hash(local, BLOCKS, sequence);
    return new PromptHashes(slice, local, sequence);
  }
}
