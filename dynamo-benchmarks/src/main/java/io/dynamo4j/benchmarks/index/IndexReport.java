// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.benchmarks.Medians;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Rows and facts of one log: medians over the rounds, and the least and greatest paired ratio. */
final class IndexReport {
  static final String APPLY_WALL = "apply wall";
  static final String APPLY_CPU = "apply cpu";
  static final String TREE_CPU = "tree cpu";
  static final String BUSY_P99 = "busy p99";
  static final String IDLE_P99 = "idle p99";
  static final String BUSY_P50 = "busy p50";
  static final String IDLE_P50 = "idle p50";
  static final String MIXED_RATE = "mixed rate";
  static final String BUSY_READS = "busy reads";

  private static final String CRTC = ", against swept CRTC";

  private final String label;
  private final List<Row> rows = new ArrayList<>();
  private final List<Row> lookupsAgainstCrtc = new ArrayList<>();
  private final List<Fact> facts = new ArrayList<>();
  private double theirBytes = Double.NaN;
  private boolean isTheirLookupExact = true;

  IndexReport(String label) {
    this.label = label;
  }

  static String plain(String set) {
    return "plain " + set;
  }

  List<Row> rows() {
    return rows;
  }

  List<Row> lookupsAgainstCrtc() {
    return lookupsAgainstCrtc;
  }

  List<Fact> facts() {
    return facts;
  }

  void fact(String what, double value, String unit) {
    facts.add(new Fact(what + ", " + label, value, unit));
  }

  /** Takes what Dynamo's tree says once: its size, its mistakes, its figures beside a writer. */
  void theirChecks(TheirRound checks, boolean isExact) throws IOException {
    theirBytes = checks.bytesPerMembership();
    isTheirLookupExact = isExact;
    fact("queries that CRTC answers wrong, of its own sample", checks.wrongQueries(), "count");
    if (!checks.hasMixed()) {
      fact("CRTC beside its writer, left out by the comparator for want of queries", 1, "count");
      return;
    }
    fact("CRTC beside its writer, read p50", checks.mixed("p50_ns"), "ns");
    fact("CRTC beside its writer, read p99", checks.mixed("p99_ns"), "ns");
    fact("CRTC beside its reader, applied", checks.mixed("m_blocks_per_s"), "Mblocks/s");
  }

  void once(IndexFigures.Once once) {
    fact("wrong answers of ours", once.wrongAnswers(), "count");
    fact("answers compared with the caches", once.checkedAnswers(), "count");
    fact("memberships", (double) once.memberships(), "count");
    fact("different blocks", (double) once.uniqueBlocks(), "count");
    String heap = "heap a membership, hashes agreeing, " + label;
    if (Double.isNaN(theirBytes)) {
      facts.add(new Fact(heap, once.bytesPerMembership(), "B"));
    } else {
      rows.add(Row.lowerIsBetter(heap + CRTC, once.bytesPerMembership(), theirBytes, "B"));
    }
    fact("heap a membership, foreign hashes", once.foreignBytesPerMembership(), "B");
    fact("lookup, allocation", once.lookupAllocation(), "B");
    fact("steady apply, allocation an event", once.applyAllocation(), "B");
    for (QuerySet.Answers answers : once.answers()) {
      fact(answers.name() + " query, blocks", answers.blocksPerQuery(), "count");
      fact(answers.name() + " query, best match", answers.matchedPerQuery(), "count");
      fact(answers.name() + " query, workers found", answers.workersPerResult(), "count");
    }
  }

  void rounds(Medians ours, Medians theirs, List<QuerySet.Answers> sets, int rounds) {
    fact("rounds", rounds, "count");
    for (QuerySet.Answers set : sets) {
      String quantity = "lookup, " + label + " " + set.name();
      if (theirs.has(set.name()) && isTheirLookupExact) {
        lookupsAgainstCrtc.add(compared(quantity + CRTC, set.name(), ours, theirs));
      } else {
        facts.add(new Fact(quantity, ours.of(set.name()), "ns"));
      }
    }
    rows.addAll(lookupsAgainstCrtc);
    for (QuerySet.Answers set : sets) {
      rows.add(
          Row.lowerIsBetter(
              "lookup, " + label + " " + set.name() + ", against the plain-array kernel",
              ours.of(set.name()),
              ours.of(plain(set.name())),
              "ns"));
    }
    compareOrState("apply, queue and drain, wall time a block", APPLY_WALL, ours, theirs);
    compareOrState("apply, queue and drain, CPU of all threads a block", APPLY_CPU, ours, theirs);
    fact("apply, tree alone, thread CPU a block", ours.of(TREE_CPU), "ns");
    rows.add(
        Row.lowerIsBetter(
            "read p99 with the writer at full speed, " + label + ", against idle",
            ours.of(BUSY_P99),
            ours.of(IDLE_P99),
            "ns"));
    fact("read p50 with the writer at full speed", ours.of(BUSY_P50), "ns");
    fact("read p50 idle", ours.of(IDLE_P50), "ns");
    fact("applied beside a reader", ours.of(MIXED_RATE) / 1e6, "Mblocks/s");
    fact("reads beside the writer a round", ours.of(BUSY_READS), "count");
  }

  private void compareOrState(String what, String name, Medians ours, Medians theirs) {
    if (theirs.has(name)) {
      String quantity = what + ", " + label + ", against CRTC with one event thread";
      rows.add(compared(quantity, name, ours, theirs));
    } else {
      fact(what, ours.of(name), "ns");
    }
  }

  private Row compared(String quantity, String name, Medians ours, Medians theirs) {
    double[] one = ours.all(name);
    double[] other = theirs.all(name);
    double least = Double.MAX_VALUE;
    double greatest = 0;
    for (int round = 0; round < one.length; round++) {
      least = Math.min(least, other[round] / one[round]);
      greatest = Math.max(greatest, other[round] / one[round]);
    }
    facts.add(new Fact("least ratio of a round: " + quantity, least, "ratio"));
    facts.add(new Fact("greatest ratio of a round: " + quantity, greatest, "ratio"));
    return Row.lowerIsBetter(quantity, ours.of(name), theirs.of(name), "ns");
  }
}
