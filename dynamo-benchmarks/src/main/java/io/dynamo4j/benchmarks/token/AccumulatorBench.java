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

/** Appending with rolling hashes, against a plain growing array that is hashed once. */
public final class AccumulatorBench implements Bench {
  private static final List<String> SHAPES =
      List.of("16/1", "64/1", "512/1", "16/16", "64/16", "512/16");

  @Override
  public String name() {
    return "accumulator";
  }

  @Override
  public String description() {
    return "append of 4,096 tokens with rolling hashes, against a growing int[] hashed at the end";
  }

  @Override
  public BenchResult run(BenchOptions options) {
    SHAPES.forEach(AccumulatorBench::requireSameHash);
    List<Row> rows = new ArrayList<>();
    JmhRounds.of(AppendBenchmark.class, options)
        .compare("shape", SHAPES)
        .forEach((shape, us) -> rows.add(Row.lowerIsBetter(quantity(shape), us[0], us[1], "us")));
    return new BenchResult(rows, List.of(allocation()));
  }

  private static void requireSameHash(String shape) {
    AppendBenchmark benchmark = new AppendBenchmark();
    benchmark.shape = shape;
    benchmark.prepare();
    ChecksumMismatchException.requireEqual(
        quantity(shape), benchmark.ours(), benchmark.reference());
  }

  private static Fact allocation() {
    BlockHasher hasher = BlockHasher.of(BlockHashOptions.of(16));
    TokenAccumulator stream = TokenAccumulator.startingWith(TokenSlice.empty(), hasher);
    stream.append(TokenSlice.wrap(new int[(1 << 20) + 1]));
    double bytes = AllocatedBytes.perRun(() -> stream.append(7));
    return new Fact("append between doublings, allocation", bytes, "B");
  }

  private static String quantity(String shape) {
    return "append with rolling hashes, block/append " + shape + ", against a growing int[]";
  }
}
