// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.tree.RadixTree;
import io.dynamo4j.indexer.KvIndexer;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.DoubleSupplier;

/** Our index on one log: what it answers, and what that costs in time and heap. */
final class IndexMeasurements {
  private static final int CHECKED_QUERIES = 300;
  private static final int CHECKED_QUERIES_WITH_HOLES = 2_000;
  private static final int SEED = 1;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private final OperationLog log;
  private final List<QuerySet> sets;
  private final HeapBytes heap;
  private final RadixTree tree;
  private final double treeBytes;

  private IndexMeasurements(OperationLog log) {
    this.log = log;
    this.sets = QuerySet.of(log);
    this.heap = new HeapBytes();
    this.tree = applied(log.events());
    this.treeBytes = heap.more();
  }

  /** Applies the events of a log. */
  static IndexMeasurements of(OperationLog log) {
    return new IndexMeasurements(log);
  }

  static RadixTree applied(List<RouterEvent> events) {
    RadixTree index = RadixTree.create(SEED);
    for (RouterEvent event : events) {
      index.apply(event);
    }
    return index;
  }

  RadixTree tree() {
    return tree;
  }

  IndexFigures.Once once() {
    return new IndexFigures.Once(
        Long.toHexString(log.checksum()),
        log.memberships(),
        log.uniqueBlocks(),
        log.queryBlocks(),
        log.storedBlocks(),
        log.removedBlocks(),
        wrongAnswers(),
        sets.stream().mapToInt(set -> Math.min(checkedQueries(), set.queries().size())).sum(),
        sets.stream().map(set -> set.answers(tree)).toList(),
        treeBytes / log.memberships(),
        foreignBytes() / log.memberships(),
        SteadyAllocation.lookup(tree, sets),
        SteadyAllocation.apply(applied(log.events()), log.events()));
  }

  /** Returns how many of some queries have a score that differs from the caches behind the log. */
  int wrongAnswers() {
    return sets.stream().mapToInt(set -> set.wrongAnswers(tree, log, checkedQueries())).sum();
  }

  private int checkedQueries() {
    return log.shape().evict() == LogShape.Evict.HEAD
        ? CHECKED_QUERIES_WITH_HOLES
        : CHECKED_QUERIES;
  }

  private double foreignBytes() {
    List<RouterEvent> foreign = ForeignHashes.of(log.events());
    HeapBytes around = new HeapBytes();
    RadixTree index = applied(foreign);
    double bytes = around.more();
    if (index.blockCount() != log.memberships() || foreign.isEmpty()) {
      throw new IllegalStateException("memberships differ: blocks=" + index.blockCount());
    }
    return bytes;
  }

  IndexFigures.Round round(int passes) {
    List<IndexFigures.Lookup> lookups =
        sets.stream()
            .map(
                set ->
                    new IndexFigures.Lookup(
                        set.name(), least(passes, () -> lookupNanos(set.queries()))))
            .toList();
    double[] cpu = {Double.MAX_VALUE};
    double wall = least(passes, () -> indexerNanos(cpu));
    return new IndexFigures.Round(lookups, wall, cpu[0], least(passes, this::treeNanos));
  }

  private static double least(int passes, DoubleSupplier pass) {
    double least = Double.MAX_VALUE;
    for (int i = 0; i < passes; i++) {
      least = Math.min(least, pass.getAsDouble());
    }
    return least;
  }

  private double lookupNanos(List<long[]> queries) {
    OverlapScores out = OverlapScores.create();
    long start = threads.getCurrentThreadCpuTime();
    for (long[] query : queries) {
      tree.findMatches(query, query.length, out);
    }
    return (double) (threads.getCurrentThreadCpuTime() - start) / queries.size();
  }

  /** The tree alone, on this thread. */
  private double treeNanos() {
    long start = threads.getCurrentThreadCpuTime();
    applied(log.events());
    return (double) (threads.getCurrentThreadCpuTime() - start) / log.eventBlocks();
  }

  /** Hand-over of every event to the index's lane until the last is visible: wall nanoseconds. */
  private double indexerNanos(double[] leastCpu) {
    try (RealEnvironment environment = RealEnvironment.create();
        KvIndexer index = indexer(environment)) {
      long cpu = system.getProcessCpuTime();
      long start = System.nanoTime();
      log.events().forEach(index::submit);
      index.flush().toCompletableFuture().join();
      double wall = System.nanoTime() - start;
      double cpuPerBlock = (double) (system.getProcessCpuTime() - cpu) / log.eventBlocks();
      leastCpu[0] = Math.min(leastCpu[0], cpuPerBlock);
      return wall / log.eventBlocks();
    }
  }

  static KvIndexer indexer(RealEnvironment environment) {
    return KvIndexer.builder()
        .environment(environment.environment())
        .blockSize(128)
        .maxPendingUpdates(Integer.MAX_VALUE)
        .build();
  }
}
