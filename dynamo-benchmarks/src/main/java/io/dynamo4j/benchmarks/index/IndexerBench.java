// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.benchmarks.Bench;
import io.dynamo4j.benchmarks.BenchOptions;
import io.dynamo4j.benchmarks.BenchResult;
import io.dynamo4j.benchmarks.ChecksumMismatchException;
import io.dynamo4j.benchmarks.Cores;
import io.dynamo4j.benchmarks.MeasuringProcess;
import io.dynamo4j.benchmarks.SharedFolder;
import io.dynamo4j.benchmarks.comparator.Comparator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The whole indexer: queue, lanes and drain against the bare tree and against Dynamo's event
 * threads; lookups over two trees and beside a recovery; snapshots against a copy of their bytes;
 * what decoding leaves on the heap.
 */
public final class IndexerBench implements Bench {
  private static final int MAX_ROUNDS = 10;
  private static final long ROUNDS_SECONDS = 240;
  private static final int OTHER_ROUNDS = 5;
  private static final int PASSES = 2;

  @Override
  public String name() {
    return "indexer";
  }

  @Override
  public String description() {
    return "queue, lanes, recovery and snapshots, against the bare tree and Dynamo's event threads";
  }

  @Override
  public BenchResult run(BenchOptions options) {
    try {
      return options.quick() ? check() : measure();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static BenchResult measure() throws IOException, InterruptedException {
    Optional<Comparator> comparator = Comparator.find();
    Deadline end = Deadline.inSeconds(ROUNDS_SECONDS);
    List<IndexOptions.Target> targets = targets();
    IndexerReport report = new IndexerReport();
    for (int i = 0; i < targets.size(); i++) {
      report = report.next();
      IndexOptions.Target target = targets.get(i);
      try (MeasuringProcess process = IndexerProcess.start(target)) {
        rounds(report, process, target, comparator, end.firstOf(targets.size() - i));
        if (i == 0) {
          others(report, process, target.label());
        }
      }
    }
    report.fact(
        "indexer, comparator built by cargo, in this run", comparator.isPresent() ? 1 : 0, "count");
    report.fact("indexer, pinned to the same two cores", Cores.prefix().isEmpty() ? 0 : 1, "count");
    return report.result();
  }

  /** A log without evictions and one that is mostly that. */
  private static List<IndexOptions.Target> targets() {
    List<IndexOptions.Target> targets = new ArrayList<>();
    addUnlessAbsent(targets, "conversation_trace.jsonl", LogShape.of(1, 4, 64));
    addUnlessAbsent(targets, "mooncake_trace_1000.jsonl", LogShape.of(100, 4, 64));
    return targets;
  }

  private static void addUnlessAbsent(
      List<IndexOptions.Target> targets, String name, LogShape shape) {
    Path file = SharedFolder.path("data/traces/" + name);
    if (Files.exists(file)) {
      targets.add(new IndexOptions.Target(file, shape));
    } else {
      SharedFolder.requireUnlessOptional(file);
    }
  }

  /** Ours and Dynamo's in turn, A B B A. */
  private static void rounds(
      IndexerReport report,
      MeasuringProcess process,
      IndexOptions.Target target,
      Optional<Comparator> comparator,
      Deadline end)
      throws IOException, InterruptedException {
    process.ask(IndexerProcess.APPLY, IndexerFigures.Apply.class); // warms up
    int done = 0;
    while (done < MAX_ROUNDS && (done == 0 || !end.isOver())) {
      boolean isOursFirst = done % 2 == 0;
      if (isOursFirst) {
        report.add(process.ask(IndexerProcess.APPLY, IndexerFigures.Apply.class));
      }
      if (comparator.isPresent()) {
        String checksum = process.ask(IndexerProcess.LOG, String.class);
        theirs(report, comparator.get(), target, checksum);
      }
      if (!isOursFirst) {
        report.add(process.ask(IndexerProcess.APPLY, IndexerFigures.Apply.class));
      }
      done++;
    }
    report.applied(target.label(), done);
    report.lookups(
        target.label(), List.of(process.ask(IndexerProcess.LOOKUPS, IndexerFigures.Lookup.class)));
  }

  private static void theirs(
      IndexerReport report, Comparator comparator, IndexOptions.Target target, String checksum)
      throws IOException, InterruptedException {
    TheirRound one = TheirRound.run(comparator, target, "log,apply", 1, PASSES);
    TheirRound two = TheirRound.run(comparator, target, "log,apply", 2, PASSES);
    ChecksumMismatchException.requireEqual(
        "log, " + target.label(),
        Long.parseUnsignedLong(checksum, 16),
        Long.parseUnsignedLong(one.logChecksum(), 16));
    report.addTheirs(IndexerReport.ONE_THREAD, one.applyWallPerBlock());
    report.addTheirs(IndexerReport.TWO_THREADS, two.applyWallPerBlock());
  }

  private static void others(IndexerReport report, MeasuringProcess process, String label)
      throws IOException {
    report.fed(label, process.ask(IndexerProcess.FED, IndexerFigures.Fed.class));
    report.visible(process.ask(IndexerProcess.VISIBLE, IndexerFigures.Visible.class));
    List<IndexerFigures.Snapshot> snapshots = new ArrayList<>();
    List<IndexerFigures.Recovery> recoveries = new ArrayList<>();
    for (int i = 0; i < OTHER_ROUNDS; i++) {
      snapshots.add(process.ask(IndexerProcess.SNAPSHOT, IndexerFigures.Snapshot.class));
      recoveries.add(process.ask(IndexerProcess.RECOVERY, IndexerFigures.Recovery.class));
    }
    report.snapshots(label, snapshots);
    report.recoveries(label, recoveries);
    report.decoding(process.ask(IndexerProcess.DECODING, IndexerFigures.Decoding.class));
  }

  /** Every measurement once, small and in this process: all agree, and the figures mean nothing. */
  private static BenchResult check() {
    LogShape shape = new LogShape(1, 4, 8, 500, 10, LogShape.Assign.RR, LogShape.Evict.TAIL);
    String label = "built-in " + shape.label();
    IndexerMeasurements indexer =
        new IndexerMeasurements(OperationLog.of(QuickIndex.builtIn(), shape), IndexerSizes.QUICK);
    IndexerReport report = new IndexerReport();
    report.add(indexer.apply());
    report.applied(label, 1);
    report.lookups(label, List.of(indexer.lookups()));
    report.fed(label, indexer.fed());
    report.visible(indexer.visible());
    report.snapshots(label, List.of(indexer.snapshot()));
    report.recoveries(label, List.of(indexer.recovery()));
    report.decoding(indexer.decoding());
    return report.result();
  }
}
