// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.dynamo4j.benchmarks.ChecksumMismatchException;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.tree.PlainLookup;
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

  /** Thirty ticks of ten milliseconds. */
  private static final long LEAST_CPU_NANOS = 300_000_000;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private final OperationLog log;
  private final List<QuerySet> sets;
  private final RadixTree tree;
  private final PlainLookup plain;
  private final double treeBytes;

  private IndexMeasurements(OperationLog log) {
    this.log = log;
    this.sets = QuerySet.of(log);
    HeapBytes heap = new HeapBytes();
    PlainLookup.Opened opened = PlainLookup.Opened.create(SEED);
    this.tree = opened.tree();
    applyTo(tree, log.events());
    this.treeBytes = heap.more();
    tree.findMatches(new long[0], 0, OverlapScores.create());
    this.plain = opened.plain();
    sets.forEach(this::requireSameAnswers);
  }

  /** Applies the events of a log. */
  static IndexMeasurements of(OperationLog log) {
    return new IndexMeasurements(log);
  }

  static RadixTree applied(List<RouterEvent> events) {
    RadixTree index = RadixTree.create(SEED);
    applyTo(index, events);
    return index;
  }

  private static void applyTo(RadixTree index, List<RouterEvent> events) {
    for (RouterEvent event : events) {
      index.apply(event);
    }
  }

  /** The plain loop must find what the tree finds, or its time says nothing. */
  private void requireSameAnswers(QuerySet set) {
    OverlapScores out = OverlapScores.create();
    for (long[] query : set.queries()) {
      tree.findMatches(query, query.length, out);
      long sum = 0;
      for (int i = 0; i < out.size(); i++) {
        sum += (long) out.depth(i) * (out.number(i) + 1);
      }
      plain.find(query);
      ChecksumMismatchException.requireEqual("plain lookup, slots", out.size(), plain.size());
      ChecksumMismatchException.requireEqual("plain lookup, depths", sum, plain.digest());
    }
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
    return round(passes, LEAST_CPU_NANOS);
  }

  /**
   * Measures everything that is timed.
   *
   * @param leastCpuNanos CPU time behind a figure of several threads; at least one tick is waited
   *     for
   */
  IndexFigures.Round round(int passes, long leastCpuNanos) {
    List<IndexFigures.Lookup> lookups = sets.stream().map(set -> lookup(set, passes)).toList();
    double[] cpu = {Double.MAX_VALUE};
    double wall = least(passes, () -> indexerNanos(Math.max(1, leastCpuNanos), cpu));
    return new IndexFigures.Round(lookups, wall, cpu[0], least(passes, this::treeNanos));
  }

  /** Ours and the plain loop in turn, A B B A. */
  private IndexFigures.Lookup lookup(QuerySet set, int passes) {
    double ours = Double.MAX_VALUE;
    double reference = Double.MAX_VALUE;
    for (int pass = 0; pass < passes; pass++) {
      ours = Math.min(ours, lookupNanos(set.queries()));
      reference = Math.min(reference, plainNanos(set.queries()));
      reference = Math.min(reference, plainNanos(set.queries()));
      ours = Math.min(ours, lookupNanos(set.queries()));
    }
    return new IndexFigures.Lookup(set.name(), ours, reference);
  }

  private double plainNanos(List<long[]> queries) {
    long start = threads.getCurrentThreadCpuTime();
    for (long[] query : queries) {
      plain.find(query);
    }
    return (double) (threads.getCurrentThreadCpuTime() - start) / queries.size();
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

  /**
   * Hand-over of every event to the index's lane until the last is visible, wall nanoseconds: the
   * mean of as many times as it takes until the clock of all threads' CPU time, whose ticks are
   * long, has moved far enough.
   */
  private double indexerNanos(long leastCpuNanos, double[] leastCpu) {
    long cpu = 0;
    double wall = 0;
    int times = 0;
    while (cpu < leastCpuNanos) {
      try (RealEnvironment environment = RealEnvironment.create();
          KvIndexer index = indexer(environment)) {
        long cpuStart = system.getProcessCpuTime();
        long start = System.nanoTime();
        log.events().forEach(index::submit);
        index.flush().toCompletableFuture().join();
        wall += System.nanoTime() - start;
        cpu += system.getProcessCpuTime() - cpuStart;
        times++;
      }
    }
    double blocks = (double) log.eventBlocks() * times;
    leastCpu[0] = Math.min(leastCpu[0], cpu / blocks);
    return wall / blocks;
  }

  static KvIndexer indexer(RealEnvironment environment) {
    return KvIndexer.builder()
        .environment(environment.environment())
        .blockSize(128)
        .maxPendingUpdates(Integer.MAX_VALUE)
        .build();
  }
}
