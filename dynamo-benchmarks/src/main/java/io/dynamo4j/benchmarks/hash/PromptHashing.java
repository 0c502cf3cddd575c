// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.hash;

import com.sun.management.ThreadMXBean;
import io.dynamo4j.benchmarks.MeasuringProcess;
import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.token.TokenSlice;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * The comparator's 64 prompts of 12,288 tokens, hashed by ours: every full block of a prompt into
 * the caller's array, then the chain over them. Answers each line of its input by one round.
 */
public final class PromptHashing {
  static final List<Integer> BLOCK_SIZES = List.of(16, 32, 64, 128, 512);

  private static final int PROMPTS = 64;
  private static final int TOKENS = 12_288;
  private static final int VOCABULARY = 128_000;
  private static final int PASSES = 5;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final List<TokenSlice> prompts = new ArrayList<>();
  private long sink;

  /** Thread CPU nanoseconds a block, least of a few passes. */
  record Round(List<Size> sizes, long sink) {}

  record Size(int blockSize, double local, double chain) {}

  PromptHashing() {
    for (long prompt = 0; prompt < PROMPTS; prompt++) {
      int[] tokens = new int[TOKENS];
      for (int i = 0; i < TOKENS; i++) {
        long mixed = mix64(prompt << 32 | i);
        tokens[i] = (int) Long.remainderUnsigned(mixed, VOCABULARY);
      }
      prompts.add(TokenSlice.wrap(tokens));
    }
  }

  public static void main(String[] args) {
    PrintStream answers = System.out;
    System.setOut(System.err);
    PromptHashing hashing = new PromptHashing();
    MeasuringProcess.serve(answers, command -> hashing.round());
  }

  Round round() {
    List<Size> sizes = new ArrayList<>();
    for (int blockSize : BLOCK_SIZES) {
      BlockHasher hasher = BlockHasher.of(BlockHashOptions.of(blockSize));
      double local = Double.MAX_VALUE;
      double chain = Double.MAX_VALUE;
      for (int pass = 0; pass < PASSES; pass++) {
        local = Math.min(local, localNanos(hasher));
        chain = Math.min(chain, chainNanos(hasher));
      }
      sizes.add(new Size(blockSize, local, chain));
    }
    return new Round(sizes, sink);
  }

  private double localNanos(BlockHasher hasher) {
    long[] hashes = new long[hasher.blockCount(TOKENS)];
    long start = threads.getCurrentThreadCpuTime();
    for (TokenSlice prompt : prompts) {
      hasher.hash(prompt, hashes);
      sink ^= hashes[hashes.length - 1];
    }
    return perBlock(start, hasher);
  }

  private double chainNanos(BlockHasher hasher) {
    List<long[]> locals = prompts.stream().map(hasher::hash).toList();
    long[] chained = new long[hasher.blockCount(TOKENS)];
    long start = threads.getCurrentThreadCpuTime();
    for (long[] local : locals) {
      SequenceHasher.hash(local, local.length, chained);
      sink ^= chained[chained.length - 1];
    }
    return perBlock(start, hasher);
  }

  private double perBlock(long start, BlockHasher hasher) {
    double nanos = threads.getCurrentThreadCpuTime() - start;
    return nanos / (PROMPTS * (TOKENS / hasher.blockSize()));
  }

  private static long mix64(long x) {
    long z = x + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
