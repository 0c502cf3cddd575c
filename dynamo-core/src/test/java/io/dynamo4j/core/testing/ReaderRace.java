// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.tree.SyncIndexer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** One stream applied by one thread while others look, every answer held against the oracle. */
public final class ReaderRace {
  private final SyncIndexer subject;
  private final LongSupplier version;
  private final List<IndexStep> steps;
  private final ReaderOracle oracle;
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
    this.oracle = ReaderOracle.of(steps);
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
      int query = (int) (tally.lookups() % ReaderOracle.queries());
      int from = done.get();
      long before = version.getAsLong();
      int[] scores = oracle.scores(subject, query, out);
      long after = version.getAsLong();
      int to = begun.get();
      if (before == after && before % 2 == 0) {
        tally.undisturbed++;
        oracle.requireExact(scores, query, (int) (before / 2));
      } else {
        tally.disturbed++;
        oracle.requireNotAboveAMoment(scores, query, from, to);
        tally.tooLow += oracle.isTooLow(scores, query, from, to) ? 1 : 0;
      }
    } while (done.get() < steps.size());
    return tally;
  }
}
