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
  private final int tokensBefore;
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
    this.tokensBefore = entry.deliveredTokens();
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
        && entry.attempts().stream().anyMatch(other -> other.isMove() && other.isRunning())) {
      attempt.leftByMove();
      return;
    }
    if (!entry.isOpen()
        || entry.isVetoed()
        || entry.isWhole()
        || (attempt.isMove() && anotherIsRunning())) {
      attempt.givenUp();
      return;
    }
    attempt.lost();
    boolean died = attempt.worker() != AttemptEntry.NO_WORKER && !ledger.livedThrough(attempt);
    ledger.sometimes("given up by a timeout");
    ledger.check(
        attempt.isFaulted() || died,
        Oracle.UNEXPLAINED_LOSS,
        "attempt given up without a fault: " + entry);
  }

  private boolean anotherIsRunning() {
    return entry.attempts().stream().anyMatch(other -> other != attempt && other.isRunning());
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
      attempt.lost();
      if (failure instanceof DynamoException typed
          && FaultErrors.isFinal(typed.errorType(), attempt.isOpened())
          && !(attempt.isMove() && anotherIsRunning())) {
        entry.vetoed(); // also while the stream is about to move
      }
      explain(failure);
    }
    downstream.onError(failure);
  }

  @Override
  public void onComplete() {
    if (attempt.isRunning()) {
      end();
      if (tokensBefore + attempt.tokens() >= entry.request().outputTokens()) {
        attempt.ended();
      } else {
        attempt.lost();
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
    if (attempt.isFaulted()) {
      return;
    }
    boolean nobodyLeft =
        failure instanceof DynamoException typed
            && typed.errorType() == ErrorType.UNAVAILABLE
            && (!ledger.hasUntriedWorker(entry)
                || entry.request().pinnedPosition() != ScenarioRequest.NOT_PINNED);
    boolean died = attempt.worker() != AttemptEntry.NO_WORKER && !ledger.livedThrough(attempt);
    ledger.check(
        nobodyLeft || died,
        Oracle.UNEXPLAINED_LOSS,
        "attempt lost without a fault: " + entry + ", failure=" + failure);
  }
}
