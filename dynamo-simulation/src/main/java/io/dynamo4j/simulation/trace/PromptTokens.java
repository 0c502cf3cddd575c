// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.trace;

import io.dynamo4j.core.token.TokenSlice;

/**
 * Makes the prompt that a row of a trace stands for, when it is needed and not before.
 *
 * <p>The tokens of a block are a function of its hash id alone, so equal ids are equal content,
 * also where the last block is partial: it is then the beginning of that id's block. A rest without
 * an id is unique to its row.
 *
 * <p>Two 32-bit halves of a mixed id make each block's tokens; two ids of a trace agree in both
 * with a probability of 2^-64. The inner loop is plain {@code int} arithmetic, which the compiler
 * turns into vector code.
 */
public final class PromptTokens {
  private final int blockSize;

  private PromptTokens(int blockSize) {
    this.blockSize = blockSize;
  }

  /**
   * Returns prompts for traces of one kind.
   *
   * @param traceBlockSize tokens that one hash id stands for; the engine's block size may differ
   */
  public static PromptTokens of(int traceBlockSize) {
    if (traceBlockSize < 1) {
      throw new IllegalArgumentException(
          "traceBlockSize must be positive: traceBlockSize=" + traceBlockSize);
    }
    return new PromptTokens(traceBlockSize);
  }

  /** Returns a new array with the prompt of {@code row}, which stands at {@code rowIndex}. */
  public TokenSlice prompt(TraceRow row, int rowIndex) {
    int[] tokens = new int[row.inputLength()];
    int block = 0;
    for (int from = 0; from < tokens.length; from += blockSize, block++) {
      long content = block < row.hashIdCount() ? row.hashId(block) : -1L - rowIndex;
      fill(tokens, from, Math.min(blockSize, tokens.length - from), mix(content));
    }
    return TokenSlice.wrap(tokens);
  }

  private static void fill(int[] tokens, int offset, int count, long content) {
    int first = (int) content;
    int second = (int) (content >>> 32);
    for (int j = 0; j < count; j++) {
      int x = first + j * 0x9e3779b9;
      tokens[offset + j] = (x ^ (x >>> 15)) * 0x2c1b3c6d + second;
    }
  }

  private static long mix(long id) {
    long z = id + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
