// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.benchmarks.ChecksumMismatchException;
import io.dynamo4j.benchmarks.Medians;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows and facts of the whole indexer: medians over rounds, by the bars of {@link IndexerBench}.
 */
final class IndexerReport {
  static final String ONE_THREAD = "theirs, one event thread";
  static final String TWO_THREADS = "theirs, two event threads";

  private static final String TREE = "tree";
  private static final String ONE_LANE = "one lane";
  private static final String TWO_LANES = "two lanes";

  private final Medians medians = new Medians();
  private final List<Row> rows = new ArrayList<>();
  private final List<Fact> facts = new ArrayList<>();

  void add(IndexerFigures.Apply apply) {
    medians.add(TREE, apply.tree());
    medians.add(ONE_LANE, apply.oneLane());
    medians.add(TWO_LANES, apply.twoLanes());
  }

  /** Adds Dynamo's wall nanoseconds a block, once for each round of ours. */
  void addTheirs(String name, double nanos) {
    medians.add(name, nanos);
  }

  /** Ends the rounds of one log. */
  void applied(String label, int rounds) {
    compare("one lane, against the bare tree, " + label, ONE_LANE, TREE);
    compare("one lane, against Dynamo with one event thread, " + label, ONE_LANE, ONE_THREAD);
    compare("two lanes, against Dynamo with two event threads, " + label, TWO_LANES, TWO_THREADS);
    facts.add(new Fact("indexer, apply, rounds, " + label, rounds, "count"));
  }

  private void compare(String what, String ours, String reference) {
    String quantity = "indexer, apply and drain, wall a block, " + what;
    if (medians.has(reference)) {
      rows.add(Row.lowerIsBetter(quantity, medians.of(ours), medians.of(reference), "ns"));
      double least = Double.MAX_VALUE;
      double greatest = 0;
      double[] ofOurs = medians.all(ours);
      double[] ofReference = medians.all(reference);
      for (int round = 0; round < ofOurs.length; round++) {
        least = Math.min(least, ofReference[round] / ofOurs[round]);
        greatest = Math.max(greatest, ofReference[round] / ofOurs[round]);
      }
      facts.add(new Fact("least ratio of a round: " + quantity, least, "ratio"));
      facts.add(new Fact("greatest ratio of a round: " + quantity, greatest, "ratio"));
    } else {
      facts.add(new Fact(quantity, medians.of(ours), "ns"));
    }
  }

  void lookups(String label, List<IndexerFigures.Lookup> rounds) {
    Medians of = new Medians();
    for (IndexerFigures.Lookup round : rounds) {
      ChecksumMismatchException.requireEqual("wrong scores, " + label, round.wrongAnswers(), 0);
      of.add(ONE_LANE, round.oneTree());
      of.add(TWO_LANES, round.twoTrees());
    }
    rows.add(
        Row.lowerIsBetter(
            "indexer, lookup over two trees, against one, " + label,
            of.of(TWO_LANES),
            of.of(ONE_LANE),
            "ns"));
  }

  void fed(String label, IndexerFigures.Fed fed) {
    facts.add(
        new Fact(
            "indexer, envelopes decoded, ordered, applied, wall a block, " + label,
            fed.wallPerBlock(),
            "ns"));
  }

  void visible(IndexerFigures.Visible visible) {
    facts.add(new Fact("indexer, envelope to visible, kept up, p50", visible.p50(), "ns"));
    facts.add(new Fact("indexer, envelope to visible, kept up, p99", visible.p99(), "ns"));
    facts.add(new Fact("indexer, envelope to visible, events", visible.events(), "count"));
  }

  void snapshots(String label, List<IndexerFigures.Snapshot> rounds) {
    Medians of = new Medians();
    for (IndexerFigures.Snapshot round : rounds) {
      of.add("write", round.write());
      of.add("load", round.load());
      of.add("copy", round.copy());
    }
    String reference = ", against a synced copy of the file, " + label;
    rows.add(
        Row.lowerIsBetter(
            "indexer, snapshot written and synced" + reference,
            of.of("write"),
            of.of("copy"),
            "ns"));
    rows.add(
        Row.lowerIsBetter(
            "indexer, snapshot checked and loaded" + reference,
            of.of("load"),
            of.of("copy"),
            "ns"));
    IndexerFigures.Snapshot last = rounds.get(rounds.size() - 1);
    facts.add(new Fact("indexer, snapshot size, " + label, last.bytes(), "B"));
    facts.add(new Fact("indexer, snapshot blocks, " + label, last.blocks(), "count"));
  }

  void recoveries(String label, List<IndexerFigures.Recovery> rounds) {
    Medians of = new Medians();
    for (IndexerFigures.Recovery round : rounds) {
      of.add("idle p99", round.idleP99());
      of.add("busy p99", round.busyP99());
      of.add("idle p50", round.idleP50());
      of.add("busy p50", round.busyP50());
      of.add("reads", round.busyReads());
      of.add("recoveries", round.recoveries());
      of.add("millis", round.recoveryNanos() / 1e6);
    }
    String during = "indexer, lookups while a worker is recovered, ";
    rows.add(
        Row.lowerIsBetter(
            during + "p99, against idle, " + label, of.of("busy p99"), of.of("idle p99"), "ns"));
    facts.add(new Fact(during + "p50, " + label, of.of("busy p50"), "ns"));
    facts.add(new Fact("indexer, lookups, idle p50, " + label, of.of("idle p50"), "ns"));
    facts.add(new Fact(during + "count, " + label, of.of("reads"), "count"));
    facts.add(new Fact("indexer, recoveries, " + label, of.of("recoveries"), "count"));
    facts.add(new Fact("indexer, recovery beside lookups, " + label, of.of("millis"), "ms"));
    facts.add(new Fact("indexer, recovered blocks, " + label, rounds.get(0).blocks(), "count"));
  }

  void decoding(IndexerFigures.Decoding decoding) {
    facts.add(new Fact("indexer, decoding, heap a block", decoding.bytesPerBlock(), "B"));
    facts.add(
        new Fact(
            "indexer, decoding, heap a message beside its blocks",
            decoding.bytesPerMessage(),
            "B"));
  }

  void fact(String quantity, double value, String unit) {
    facts.add(new Fact(quantity, value, unit));
  }

  /** Moves on to another log. */
  IndexerReport next() {
    IndexerReport next = new IndexerReport();
    next.rows.addAll(rows);
    next.facts.addAll(facts);
    return next;
  }

  BenchResult result() {
    return new BenchResult(rows, facts);
  }
}
