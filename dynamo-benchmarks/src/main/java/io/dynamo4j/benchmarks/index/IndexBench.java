// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.benchmarks.Cores;
import io.dynamo4j.benchmarks.comparator.Comparator;
import io.dynamo4j.benchmarks.hash.DynamoHashing;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Lookup, apply, memory and reads beside the writer on neutral logs, against Dynamo's production
 * tree on the same logs; and the block hashes that feed them.
 */
public final class IndexBench implements Bench {
  /** From the start, the comparator's build included, to the last round: nine minutes at most. */
  private static final long ROUNDS_SECONDS = 450;

  private static final int MAX_WORKERS_OF_MEAN = 64;

  @Override
  public String name() {
    return "index";
  }

  @Override
  public String description() {
    return "lookup, apply and memory of the tree, against Dynamo's own on the same log";
  }

  @Override
  public BenchResult run(BenchOptions options) {
    try {
      return options.quick() ? QuickIndex.check(options.index()) : measure(options.index());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static BenchResult measure(IndexOptions options)
      throws IOException, InterruptedException {
    Deadline end = Deadline.inSeconds(ROUNDS_SECONDS);
    Optional<Comparator> comparator = Comparator.find();
    List<Row> rows = new ArrayList<>();
    List<Fact> facts = new ArrayList<>();
    List<Row> lookups = new ArrayList<>();
    List<IndexOptions.Target> targets = options.targets();
    for (int i = 0; i < targets.size(); i++) {
      IndexOptions.Target target = targets.get(i);
      Deadline share = end.firstOf(targets.size() - i);
      IndexReport report = IndexComparison.run(target, comparator, options.rounds(), share);
      rows.addAll(report.rows());
      facts.addAll(report.facts());
      if (target.shape().workers() <= MAX_WORKERS_OF_MEAN) {
        lookups.addAll(report.lookupsAgainstCrtc());
      }
    }
    if (!lookups.isEmpty()) {
      rows.add(geometricMean(lookups));
    }
    BenchResult hashes = DynamoHashing.measure("index run, block hash", comparator);
    rows.addAll(hashes.rows());
    facts.addAll(hashes.facts());
    facts.add(
        new Fact(
            "comparator built by cargo, in this run", comparator.isPresent() ? 1 : 0, "count"));
    facts.add(new Fact("transparent huge pages asked for, ours only", 1, "count"));
    facts.add(new Fact("pinned to the same two cores", Cores.prefix().isEmpty() ? 0 : 1, "count"));
    return new BenchResult(rows, facts);
  }

  private static Row geometricMean(List<Row> lookups) {
    double ours = 0;
    double theirs = 0;
    for (Row row : lookups) {
      ours += Math.log(row.ours()) / lookups.size();
      theirs += Math.log(row.reference()) / lookups.size();
    }
    return Row.lowerIsBetter(
        "lookup, geometric mean of all sets with W <= 64, against swept CRTC",
        Math.exp(ours),
        Math.exp(theirs),
        "ns");
  }
}
