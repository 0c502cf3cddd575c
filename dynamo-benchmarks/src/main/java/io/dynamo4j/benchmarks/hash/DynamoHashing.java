// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.hash;

import com.fasterxml.jackson.databind.JsonNode;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.benchmarks.MeasuringProcess;
import io.dynamo4j.benchmarks.Medians;
import io.dynamo4j.benchmarks.comparator.Comparator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Block and chain hashes of whole prompts against Dynamo's own functions on the same prompts, both
 * with their vector of results. Over 240 bytes Dynamo derives the secret of its seed anew for every
 * block; that is part of its figure.
 */
public final class DynamoHashing {
  private static final int ROUNDS = 10;
  private static final int WARM_UP_ROUNDS = 3;
  private static final int PASSES = 5;
  private static final long HEAP_MEGABYTES = 256;

  private DynamoHashing() {}

  /**
   * Measures.
   *
   * @param label how the quantities begin
   * @param comparator absent: facts instead of rows
   */
  public static BenchResult measure(String label, Optional<Comparator> comparator)
      throws IOException, InterruptedException {
    Medians ours = new Medians();
    Medians theirs = new Medians();
    try (MeasuringProcess process =
        MeasuringProcess.start(PromptHashing.class, HEAP_MEGABYTES, List.of())) {
      for (int i = 0; i < WARM_UP_ROUNDS; i++) {
        process.ask("round", PromptHashing.Round.class);
      }
      for (int round = 0; round < ROUNDS; round++) {
        for (int turn = 0; turn < 2; turn++) {
          if ((round + turn) % 2 == 0) {
            add(ours, process.ask("round", PromptHashing.Round.class));
          } else if (comparator.isPresent()) {
            add(theirs, comparator.get().run(List.of("--mode", "hash", "--rounds", "" + PASSES)));
          }
        }
      }
    }
    return result(label, ours, theirs);
  }

  private static void add(Medians ours, PromptHashing.Round round) {
    for (PromptHashing.Size size : round.sizes()) {
      ours.add(local(size.blockSize()), size.local());
      ours.add(chain(size.blockSize()), size.chain());
    }
  }

  private static void add(Medians theirs, List<JsonNode> measurements) throws IOException {
    for (int blockSize : PromptHashing.BLOCK_SIZES) {
      JsonNode found = Comparator.find(measurements, "block_size", "" + blockSize);
      theirs.add(local(blockSize), found.path("ns_per_block").path("min").asDouble());
      theirs.add(chain(blockSize), found.path("chain_ns_per_block").path("min").asDouble());
    }
  }

  private static BenchResult result(String label, Medians ours, Medians theirs) {
    List<Row> rows = new ArrayList<>();
    List<Fact> facts = new ArrayList<>();
    List<String> names = new ArrayList<>();
    PromptHashing.BLOCK_SIZES.forEach(size -> names.add(local(size)));
    names.add(chain(PromptHashing.BLOCK_SIZES.get(0)));
    for (String name : names) {
      String quantity = label + ", " + name;
      if (theirs.has(name)) {
        rows.add(
            Row.lowerIsBetter(quantity + ", against Dynamo", ours.of(name), theirs.of(name), "ns"));
      } else {
        facts.add(new Fact(quantity, ours.of(name), "ns"));
      }
    }
    return new BenchResult(rows, facts);
  }

  private static String local(int blockSize) {
    return 4 * blockSize + " B (" + blockSize + " tokens) of a prompt";
  }

  private static String chain(int blockSize) {
    return "step of the chain, " + blockSize + " tokens a block";
  }
}
