// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.indexer.KvIndexer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One reader beside the writer: the first half of the log is applied, then the second is handed
 * over at once and lookups go on until its last event is visible. The same lookups without a
 * writer, half of them before and half after, are the reference.
 */
final class MixedLoad {
  private static final int READS_A_TURN = 16;
  private static final int IDLE_READS = 40_000;

  private final OperationLog log;
  private final List<long[]> queries;
  private final OverlapScores out = OverlapScores.create();
  private long[] nanos = new long[1 << 20];
  private int reads;
  private int next;

  MixedLoad(OperationLog log) {
    this.log = log;
    List<long[]> fresh = log.freshQueries(QuerySet.LIMIT);
    this.queries = fresh.isEmpty() ? log.residentQueries(QuerySet.LIMIT) : fresh;
  }

  IndexFigures.Mixed round() {
    List<RouterEvent> first = log.events().subList(0, log.firstHalfEvents());
    List<RouterEvent> second = log.events().subList(log.firstHalfEvents(), log.events().size());
    try (RealEnvironment environment = RealEnvironment.create();
        KvIndexer index = IndexMeasurements.indexer(environment)) {
      submit(index, first).join();
      read(index, IDLE_READS / 2);
      long[] before = taken();

      long start = System.nanoTime();
      CompletableFuture<Void> drained = submit(index, second);
      do {
        read(index, READS_A_TURN); // at least once, however short the log
      } while (!drained.isDone());
      double seconds = (System.nanoTime() - start) / 1e9;
      long[] busy = sorted(taken());

      read(index, IDLE_READS / 2);
      long[] idle = sorted(joined(before, taken()));
      return new IndexFigures.Mixed(
          percentile(idle, 0.5),
          percentile(idle, 0.99),
          percentile(busy, 0.5),
          percentile(busy, 0.99),
          busy.length,
          blocks(second) / seconds);
    }
  }

  private static CompletableFuture<Void> submit(KvIndexer index, List<RouterEvent> events) {
    events.forEach(index::submit);
    return index.flush().toCompletableFuture();
  }

  private void read(KvIndexer index, int count) {
    for (int i = 0; i < count; i++) {
      long[] query = queries.get(next);
      next = next + 1 == queries.size() ? 0 : next + 1;
      if (reads == nanos.length) {
        nanos = Arrays.copyOf(nanos, reads * 2);
      }
      long start = System.nanoTime();
      index.findMatches(query, query.length, out);
      nanos[reads++] = System.nanoTime() - start;
    }
  }

  private long[] taken() {
    long[] taken = Arrays.copyOf(nanos, reads);
    reads = 0;
    return taken;
  }

  private static long[] joined(long[] one, long[] other) {
    long[] both = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }

  private static long[] sorted(long[] values) {
    Arrays.sort(values);
    return values;
  }

  private static double percentile(long[] sorted, double p) {
    return sorted[(int) ((sorted.length - 1) * p)];
  }

  private static double blocks(List<RouterEvent> events) {
    return events.stream().mapToLong(event -> event.event().data().blockCount()).sum();
  }
}
