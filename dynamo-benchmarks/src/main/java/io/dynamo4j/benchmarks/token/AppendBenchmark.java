// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.token;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.token.TokenAccumulator;
import io.dynamo4j.core.token.TokenSlice;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * A stream of 4,096 tokens, one or a few at a time: the accumulator against a plain {@code int[]}
 * that is doubled when full, filled by the same appends, and whose full blocks are hashed in one
 * pass in the end. Both chain sequence hashes. {@link #exact} is the same with an array of the
 * right size from the start, which a stream of unknown length cannot have.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class AppendBenchmark {
  private static final int STREAM = 4_096;

  /** Tokens a block and tokens an append, as {@code 16/1}. */
  @Param({"16/1", "64/1", "512/1", "16/16", "64/16", "512/16"})
  public String shape = "16/1";

  private int blockSize;
  private int step;
  private BlockHasher hasher = BlockHasher.of(BlockHashOptions.of(1));
  private TokenSlice all = TokenSlice.empty();

  @Setup
  public void prepare() {
    String[] parts = shape.split("/", 2);
    blockSize = Integer.parseInt(parts[0]);
    step = Integer.parseInt(parts[1]);
    hasher = BlockHasher.of(BlockHashOptions.of(blockSize));
    int[] tokens = new int[STREAM];
    for (int i = 0; i < STREAM; i++) {
      tokens[i] = i * 0x9E3779B1;
    }
    all = TokenSlice.wrap(tokens);
  }

  @Benchmark
  public long ours() {
    TokenAccumulator stream = TokenAccumulator.startingWith(TokenSlice.empty(), hasher);
    if (step == 1) {
      for (int i = 0; i < STREAM; i++) {
        stream.append(all.get(i));
      }
    } else {
      for (int i = 0; i < STREAM; i += step) {
        stream.append(all.slice(i, i + step));
      }
    }
    return stream.sequenceHashes()[stream.blockCount() - 1];
  }

  @Benchmark
  public long reference() {
    GrowingArray tokens = new GrowingArray();
    if (step == 1) {
      for (int i = 0; i < STREAM; i++) {
        tokens.add(all.get(i));
      }
    } else {
      for (int i = 0; i < STREAM; i += step) {
        tokens.add(all.backingArray(), i, step);
      }
    }
    return lastHash(TokenSlice.wrap(tokens.array, 0, tokens.length));
  }

  @Benchmark
  public long exact() {
    int[] tokens = new int[STREAM];
    for (int i = 0; i < STREAM; i++) {
      tokens[i] = all.get(i);
    }
    return lastHash(TokenSlice.wrap(tokens));
  }

  private long lastHash(TokenSlice tokens) {
    long[] locals = new long[STREAM / blockSize];
    long[] sequence = new long[locals.length];
    hasher.hash(tokens, locals);
    SequenceHasher.hash(locals, locals.length, sequence);
    return sequence[sequence.length - 1];
  }

  /** The plain way: nothing published, nothing hashed. */
  private static final class GrowingArray {
    private int[] array = new int[16];
    private int length;

    void add(int token) {
      if (length == array.length) {
        array = Arrays.copyOf(array, 2 * length);
      }
      array[length++] = token;
    }

    void add(int[] from, int offset, int count) {
      if (length + count > array.length) {
        array = Arrays.copyOf(array, Math.max(2 * length, length + count));
      }
      System.arraycopy(from, offset, array, length, count);
      length += count;
    }
  }
}
