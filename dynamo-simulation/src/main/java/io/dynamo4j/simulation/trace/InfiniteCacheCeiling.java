// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.trace;

import io.dynamo4j.core.collect.LongObjectMap;
import java.util.List;

/**
 * How many input tokens a trace lets be reused at most: by one cache that never forgets, shared by
 * all, filled in order of arrival.
 *
 * <p>As in an engine, only full blocks are reused and at least one token of a prompt is computed.
 */
public final class InfiniteCacheCeiling {
  private final long reusedTokens;
  private final long inputTokens;

  private InfiniteCacheCeiling(long reusedTokens, long inputTokens) {
    this.reusedTokens = reusedTokens;
    this.inputTokens = inputTokens;
  }

  /**
   * Computes the ceiling from the ids alone, without making a prompt. O(blocks of the trace).
   *
   * @param traceBlockSize tokens that one hash id stands for
   * @param blockSize tokens of one block of the cache
   */
  public static InfiniteCacheCeiling of(List<TraceRow> rows, int traceBlockSize, int blockSize) {
    Counter counter = new Counter(traceBlockSize, blockSize);
    for (int i = 0; i < rows.size(); i++) {
      counter.add(rows.get(i), i);
    }
    return new InfiniteCacheCeiling(counter.reusedTokens, counter.inputTokens);
  }

  public long reusedTokens() {
    return reusedTokens;
  }

  public long inputTokens() {
    return inputTokens;
  }

  /** Returns reused input tokens over input tokens, 0…1. */
  public double hitRate() {
    return inputTokens == 0 ? 0 : (double) reusedTokens / inputTokens;
  }

  private static final class Counter {
    private final int traceBlockSize;
    private final int blockSize;
    private final LongObjectMap<Boolean> seen = LongObjectMap.create(1);
    private long reusedTokens;
    private long inputTokens;

    Counter(int traceBlockSize, int blockSize) {
      this.traceBlockSize = traceBlockSize;
      this.blockSize = blockSize;
    }

    void add(TraceRow row, int rowIndex) {
      int fullBlocks = row.inputLength() / blockSize;
      int reusable = (row.inputLength() - 1) / blockSize;
      int matched = 0;
      boolean isPrefix = true;
      long chain = 0;
      int chained = 0;
      for (int block = 0; block < fullBlocks; block++) {
        long end = (long) (block + 1) * blockSize;
        int lastId = (int) ((end - 1) / traceBlockSize);
        for (; chained <= lastId; chained++) {
          chain = mix(chain + contentOf(row, rowIndex, chained));
        }
        // Ids up to the last one, and where the block ends within it, are the block's identity.
        boolean isNew = seen.put(mix(chain ^ (end - (long) lastId * traceBlockSize)), true) == null;
        isPrefix &= !isNew && block < reusable;
        matched += isPrefix ? 1 : 0;
      }
      reusedTokens += (long) matched * blockSize;
      inputTokens += row.inputLength();
    }

    private static long contentOf(TraceRow row, int rowIndex, int block) {
      return block < row.hashIdCount() ? row.hashId(block) : -1L - rowIndex;
    }

    private static long mix(long value) {
      long z = value + 0x9e3779b97f4a7c15L;
      z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
      z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
      return z ^ (z >>> 31);
    }
  }
}
