// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.tree.SyncIndexer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * One stream applied by one thread while others look, every answer held against the reference:
 *
 * <ul>
 *   <li>where no change came between, it is the reference's answer at that moment
 *   <li>else there is a moment between the changes done before the lookup and those begun by its
 *       end, at which no rank had less than its score
 *   <li>a score below what the rank had at all these moments is counted, not refused
 * </ul>
 */
public final class ReaderRace {
  private static final long[][] QUERIES = {
    {0, 0, 0, 0}, {0, 1, 0}, {1, 1, 1, 1}, {-1, 0, 1}, {1, 0}, {-1, -1, -1}, {0, -1, 1, 0, 0}
  };

  private final SyncIndexer subject;
  private final LongSupplier version;
  private final List<IndexStep> steps;
  private final List<WorkerWithDpRank> ranks = EventStreams.ranks();
  // By number of steps done, query and rank.
  private final int[][][] expected;
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger done = new AtomicInteger();
  private final AtomicInteger ready = new AtomicInteger();

  /** Lookups by what was seen. */
  public static final class Tally {
    private long undisturbed;
    private long disturbed;
    private long tooLow;

    /** Adds what another race saw. */
    public void add(Tally other) {
      undisturbed += other.undisturbed;
      disturbed += other.disturbed;
      tooLow += other.tooLow;
    }

    public long lookups() {
      return undisturbed + disturbed;
    }

    /** Returns the lookups during which nothing changed. */
    public long undisturbed() {
      return undisturbed;
    }

    /** Returns the lookups beside a change. */
    public long disturbed() {
      return disturbed;
    }

    /** Returns the lookups that scored a rank lower than it ever was meanwhile. */
    public long tooLow() {
      return tooLow;
    }

    @Override
    public String toString() {
      return "undisturbed=" + undisturbed + ", disturbed=" + disturbed + ", tooLow=" + tooLow;
    }
  }

  private ReaderRace(SyncIndexer subject, LongSupplier version, List<IndexStep> steps) {
    this.subject = subject;
    this.version = version;
    this.steps = steps;
    this.expected = new int[steps.size() + 1][QUERIES.length][];
    ReferenceIndex reference = ReferenceIndex.create();
    for (int i = 0; i <= steps.size(); i++) {
      if (i > 0) {
        steps.get(i - 1).applyTo(reference);
      }
      for (int query = 0; query < QUERIES.length; query++) {
        expected[i][query] = scores(reference, query, OverlapScores.create());
      }
    }
  }

  /**
   * Returns a race.
   *
   * @param subject an empty index
   * @param version the number of changes begun and of those made; odd while one is being made
   */
  public static ReaderRace of(SyncIndexer subject, LongSupplier version, List<IndexStep> steps) {
    return new ReaderRace(subject, version, steps);
  }

  /**
   * Applies the steps on this thread and looks on others.
   *
   * @throws java.util.concurrent.ExecutionException of an {@link AssertionError} if an answer is
   *     wrong
   */
  public Tally run(ExecutorService threads, int readers) throws Exception {
    List<Future<Tally>> running = new ArrayList<>();
    for (int i = 0; i < readers; i++) {
      running.add(threads.submit(this::read));
    }
    while (ready.get() < readers) {
      Thread.onSpinWait();
    }
    for (int i = 0; i < steps.size(); i++) {
      begun.set(i + 1);
      steps.get(i).applyTo(subject);
      done.set(i + 1);
    }
    Tally all = new Tally();
    for (Future<Tally> reader : running) {
      all.add(reader.get(60, TimeUnit.SECONDS));
    }
    return all;
  }

  private Tally read() {
    OverlapScores out = OverlapScores.create();
    Tally tally = new Tally();
    ready.incrementAndGet();
    do {
      int query = (int) (tally.lookups() % QUERIES.length);
      int from = done.get();
      long before = version.getAsLong();
      int[] scores = scores(subject, query, out);
      long after = version.getAsLong();
      int to = begun.get();
      if (before == after && before % 2 == 0) {
        tally.undisturbed++;
        require(
            Arrays.equals(scores, expected[(int) (before / 2)][query]), scores, query, from, to);
      } else {
        tally.disturbed++;
        require(isBelowOneMoment(scores, query, from, to), scores, query, from, to);
        tally.tooLow += isBelowAll(scores, query, from, to) ? 1 : 0;
      }
    } while (done.get() < steps.size());
    return tally;
  }

  private boolean isBelowOneMoment(int[] scores, int query, int from, int to) {
    for (int moment = from; moment <= to; moment++) {
      boolean above = false;
      for (int rank = 0; rank < scores.length; rank++) {
        above |= scores[rank] > expected[moment][query][rank];
      }
      if (!above) {
        return true;
      }
    }
    return false;
  }

  private boolean isBelowAll(int[] scores, int query, int from, int to) {
    for (int rank = 0; rank < scores.length; rank++) {
      int least = Integer.MAX_VALUE;
      for (int moment = from; moment <= to; moment++) {
        least = Math.min(least, expected[moment][query][rank]);
      }
      if (scores[rank] < least) {
        return true;
      }
    }
    return false;
  }

  private void require(boolean holds, int[] scores, int query, int from, int to) {
    if (!holds) {
      StringBuilder moments = new StringBuilder();
      for (int moment = from; moment <= to; moment++) {
        moments.append("\n  ").append(Arrays.toString(expected[moment][query]));
      }
      throw new AssertionError(
          "no moment allows this answer: query="
              + Arrays.toString(QUERIES[query])
              + ", ranks="
              + ranks
              + ", scores="
              + Arrays.toString(scores)
              + ", from="
              + from
              + ", to="
              + to
              + ", expected="
              + moments);
    }
  }

  /** Returns the score of each rank. */
  private int[] scores(SyncIndexer index, int query, OverlapScores out) {
    index.findMatches(QUERIES[query], QUERIES[query].length, out);
    int[] scores = new int[ranks.size()];
    for (int i = 0; i < out.size(); i++) {
      int rank = ranks.indexOf(out.worker(i));
      if (scores[rank] != 0) {
        throw new AssertionError("rank is named twice: rank=" + out.worker(i));
      }
      scores[rank] = out.depth(i);
    }
    return scores;
  }
}
