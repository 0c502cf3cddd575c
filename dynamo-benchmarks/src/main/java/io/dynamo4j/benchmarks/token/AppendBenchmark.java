// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.token;

import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.token.TokenAccumulator;
import io.dynamo4j.core.token.TokenSlice;
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
 * A stream of 4,096 tokens, one or a few at a time: the accumulator against an array of the right
 * size whose full blocks are hashed in the end. Both chain sequence hashes.
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
    int[] tokens = new int[STREAM];
    for (int i = 0; i < STREAM; i++) {
      tokens[i] = all.get(i);
    }
    long[] hashes = new long[STREAM / blockSize];
    hasher.hash(TokenSlice.wrap(tokens), hashes);
    SequenceHasher.hash(hashes, hashes.length, hashes);
    return hashes[hashes.length - 1];
  }
}
