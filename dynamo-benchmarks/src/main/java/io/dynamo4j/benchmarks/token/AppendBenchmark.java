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
import org.openjdk.jmh.annotations.State;

/**
 * A stream of 4,096 tokens, one at a time: the accumulator against an array of the right size whose
 * full blocks are hashed in the end. Both chain sequence hashes.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class AppendBenchmark {
  private static final int STREAM = 4_096;

  @Param({"16", "64", "512"})
  public int blockSize = 16;

  private int builtFor;
  private BlockHasher hasher = BlockHasher.of(BlockHashOptions.of(blockSize));

  @Benchmark
  public long ours() {
    TokenAccumulator stream = TokenAccumulator.startingWith(TokenSlice.empty(), hasher());
    for (int i = 0; i < STREAM; i++) {
      stream.append(token(i));
    }
    return stream.sequenceHashes()[stream.blockCount() - 1];
  }

  @Benchmark
  public long reference() {
    int[] tokens = new int[STREAM];
    for (int i = 0; i < STREAM; i++) {
      tokens[i] = token(i);
    }
    long[] hashes = new long[STREAM / blockSize];
    hasher().hash(TokenSlice.wrap(tokens), hashes);
    SequenceHasher.hash(hashes, hashes.length, hashes);
    return hashes[hashes.length - 1];
  }

  private BlockHasher hasher() {
    if (builtFor != blockSize) {
      builtFor = blockSize;
      hasher = BlockHasher.of(BlockHashOptions.of(blockSize));
    }
    return hasher;
  }

  private static int token(int index) {
    return index * 0x9E3779B1;
  }
}
