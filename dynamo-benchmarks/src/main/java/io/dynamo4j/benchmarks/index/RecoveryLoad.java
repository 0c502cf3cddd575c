// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import java.util.Arrays;
import java.util.List;

/**
 * Lookups while a worker's whole cache is asked for and put into the index, over and over, against
 * the same lookups with nothing else going on, half of them before and half after.
 */
final class RecoveryLoad {
  private static final long RECOVERED = 1_000_000;
  private static final int READS_A_TURN = 16;

  private final OperationLog log;
  private final List<long[]> queries;
  private final byte[] answer;
  private final int blocks;
  private final int reads;
  private final OverlapScores out = OverlapScores.create();
  private long[] nanos = new long[1 << 16];
  private int taken;
  private int next;

  RecoveryLoad(OperationLog log, int blocks, int reads) {
    this.log = log;
    this.queries = log.residentQueries(QuerySet.LIMIT);
    this.blocks = blocks;
    this.answer = RecoveredWorker.answer(RECOVERED, blocks);
    this.reads = reads;
  }

  IndexerFigures.Recovery round() {
    try (FedIndex router = new FedIndex()) {
      for (RouterEvent event : log.events()) {
        router.index.submit(event);
      }
      router.index.flush().toCompletableFuture().join();
      long others = router.index.status().blocks();
      router.serve(RECOVERED, answer);
      recover(router, others, false); // once before anything counts
      read(router, reads);
      taken = 0;

      read(router, reads / 2);
      long[] before = samples();
      long busyNanos = 0;
      int recoveries = 0;
      while (taken < reads) {
        busyNanos += recover(router, others, true);
        recoveries++;
      }
      long[] busy = samples();
      read(router, reads / 2);
      long[] idle = Arrays.copyOf(before, before.length + taken);
      System.arraycopy(nanos, 0, idle, before.length, taken);
      taken = 0;
      Arrays.sort(busy);
      Arrays.sort(idle);
      return new IndexerFigures.Recovery(
          percentile(idle, 0.5),
          percentile(idle, 0.99),
          percentile(busy, 0.5),
          percentile(busy, 0.99),
          busy.length,
          recoveries,
          (double) busyNanos / recoveries,
          blocks);
    }
  }

  /** Returns how long it took until every block was there. */
  private long recover(FedIndex router, long others, boolean isRead) {
    long start = System.nanoTime();
    router.register(RECOVERED);
    if (isRead) {
      do {
        read(router, READS_A_TURN);
      } while (!router.isExact(1));
    } else {
      router.awaitExact(1);
    }
    router.index.flush().toCompletableFuture().join();
    long nanosTaken = System.nanoTime() - start;
    long held = router.index.status().blocks() - others;
    if (held != blocks) {
      throw new IllegalStateException("recovery is not whole: is=" + held + ", should=" + blocks);
    }
    router.unregister(RECOVERED);
    router.awaitExact(0);
    router.index.flush().toCompletableFuture().join();
    return nanosTaken;
  }

  private void read(FedIndex router, int count) {
    for (int i = 0; i < count; i++) {
      long[] query = queries.get(next);
      next = next + 1 == queries.size() ? 0 : next + 1;
      if (taken == nanos.length) {
        nanos = Arrays.copyOf(nanos, taken * 2);
      }
      long start = System.nanoTime();
      router.index.findMatches(query, query.length, out);
      nanos[taken++] = System.nanoTime() - start;
    }
  }

  private long[] samples() {
    long[] samples = Arrays.copyOf(nanos, taken);
    taken = 0;
    return samples;
  }

  private static double percentile(long[] sorted, double p) {
    return sorted[(int) ((sorted.length - 1) * p)];
  }
}
