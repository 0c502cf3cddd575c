// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.token;

import io.dynamo4j.benchmarks.AllocatedBytes;
import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.benchmarks.ChecksumMismatchException;
import io.dynamo4j.benchmarks.JmhRounds;
import io.dynamo4j.core.hash.BlockHashOptions;
import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.token.TokenAccumulator;
import io.dynamo4j.core.token.TokenSlice;
import java.util.ArrayList;
import java.util.List;

/** Appending with rolling hashes, against a plain array that is hashed once. */
public final class AccumulatorBench implements Bench {
  private static final List<String> BLOCK_SIZES = List.of("16", "64", "512");

  @Override
  public String name() {
    return "accumulator";
  }

  @Override
  public String description() {
    return "append of 4,096 tokens with rolling hashes, against filling an int[] and hashing it";
  }

  @Override
  public BenchResult run(BenchOptions options) {
    BLOCK_SIZES.forEach(AccumulatorBench::requireSameHash);
    List<Row> rows = new ArrayList<>();
    JmhRounds.of(AppendBenchmark.class, options)
        .compare("blockSize", BLOCK_SIZES)
        .forEach((size, us) -> rows.add(Row.lowerIsBetter(quantity(size), us[0], us[1], "us")));
    return new BenchResult(rows, List.of(allocation()));
  }

  private static void requireSameHash(String size) {
    AppendBenchmark benchmark = new AppendBenchmark();
    benchmark.blockSize = Integer.parseInt(size);
    ChecksumMismatchException.requireEqual(quantity(size), benchmark.ours(), benchmark.reference());
  }

  private static Fact allocation() {
    BlockHasher hasher = BlockHasher.of(BlockHashOptions.of(16));
    TokenAccumulator stream = TokenAccumulator.startingWith(TokenSlice.empty(), hasher);
    stream.append(TokenSlice.wrap(new int[(1 << 20) + 1]));
    double bytes = AllocatedBytes.perRun(() -> stream.append(7));
    return new Fact("append between doublings, allocation", bytes, "B");
  }

  private static String quantity(String size) {
    return "append 4,096 tokens with rolling hashes, blocks of " + size + ", against an array";
  }
}
