// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import com.sun.management.ThreadMXBean;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.tree.RadixTree;
import java.lang.management.ManagementFactory;
import java.util.List;

/** Our tree on one log: what it answers, and what that costs in thread CPU time and heap. */
final class IndexRun {
  private static final int COLLECTIONS = 3;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final OperationLog log;
  private final RadixTree tree;
  private final long heapBytes;

  private IndexRun(OperationLog log) {
    this.log = log;
    long before = liveHeap();
    this.tree = applied();
    this.heapBytes = liveHeap() - before;
  }

  /** Returns the run of a log whose events are applied. */
  static IndexRun of(OperationLog log) {
    return new IndexRun(log);
  }

  private RadixTree applied() {
    RadixTree index = RadixTree.create(1);
    for (RouterEvent event : log.events()) {
      index.apply(event);
    }
    return index;
  }

  private static long liveHeap() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** Returns live bytes of the whole index for each block that some worker holds. */
  double bytesPerMembership() {
    return (double) heapBytes / log.memberships();
  }

  /** Returns the least CPU nanoseconds a lookup over some rounds, the result rebuilt each time. */
  double lookupNanos(List<long[]> queries, int rounds) {
    OverlapScores out = OverlapScores.create();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < rounds; round++) {
      long start = threads.getCurrentThreadCpuTime();
      for (long[] query : queries) {
        tree.findMatches(query, query.length, out);
      }
      least = Math.min(least, threads.getCurrentThreadCpuTime() - start);
    }
    return (double) least / queries.size();
  }

  /** Returns the least CPU nanoseconds a stored or removed block over some rounds. */
  double applyNanos(int rounds) {
    long least = Long.MAX_VALUE;
    for (int round = 0; round < rounds; round++) {
      long start = threads.getCurrentThreadCpuTime();
      applied();
      least = Math.min(least, threads.getCurrentThreadCpuTime() - start);
    }
    return (double) least / log.eventBlocks();
  }

  /** Returns the sum that the comparator forms over all results of a set of queries. */
  long resultChecksum(List<long[]> queries) {
    OverlapScores out = OverlapScores.create();
    long sum = 0;
    for (int n = 0; n < queries.size(); n++) {
      tree.findMatches(queries.get(n), queries.get(n).length, out);
      for (int i = 0; i < out.size(); i++) {
        long entry = (out.worker(i).workerId() << 32) | out.depth(i);
        sum += OperationLog.mix64(OperationLog.mix64(n) ^ entry);
      }
    }
    return sum;
  }

  /** Returns how many scores of these queries differ from the caches that made the log. */
  int wrongScores(List<long[]> queries) {
    OverlapScores out = OverlapScores.create();
    int wrong = 0;
    for (long[] query : queries) {
      tree.findMatches(query, query.length, out);
      int[] expected = log.trueScores(query);
      for (int i = 0; i < out.size(); i++) {
        int worker = (int) out.worker(i).workerId();
        wrong += expected[worker] == out.depth(i) ? 0 : 1;
        expected[worker] = 0;
      }
      for (int missed : expected) {
        wrong += missed == 0 ? 0 : 1;
      }
    }
    return wrong;
  }
}
