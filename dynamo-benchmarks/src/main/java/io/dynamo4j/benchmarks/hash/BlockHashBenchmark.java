// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.hash;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import io.dynamo4j.core.hash.XxHash3;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** One block: ours over tokens in place, the reference over bytes that are already laid out. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BlockHashBenchmark {
  private static final long SEED = 1337;

  @Param({"16", "32", "64", "512"})
  public int tokenCount;

  private final XxHash3 ours = XxHash3.seeded(SEED);
  private final Hasher64 reference = Hashing.xxh3_64(SEED);
  private int[] tokens = new int[0];
  private byte[] bytes = new byte[0];

  @Setup
  public void layOut() {
    tokens = new int[tokenCount];
    for (int i = 0; i < tokenCount; i++) {
      tokens[i] = i * 0x9E3779B1;
    }
    ByteBuffer buffer = ByteBuffer.allocate(4 * tokenCount).order(ByteOrder.LITTLE_ENDIAN);
    buffer.asIntBuffer().put(tokens);
    bytes = buffer.array();
  }

  @Benchmark
  public long ours() {
    return ours.hash(tokens, 0, tokens.length);
  }

  @Benchmark
  public long reference() {
    return reference.hashBytesToLong(bytes);
  }
}
