// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.BenchResult.Fact;
import io.dynamo4j.benchmarks.BenchResult.Row;
import io.dynamo4j.benchmarks.ChecksumMismatchException;
import io.dynamo4j.benchmarks.Medians;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The whole path of a measurement on small logs, in this process: logs, answers and the shape of
 * the result are right; the figures mean nothing.
 */
final class QuickIndex {
  private QuickIndex() {}

  static BenchResult check(IndexOptions options) throws IOException {
    List<Row> rows = new ArrayList<>();
    List<Fact> facts = new ArrayList<>();
    for (LogShape.Evict evict : LogShape.Evict.values()) {
      LogShape shape = new LogShape(1, 4, 8, 500, 10, LogShape.Assign.RR, evict);
      IndexReport report = measured("built-in " + shape.label(), OperationLog.of(builtIn(), shape));
      rows.addAll(report.rows());
      facts.addAll(report.facts());
    }
    for (IndexOptions.Target target : options.quickTargets()) {
      facts.add(checked(target));
    }
    return new BenchResult(rows, facts);
  }

  private static IndexReport measured(String label, OperationLog log) {
    IndexMeasurements index = IndexMeasurements.of(log);
    IndexFigures.Once once = index.once();
    ChecksumMismatchException.requireEqual("wrong scores, " + label, once.wrongAnswers(), 0);
    Medians ours = new Medians();
    IndexComparison.addRound(ours, index.round(1, 1), new MixedLoad(log).round());
    IndexReport report = new IndexReport(label);
    report.once(once);
    report.rounds(ours, new Medians(), once.answers(), 1);
    return report;
  }

  /** Compares a log with what is on record of it, and some answers with its caches. */
  private static Fact checked(IndexOptions.Target target) throws IOException {
    OperationLog log = OperationLog.of(TraceHashes.read(target.trace()), target.shape());
    Optional<KnownLog> known = KnownLog.of(target.trace(), target.shape());
    known.ifPresent(record -> record.requireSame(log));
    int wrong = IndexMeasurements.of(log).wrongAnswers();
    ChecksumMismatchException.requireEqual("wrong scores, " + target.label(), wrong, 0);
    return new Fact(
        "log on record and equal, " + target.label(), known.isPresent() ? 1 : 0, "count");
  }

  /** Returns rows of hash ids with shared beginnings. */
  static List<long[]> builtIn() {
    List<long[]> rows = new ArrayList<>();
    for (int row = 0; row < 300; row++) {
      long[] ids = new long[1 + row * 7 % 40];
      for (int i = 0; i < ids.length; i++) {
        ids[i] = i < 6 ? i : row % 30 * 100L + i;
      }
      rows.add(ids);
    }
    return rows;
  }
}
