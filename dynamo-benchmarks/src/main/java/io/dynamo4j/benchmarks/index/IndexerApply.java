// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import com.sun.management.ThreadMXBean;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.tree.RadixTree;
import io.dynamo4j.indexer.KvIndexer;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/**
 * A log through the index: handed in by one thread, applied by the lanes of one or two others, the
 * clock stopped when the last block can be found. The tree alone, on one thread, is the reference.
 */
final class IndexerApply {
  private static final int SEED = 1;
  private static final int BLOCK_SIZE = 128;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final OperationLog log;

  IndexerApply(OperationLog log) {
    this.log = log;
  }

  /** One pass of each, the index with one lane twice around the others. */
  IndexerFigures.Apply round() {
    double oneLane = indexNanos(1);
    double tree = treeNanos();
    double twoLanes = indexNanos(2);
    tree = Math.min(tree, treeNanos());
    oneLane = Math.min(oneLane, indexNanos(1));
    twoLanes = Math.min(twoLanes, indexNanos(2));
    return new IndexerFigures.Apply(
        tree / log.eventBlocks(), oneLane / log.eventBlocks(), twoLanes / log.eventBlocks());
  }

  private double treeNanos() {
    RadixTree tree = RadixTree.create(SEED);
    long start = System.nanoTime();
    for (RouterEvent event : log.events()) {
      tree.apply(event);
    }
    return System.nanoTime() - start;
  }

  private double indexNanos(int lanes) {
    try (Threads lanesThreads = new Threads(lanes);
        KvIndexer index = index(lanesThreads.environment(), lanes)) {
      long start = System.nanoTime();
      fill(index);
      return System.nanoTime() - start;
    }
  }

  private void fill(KvIndexer index) {
    log.events().forEach(index::submit);
    index.flush().toCompletableFuture().join();
  }

  /** Returns an index that never refuses an event for want of room. */
  static KvIndexer index(Environment environment, int lanes) {
    return KvIndexer.builder()
        .environment(environment)
        .blockSize(BLOCK_SIZE)
        .eventLanes(lanes)
        .maxPendingUpdates(Integer.MAX_VALUE)
        .build();
  }

  /** The same lookups in both, A B B A, after every score was compared with the log's caches. */
  IndexerFigures.Lookup lookups(int passes) {
    List<long[]> queries = log.residentQueries(QuerySet.LIMIT);
    try (Threads one = new Threads(1);
        Threads two = new Threads(2);
        KvIndexer oneTree = index(one.environment(), 1);
        KvIndexer twoTrees = index(two.environment(), 2)) {
      fill(oneTree);
      fill(twoTrees);
      int wrong = wrongAnswers(oneTree, queries) + wrongAnswers(twoTrees, queries);
      double ofOne = Double.MAX_VALUE;
      double ofTwo = Double.MAX_VALUE;
      for (int pass = 0; pass < passes; pass++) {
        ofOne = Math.min(ofOne, lookupNanos(oneTree, queries));
        ofTwo = Math.min(ofTwo, lookupNanos(twoTrees, queries));
        ofTwo = Math.min(ofTwo, lookupNanos(twoTrees, queries));
        ofOne = Math.min(ofOne, lookupNanos(oneTree, queries));
      }
      return new IndexerFigures.Lookup(ofOne, ofTwo, wrong);
    }
  }

  private int wrongAnswers(KvIndexer index, List<long[]> queries) {
    OverlapScores out = OverlapScores.create();
    int step = Math.max(1, queries.size() / 200);
    int wrong = 0;
    for (int n = 0; n < queries.size(); n += step) {
      long[] query = queries.get(n);
      index.findMatches(query, query.length, out);
      int[] left = log.trueScores(query);
      for (int i = 0; i < out.size(); i++) {
        left[(int) out.worker(i).workerId()] -= out.depth(i);
      }
      for (int difference : left) {
        wrong += difference == 0 ? 0 : 1;
      }
    }
    return wrong;
  }

  private double lookupNanos(KvIndexer index, List<long[]> queries) {
    OverlapScores out = OverlapScores.create();
    long start = threads.getCurrentThreadCpuTime();
    for (long[] query : queries) {
      index.findMatches(query, query.length, out);
    }
    return (double) (threads.getCurrentThreadCpuTime() - start) / queries.size();
  }

  /** So many threads for lanes, and their end. */
  private static final class Threads implements AutoCloseable {
    private final ExecutorService lanes;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final RealEnvironment environment;

    Threads(int count) {
      this.lanes = Executors.newFixedThreadPool(count);
      this.environment = RealEnvironment.over(lanes, timer);
    }

    Environment environment() {
      return environment.environment();
    }

    @Override
    public void close() {
      environment.close();
      lanes.shutdown();
      timer.shutdown();
    }
  }
}
