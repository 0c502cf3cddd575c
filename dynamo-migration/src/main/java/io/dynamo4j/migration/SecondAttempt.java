// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.migration.Attempts.Pairing;

/**
 * Two attempts of one request side by side, until one of them goes on alone. The other one is
 * cancelled, which gives back what it held, and its probe, which taught nothing.
 *
 * <p>While two run, items that cannot be judged yet are kept, few of them: without tokens in a
 * race, since only one of the attempts may bring its own, and all of an attempt that is about to be
 * left. In a race an attempt always has demand left for a token; what would use that up is dropped.
 * Belongs to the request's lane.
 */
final class SecondAttempt<R> {
  private static final int MAX_KEPT = 256;

  /** The request. */
  interface Owner<R> {

    /** Judges an item of the attempt that leads and passes it on. */
    void pass(AttemptRun<R> run, R item);

    /** Returns whether the attempt leads and can bring more. */
    boolean goesOn(AttemptRun<R> run);

    void giveUp(AttemptRun<R> run, ErrorType type, String message);

    void fail(MigrationException error);

    /** Another attempt leads than did before. */
    void leads(AttemptRun<R> run);

    /** The stream that was to move goes on where it was. */
    void stayed();
  }

  private final Owner<R> owner;
  private final Attempts<R> attempts;
  private final AnswerFlow<R> answer;
  private final RecoverySearch search;
  private final ClientPort<R> client;
  private final AttemptWatch<R> watch;
  private final RequestJournal journal;
  private final HealthReporter health;
  private final NanoClock clock;

  SecondAttempt(Owner<R> owner, RequestParts<R> parts, AttemptWatch<R> watch) {
    this.owner = owner;
    this.attempts = parts.attempts;
    this.answer = parts.answer;
    this.search = parts.search;
    this.client = parts.client;
    this.watch = watch;
    this.journal = parts.journal;
    this.health = parts.health;
    this.clock = parts.lane.clock();
  }

  void begin(AttemptRun<R> run, Pairing purpose) {
    attempts.beginBeside(run, purpose);
    watch.set(run);
  }

  /** One of two attempts brought an item. */
  void received(AttemptRun<R> run, R item) {
    if (attempts.pairing() == Pairing.HEDGE) {
      race(run, item);
    } else {
      park(run, item);
    }
  }

  private void race(AttemptRun<R> run, R item) {
    if (!answer.carriesAnswer(item)) {
      if (run.keptCount() < MAX_KEPT && run.keptCount() + 1 < client.outstanding()) {
        run.keep(item);
      } else {
        journal.dropped();
        run.request(1);
      }
    } else if (answer.isIncompleteEnd(item)) {
      owner.giveUp(run, ErrorType.STREAM_INCOMPLETE, "worker ended the stream unasked");
    } else {
      decide(run);
      deliverKept(run);
      passIfOn(run, item);
    }
  }

  private void decide(AttemptRun<R> winner) {
    AttemptRun<R> loser = attempts.settle(winner);
    if (loser != null) {
      giveUp(loser);
      journal.hedgeDecided(winner, loser, clock.nanoTime());
    }
    watch.leads(winner);
    owner.leads(winner);
  }

  private void park(AttemptRun<R> run, R item) {
    if (run.keptCount() >= MAX_KEPT) {
      stay();
      passIfOn(run, item);
      return;
    }
    run.keep(item);
    if (answer.carriesFinish(item)) {
      stay();
    } else if (answer.carriesAnswer(item)) {
      watch.progressed(run);
    }
  }

  /** Passes on what a paired attempt brought that could not be judged at the time. */
  private void deliverKept(AttemptRun<R> run) {
    R item = run.takeKept();
    while (item != null && owner.goesOn(run)) {
      owner.pass(run, item);
      item = run.takeKept();
    }
  }

  private void passIfOn(AttemptRun<R> run, R item) {
    if (owner.goesOn(run)) {
      owner.pass(run, item);
    }
  }

  /**
   * Leaves the old attempt for the new one, whose stream is open; the client never saw what was
   * kept.
   */
  void move() {
    AttemptRun<R> run = attempts.rival();
    AttemptRun<R> old = run == null ? null : attempts.settle(run);
    if (run == null || old == null) {
      return;
    }
    giveUp(old);
    WorkerWithDpRank from = old.worker();
    if (from != null) {
      search.left(from);
      journal.moved(run, from, clock.nanoTime());
    }
    answer.attemptBegan();
    watch.leads(run);
  }

  /** Gives a move up, if one is under way: the stream goes on where it is. */
  void stay() {
    AttemptRun<R> rival = attempts.rival();
    if (rival == null || attempts.pairing() != Pairing.MOVE) {
      return;
    }
    AttemptRun<R> lead = attempts.remove(rival);
    giveUp(rival);
    if (lead != null) {
      deliverKept(lead);
      if (owner.goesOn(lead)) {
        watch.staysAlone(lead);
      }
    }
    owner.stayed();
  }

  /**
   * One of two attempts is lost, and the other one already leads. It goes on, unless the failure
   * speaks against the request; one of a stream that was only to move never does.
   *
   * @param survivorLed whether the survivor led before
   */
  void lost(
      AttemptRun<R> survivor, Loss loss, AttemptRun<R> run, Pairing pairing, boolean survivorLed) {
    boolean wasMove = pairing == Pairing.MOVE && survivorLed;
    if (loss.isForWantOfWorkers()) {
      search.takeBack(run);
    } else {
      search.add(loss);
      if (loss.verdict() == Verdict.VETOES && !wasMove) {
        owner.fail(search.toException(loss, answer.delivered()));
        return;
      }
      tell(loss, survivor, wasMove);
    }
    if (survivorLed) {
      watch.staysAlone(survivor);
    } else {
      answer.attemptBegan();
      watch.leads(survivor);
      owner.leads(survivor);
    }
    deliverKept(survivor);
    if (wasMove) {
      owner.stayed();
    }
  }

  private void tell(Loss loss, AttemptRun<R> survivor, boolean wasMove) {
    if (wasMove || loss.verdict() != Verdict.MIGRATES) {
      journal.tellLost(loss, /* retried= */ true);
      return;
    }
    journal.lost(loss, /* retried= */ true);
    search.begin(loss, clock.nanoTime());
    if (survivor.isOpened()) {
      answer.streamOpened();
    }
  }

  private void giveUp(AttemptRun<R> run) {
    health.giveUp(run);
    for (int i = run.keptCount(); i > 0; i--) {
      run.takeKept();
      journal.dropped();
    }
  }
}
