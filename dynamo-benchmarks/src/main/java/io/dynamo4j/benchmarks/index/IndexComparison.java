// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.benchmarks.ChecksumMismatchException;
import io.dynamo4j.benchmarks.MeasuringProcess;
import io.dynamo4j.benchmarks.Medians;
import io.dynamo4j.benchmarks.comparator.Comparator;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All rounds of one log: ours and Dynamo's in turn, A B B A, each in processes of their own. Ours
 * is one process that rests while the other side runs; theirs is a fresh one each time.
 */
final class IndexComparison {
  private static final int WARM_UP_ROUNDS = 2;
  private static final int PASSES = 3;
  private static final long LARGE_LOG_BLOCKS = 2_000_000;

  private final IndexOptions.Target target;
  private final @Nullable Comparator comparator;
  private final Medians ours = new Medians();
  private final Medians theirs = new Medians();
  private final IndexReport report;

  /** Passes a round, of which the least counts; one where a pass takes seconds. */
  private int passes = PASSES;

  private IndexComparison(IndexOptions.Target target, @Nullable Comparator comparator) {
    this.target = target;
    this.comparator = comparator;
    this.report = new IndexReport(target.label());
  }

  /** Measures one log. */
  static IndexReport run(
      IndexOptions.Target target, Optional<Comparator> comparator, int rounds, Deadline deadline)
      throws IOException, InterruptedException {
    IndexComparison comparison = new IndexComparison(target, comparator.orElse(null));
    comparison.measure(rounds, deadline);
    return comparison.report;
  }

  private void measure(int rounds, Deadline deadline) throws IOException, InterruptedException {
    List<long[]> rows = TraceHashes.read(target.trace());
    try (MeasuringProcess process = IndexProcess.start(target.trace(), target.shape(), rows)) {
      IndexFigures.Once once = process.ask(IndexProcess.ONCE, IndexFigures.Once.class);
      checkLog(once);
      passes = once.queryBlocks() > LARGE_LOG_BLOCKS ? 1 : PASSES;
      if (comparator != null) {
        compareAnswers(once, comparator);
      }
      for (int i = 0; i < WARM_UP_ROUNDS; i++) {
        addRound(new Medians(), askRound(process), askMixed(process));
      }
      int done = 0;
      while (done < rounds && (done == 0 || !deadline.isOver())) {
        round(process, once.answers(), /* oursFirst= */ done % 2 == 0);
        done++;
      }
      report.once(once);
      report.rounds(ours, theirs, once.answers(), done);
    }
  }

  private void checkLog(IndexFigures.Once once) throws IOException {
    ChecksumMismatchException.requireEqual(
        "wrong scores, " + target.label(), once.wrongAnswers(), 0);
    Optional<KnownLog> known = KnownLog.of(target.trace(), target.shape());
    if (known.isPresent()) {
      requireSame("log", once.logChecksum(), known.get().checksum());
      report.fact("log on record and equal", 1, "count");
    }
  }

  private void compareAnswers(IndexFigures.Once once, Comparator dynamo)
      throws IOException, InterruptedException {
    TheirRound checks = TheirRound.run(dynamo, target, "log,verify,memory,lookup,mixed", PASSES);
    requireSame("log", once.logChecksum(), checks.logChecksum());
    boolean isExact = true;
    for (QuerySet.Answers answers : once.answers()) {
      String checksum = checks.answersChecksum(answers.name());
      isExact &= answers.checksum().equals(checksum);
      if (target.shape().evict() == LogShape.Evict.TAIL) {
        requireSame(answers.name() + " answers", answers.checksum(), checksum);
      }
    }
    report.theirChecks(checks, isExact);
  }

  private void requireSame(String what, String one, String other) {
    ChecksumMismatchException.requireEqual(
        what + ", " + target.label(),
        Long.parseUnsignedLong(one, 16),
        Long.parseUnsignedLong(other, 16));
  }

  private void round(MeasuringProcess process, List<QuerySet.Answers> sets, boolean oursFirst)
      throws IOException, InterruptedException {
    if (!oursFirst) {
      theirs(sets);
    }
    ours(process);
    if (oursFirst) {
      theirs(sets);
    }
  }

  private void ours(MeasuringProcess process) throws IOException {
    addRound(ours, askRound(process), askMixed(process));
  }

  private IndexFigures.Round askRound(MeasuringProcess process) throws IOException {
    return process.ask(Integer.toString(passes), IndexFigures.Round.class);
  }

  private static IndexFigures.Mixed askMixed(MeasuringProcess process) throws IOException {
    return process.ask(IndexProcess.MIXED, IndexFigures.Mixed.class);
  }

  static void addRound(Medians ours, IndexFigures.Round round, IndexFigures.Mixed mixed) {
    for (IndexFigures.Lookup lookup : round.lookups()) {
      ours.add(lookup.set(), lookup.ours());
      ours.add(IndexReport.plain(lookup.set()), lookup.plain());
    }
    ours.add(IndexReport.APPLY_WALL, round.applyWallPerBlock());
    ours.add(IndexReport.APPLY_CPU, round.applyCpuPerBlock());
    ours.add(IndexReport.TREE_CPU, round.treeCpuPerBlock());
    ours.add(IndexReport.BUSY_P99, mixed.busyP99());
    ours.add(IndexReport.IDLE_P99, mixed.idleP99());
    ours.add(IndexReport.BUSY_P50, mixed.busyP50());
    ours.add(IndexReport.IDLE_P50, mixed.idleP50());
    ours.add(IndexReport.MIXED_RATE, mixed.blocksPerSecond());
    ours.add(IndexReport.BUSY_READS, mixed.busyReads());
  }

  private void theirs(List<QuerySet.Answers> sets) throws IOException, InterruptedException {
    if (comparator == null) {
      return;
    }
    TheirRound round = TheirRound.run(comparator, target, "memory,lookup,apply", passes);
    for (QuerySet.Answers set : sets) {
      theirs.add(set.name(), round.lookupNanos(set.name()));
    }
    theirs.add(IndexReport.APPLY_WALL, round.applyWallPerBlock());
    theirs.add(IndexReport.APPLY_CPU, round.applyCpuPerBlock());
  }
}
