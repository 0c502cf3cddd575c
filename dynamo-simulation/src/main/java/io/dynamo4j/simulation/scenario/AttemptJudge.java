// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.runtime.Scheduler;
import java.util.concurrent.Flow;

/**
 * Judges the signals of one attempt, both ways, and passes them on. What comes after the migrator
 * gave the attempt up is passed on too, and what a silent worker held back comes just then: the
 * migrator must drop it, or the client shows it.
 */
final class AttemptJudge implements Flow.Subscriber<LLMEngineOutput>, Flow.Subscription {
  private final Ledger ledger;
  private final RequestEntry entry;
  private final AttemptEntry attempt;
  private final Scheduler lane;
  private final Flow.Subscriber<? super LLMEngineOutput> downstream;
  private final long deliveredBefore;
  private Flow.Subscription upstream = NoSubscription.INSTANCE;
  private long requested;
  private boolean ended;

  AttemptJudge(
      Ledger ledger,
      RequestEntry entry,
      AttemptEntry attempt,
      Scheduler lane,
      Flow.Subscriber<? super LLMEngineOutput> downstream) {
    this.ledger = ledger;
    this.entry = entry;
    this.attempt = attempt;
    this.lane = lane;
    this.downstream = downstream;
    this.deliveredBefore = entry.deliveredItems();
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    upstream = subscription;
    downstream.onSubscribe(this);
  }

  @Override
  public void request(long items) {
    requested = requested + items < 0 ? Long.MAX_VALUE : requested + items;
    ledger.check(
        requested == Long.MAX_VALUE
            ? entry.requestedItems() == Long.MAX_VALUE
            : deliveredBefore + requested <= entry.requestedItems(),
        Oracle.DEMAND,
        "asked for more than the client has: "
            + entry
            + ", asked="
            + requested
            + ", client="
            + entry.requestedItems());
    upstream.request(items);
  }

  @Override
  public void cancel() {
    if (attempt.isRunning()) {
      giveUp();
    }
    upstream.cancel();
    LLMEngineOutput late = attempt.takeHeldBack();
    if (late != null) {
      lane.execute(() -> onNext(late));
    }
  }

  /** The migrator leaves a running attempt: for its client's sake, a drain's, or a fault's. */
  private void giveUp() {
    if (entry.isOpen()
        && attempt.worker() != AttemptEntry.NO_WORKER
        && ledger.isDraining(attempt.worker())
        && entry.attempts().stream()
            .anyMatch(
                other ->
                    other.isMove()
                        && other.isRunning()
                        && other.isOpened()
                        && other.number() > attempt.number())) {
      attempt.leftByMove();
      return;
    }
    if (!entry.isOpen()
        || entry.isVetoed()
        || entry.isWhole()
        || entry.times().isDeadlinePassed()
        || entry.isMoving(attempt)
        || hasLostRace()) {
      attempt.givenUp();
      return;
    }
    entry.lost(attempt);
    countLoss();
    boolean died = attempt.worker() != AttemptEntry.NO_WORKER && !ledger.livedThrough(attempt);
    ledger.sometimes("given up by a timeout");
    ledger.check(
        attempt.isFaulted() || died,
        Oracle.UNEXPLAINED_LOSS,
        "attempt given up without a fault: " + entry);
  }

  /** Returns whether the other of two attempts brought the first token. */
  private boolean hasLostRace() {
    for (AttemptEntry other : entry.attempts()) {
      boolean raced = other != attempt && (other.isHedge() || attempt.isHedge());
      if (raced && other.isRunning() && other.tokens() > 0 && attempt.tokens() == 0) {
        ledger.sometimes(other.isHedge() ? "second of two was first" : "first of two was first");
        return true;
      }
    }
    return false;
  }

  /** A loss that another worker may repair shows in the counters. */
  private void countLoss() {
    if (!entry.isOpen()
        || entry.isWhole()
        || entry.request().pinnedPosition() != ScenarioRequest.NOT_PINNED
        || entry.isMoving(attempt)) {
      return;
    }
    attempt.counted();
    if (!entry.runsBeside(attempt)) {
      entry.times().lostAlone();
    }
  }

  @Override
  public void onNext(LLMEngineOutput item) {
    if (!attempt.isRunning() && !ended) {
      ledger.sometimes("late frame");
    } else {
      ledger.check(!ended, Oracle.TERMINAL, "attempt signalled after its end: " + entry);
      attempt.brought(item.tokenIds().length());
    }
    downstream.onNext(item);
  }

  @Override
  public void onError(Throwable failure) {
    if (attempt.isRunning()) {
      end();
      entry.lost(attempt);
      ErrorType type = failure instanceof DynamoException typed ? typed.errorType() : null;
      if (type == ErrorType.UNAVAILABLE && attempt.worker() == AttemptEntry.NO_WORKER) {
        lostForWant();
      } else if (type != null && FaultErrors.isRepairable(type, attempt.isOpened())) {
        countLoss();
      }
      // A final error counts while the stream is about to move, too, but not of the move itself.
      if (type != null
          && FaultErrors.isFinal(type, attempt.isOpened())
          && !entry.isMoving(attempt)
          && !(entry.runsBeside(attempt) && !FaultErrors.isVeto(type))) {
        entry.vetoed();
      }
      explain(failure);
    }
    downstream.onError(failure);
  }

  private void lostForWant() {
    attempt.wanting();
    if (!entry.runsBeside(attempt)
        && entry.isOpen()
        && !entry.isWhole()
        && entry.request().pinnedPosition() == ScenarioRequest.NOT_PINNED) {
      entry.times().wanting();
    }
  }

  @Override
  public void onComplete() {
    if (attempt.isRunning()) {
      end();
      if (entry.isWhole() || !entry.isOpen()) {
        attempt.ended();
      } else {
        entry.lost(attempt);
        countLoss();
        ledger.check(
            attempt.isFaulted(),
            Oracle.UNEXPLAINED_LOSS,
            "attempt ended early without a fault: " + entry);
      }
    }
    downstream.onComplete();
  }

  private void end() {
    ledger.check(!ended, Oracle.TERMINAL, "attempt ended twice: " + entry);
    ended = true;
    ledger.check(
        !ledger.isBooked(entry.id(), attempt.number()),
        Oracle.BOOKING,
        "booking outlives its attempt: " + entry);
  }

  /** A lost attempt must have met a fault, or a bug repairs itself unseen. */
  private void explain(Throwable failure) {
    if (attempt.isFaulted() || entry.times().isDeadlinePassed()) {
      return;
    }
    boolean nobodyLeft =
        failure instanceof DynamoException typed
            && typed.errorType() == ErrorType.UNAVAILABLE
            && (!ledger.hasUntriedWorker(entry)
                || entry.request().pinnedPosition() != ScenarioRequest.NOT_PINNED
                || (entry.request().hasGrammar() && entry.hasOpened()));
    boolean died = attempt.worker() != AttemptEntry.NO_WORKER && !ledger.livedThrough(attempt);
    ledger.check(
        nobodyLeft || died,
        Oracle.UNEXPLAINED_LOSS,
        "attempt lost without a fault: " + entry + ", failure=" + failure);
  }
}
