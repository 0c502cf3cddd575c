// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.testing.EventStreams;
import io.dynamo4j.core.testing.EventStreams.Hashes;
import io.dynamo4j.core.testing.IndexStep;
import io.dynamo4j.core.testing.ReferenceIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Readers beside the writer: every answer must be that of the reference after some number of events
 * between those that were done before the lookup and those that were begun after it.
 */
class RadixTreeReadersTest {
  private static final int READERS = 2;
  private static final int EVENTS = 400;
  private static final int ROUNDS = 32;
  private static final List<Hashes> KINDS = List.of(Hashes.values());
  private static final long[][] QUERIES = {
    {0, 0, 0, 0}, {0, 1, 0}, {1, 1, 1, 1}, {-1, 0, 1}, {1, 0}, {-1, -1, -1}, {0, -1, 1, 0, 0}
  };

  @Test
  void shouldAnswerForOneMomentWhenReadBesideTheWriter() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(READERS);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        Hashes hashes = KINDS.get(round % KINDS.size());
        new Race(EventStreams.of(round, hashes, EVENTS), round).run(threads);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** One stream applied while others look. */
  private static final class Race {
    private final List<IndexStep> steps;
    private final long[][] expected;
    private final RadixTree tree;
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private final AtomicInteger ready = new AtomicInteger();
    private final int round;

    Race(List<IndexStep> steps, int round) {
      this.steps = steps;
      this.round = round;
      this.tree = RadixTree.create(round);
      this.expected = new long[steps.size() + 1][QUERIES.length];
      ReferenceIndex reference = ReferenceIndex.create();
      for (int i = 0; i <= steps.size(); i++) {
        if (i > 0) {
          steps.get(i - 1).applyTo(reference);
        }
        for (int query = 0; query < QUERIES.length; query++) {
          expected[i][query] = answer(reference, query, OverlapScores.create());
        }
      }
    }

    void run(ExecutorService threads) throws Exception {
      List<Future<Integer>> readers = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        readers.add(threads.submit(this::read));
      }
      while (ready.get() < READERS) {
        Thread.onSpinWait();
      }
      for (int i = 0; i < steps.size(); i++) {
        begun.set(i + 1);
        steps.get(i).applyTo(tree);
        done.set(i + 1);
      }
      for (Future<Integer> reader : readers) {
        assertThat(reader.get(60, TimeUnit.SECONDS)).isPositive();
      }
      tree.checkInvariants();
    }

    private int read() {
      OverlapScores out = OverlapScores.create();
      int lookups = 0;
      ready.incrementAndGet();
      do {
        int query = lookups++ % QUERIES.length;
        int from = done.get();
        long answer = answer(tree, query, out);
        int to = begun.get();
        if (!isExpected(answer, query, from, to)) {
          throw new AssertionError(
              "no moment gives this answer: round="
                  + round
                  + ", query="
                  + query
                  + ", from="
                  + from
                  + ", to="
                  + to);
        }
      } while (done.get() < steps.size());
      return lookups;
    }

    private boolean isExpected(long answer, int query, int from, int to) {
      for (int moment = from; moment <= to; moment++) {
        if (expected[moment][query] == answer) {
          return true;
        }
      }
      return false;
    }

    /** Condenses scores to one number, whatever their order. */
    private static long answer(SyncIndexer index, int query, OverlapScores out) {
      index.findMatches(QUERIES[query], QUERIES[query].length, out);
      long sum = 0;
      for (int i = 0; i < out.size(); i++) {
        long entry = out.worker(i).hashCode() * 31L + out.depth(i) + 1;
        sum += (entry ^ (entry >>> 15)) * 0x9e3779b97f4a7c15L;
      }
      return sum;
    }
  }
}
