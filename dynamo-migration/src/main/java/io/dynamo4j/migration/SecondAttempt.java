// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.migration.Attempts.Pairing;
import org.jspecify.annotations.Nullable;

/**
 * Two attempts of one request side by side, until one of them goes on alone. The other one is
 * cancelled, which gives back what it held, and its probe, which taught nothing.
 *
 * <p>While two run, items that cannot be judged yet are kept, few of them: without tokens in a
 * race, since only one of the attempts may bring its own, and all of an attempt that is about to be
 * left. Belongs to the request's lane.
 */
final class SecondAttempt<R> {
  private static final int MAX_KEPT = 256;

  private final Attempts<R> attempts;
  private final AnswerFlow<R> answer;
  private final AttemptWatch<R> watch;
  private final RequestJournal journal;
  private final HealthReporter health;
  private final Scheduler lane;

  SecondAttempt(
      Attempts<R> attempts,
      AnswerFlow<R> answer,
      AttemptWatch<R> watch,
      RequestJournal journal,
      HealthReporter health,
      Scheduler lane) {
    this.attempts = attempts;
    this.answer = answer;
    this.watch = watch;
    this.journal = journal;
    this.health = health;
    this.lane = lane;
  }

  void begin(AttemptRun<R> run, Pairing purpose) {
    attempts.beginBeside(run, purpose);
    watch.set(run);
  }

  /** Keeps an item; returns false if there are too many. */
  boolean keep(AttemptRun<R> run, R item) {
    if (run.keptCount() >= MAX_KEPT) {
      return false;
    }
    run.keep(item);
    return true;
  }

  /** The race is won. */
  void decide(AttemptRun<R> winner) {
    AttemptRun<R> loser = attempts.settle(winner);
    if (loser != null) {
      giveUp(loser);
      journal.hedgeDecided(winner, loser, lane.clock().nanoTime());
    }
    watch.leads(winner);
  }

  /**
   * Leaves the old attempt for the new one, whose stream is open; the client never saw what was
   * kept.
   *
   * @return the worker that was left
   */
  @Nullable WorkerWithDpRank moveTo(AttemptRun<R> run) {
    AttemptRun<R> old = attempts.settle(run);
    if (old == null) {
      return null;
    }
    giveUp(old);
    WorkerWithDpRank from = old.worker();
    if (from != null) {
      journal.moved(run, from, lane.clock().nanoTime());
    }
    answer.attemptBegan();
    watch.leads(run);
    return from;
  }

  /** Gives the new attempt up and returns the old one, which goes on. */
  @Nullable AttemptRun<R> stay() {
    AttemptRun<R> rival = attempts.rival();
    if (rival == null) {
      return null;
    }
    AttemptRun<R> lead = attempts.remove(rival);
    giveUp(rival);
    return lead;
  }

  private void giveUp(AttemptRun<R> run) {
    run.abandon();
    health.abandoned(run);
    for (int i = run.keptCount(); i > 0; i--) {
      run.takeKept();
      journal.dropped();
    }
  }
}
