// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.hash;

import io.dynamo4j.benchmarks.AllocatedBytes;
import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.benchmarks.ChecksumMismatchException;
import io.dynamo4j.benchmarks.JmhRounds;
import io.dynamo4j.benchmarks.comparator.Comparator;
import io.dynamo4j.core.hash.XxHash3;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Block hashes from tokens, against hash4j's XXH3 from bytes. */
public final class HashBench implements Bench {
  private static final List<String> TOKEN_COUNTS = List.of("16", "32", "64", "512");

  @Override
  public String name() {
    return "hash";
  }

  @Override
  public String description() {
    return "local hash of one block from int[] tokens, against hash4j's XXH3 over ready bytes and Dynamo";
  }

  @Override
  public BenchResult run(BenchOptions options) {
    TOKEN_COUNTS.forEach(HashBench::requireSameHash);
    List<Row> rows = new ArrayList<>();
    JmhRounds.of(BlockHashBenchmark.class, options)
        .compare("tokenCount", TOKEN_COUNTS)
        .forEach((count, ns) -> rows.add(Row.lowerIsBetter(quantity(count), ns[0], ns[1], "ns")));
    List<Fact> facts = new ArrayList<>(List.of(allocation()));
    if (!options.quick()) {
      BenchResult dynamo = againstDynamo();
      rows.addAll(dynamo.rows());
      facts.addAll(dynamo.facts());
    }
    return new BenchResult(rows, facts);
  }

  private static BenchResult againstDynamo() {
    try {
      return DynamoHashing.measure("block hash", Comparator.find());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static void requireSameHash(String count) {
    BlockHashBenchmark benchmark = new BlockHashBenchmark();
    benchmark.tokenCount = Integer.parseInt(count);
    benchmark.layOut();
    ChecksumMismatchException.requireEqual(
        quantity(count), benchmark.ours(), benchmark.reference());
  }

  private static Fact allocation() {
    XxHash3 hasher = XxHash3.seeded(1337);
    int[] tokens = new int[512];
    double bytes =
        AllocatedBytes.perRun(
            () -> tokens[0] = (int) (hasher.hash(tokens, 0, 16) + hasher.hash(tokens, 0, 512)));
    return new Fact("block hash, allocation", bytes, "B");
  }

  private static String quantity(String count) {
    return "block hash, " + count + " tokens, against hash4j";
  }
}
