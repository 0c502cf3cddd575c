// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.AttemptListener;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.simulation.fleet.SimulatedWorker;
import java.util.concurrent.Flow;

/** Stands between migrator and dispatcher, keeps the ledger and judges both sides. */
final class LedgerDispatcher implements RequestDispatcher<PreprocessedRequest, LLMEngineOutput> {
  private final RequestDispatcher<PreprocessedRequest, LLMEngineOutput> delegate;
  private final Ledger ledger;

  LedgerDispatcher(
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> delegate, Ledger ledger) {
    this.delegate = delegate;
    this.ledger = ledger;
  }

  @Override
  public ResponseStream<LLMEngineOutput> dispatch(PreprocessedRequest request, Attempt attempt) {
    return subscriber -> subscribe(request, attempt, subscriber);
  }

  private void subscribe(
      PreprocessedRequest request,
      Attempt attempt,
      Flow.Subscriber<? super LLMEngineOutput> subscriber) {
    RequestEntry entry = ledger.request(attempt.requestId());
    AttemptEntry dispatched = new AttemptEntry(attempt.number());
    entry.attempts().add(dispatched);
    ledger.check(
        entry.attempts().size() <= ledger.limit() + 1,
        Oracle.BUDGET,
        "dispatched too often: " + entry + ", dispatches=" + entry.attempts().size());
    ledger.check(
        !entry.isEnded() && !entry.isCancelled(),
        Oracle.BUDGET,
        "dispatched after its end: " + entry);
    long remaining = (long) entry.request().outputTokens() - entry.deliveredTokens();
    ledger.check(
        request.stopConditions().maxTokens() == remaining,
        Oracle.LENGTH,
        "budget is not what is left: "
            + entry
            + ", asked="
            + request.stopConditions().maxTokens()
            + ", left="
            + remaining);
    Attempt observed =
        Attempt.builder(attempt.requestId(), attempt.lane())
            .number(attempt.number())
            .excludedWorkers(attempt.excludedWorkers())
            .deadlineNanos(attempt.deadlineNanos())
            .listener(new Observer(entry, dispatched, attempt))
            .build();
    delegate.dispatch(request, observed).subscribe(new Judge(entry, dispatched, subscriber));
  }

  /** Judges the choice of a worker and passes it on. */
  private final class Observer implements AttemptListener {
    private final RequestEntry entry;
    private final AttemptEntry dispatched;
    private final Attempt attempt;

    Observer(RequestEntry entry, AttemptEntry dispatched, Attempt attempt) {
      this.entry = entry;
      this.dispatched = dispatched;
      this.attempt = attempt;
    }

    @Override
    public void workerChosen(WorkerWithDpRank chosen) {
      SimulatedWorker worker = ledger.fleet().workers().get(SimulatedWorker.position(chosen));
      boolean untriedLeft = ledger.hasUntriedWorker(entry);
      ledger.check(
          !(entry.failedOn(worker.position()) && untriedLeft),
          Oracle.EXCLUSION,
          "sent back to a worker that failed it: " + entry + ", worker=" + chosen);
      ledger.check(
          worker.isAlive() || !untriedLeft,
          Oracle.EXCLUSION,
          "sent to a worker known to be dead: " + entry + ", worker=" + chosen);
      dispatched.chosen(worker.position(), worker.lifeNumber());
      attempt.workerChosen(chosen);
    }

    @Override
    public void streamOpened() {
      attempt.streamOpened();
    }
  }

  /** Judges the signals of one attempt and passes them on. */
  private final class Judge implements Flow.Subscriber<LLMEngineOutput>, Flow.Subscription {
    private final RequestEntry entry;
    private final AttemptEntry attempt;
    private final Flow.Subscriber<? super LLMEngineOutput> downstream;
    private final long deliveredBefore;
    private Flow.Subscription upstream = NoSubscription.INSTANCE;
    private long requested;
    private boolean ended;

    Judge(
        RequestEntry entry,
        AttemptEntry attempt,
        Flow.Subscriber<? super LLMEngineOutput> downstream) {
      this.entry = entry;
      this.attempt = attempt;
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
      upstream.cancel();
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      ledger.check(!ended, Oracle.TERMINAL, "attempt signalled after its end: " + entry);
      attempt.brought(item.tokenIds().length());
      downstream.onNext(item);
    }

    @Override
    public void onError(Throwable failure) {
      end();
      attempt.lost();
      explain(failure);
      downstream.onError(failure);
    }

    @Override
    public void onComplete() {
      end();
      if (attempt.tokens() < remaining()) {
        attempt.lost();
        ledger.check(
            attempt.isFaulted(),
            Oracle.UNEXPLAINED_LOSS,
            "attempt ended early without a fault: " + entry);
      }
      downstream.onComplete();
    }

    private int remaining() {
      int others =
          entry.attempts().stream().filter(a -> a != attempt).mapToInt(AttemptEntry::tokens).sum();
      return entry.request().outputTokens() - others;
    }

    private void end() {
      ledger.check(!ended, Oracle.TERMINAL, "attempt ended twice: " + entry);
      ended = true;
      ledger.check(
          !ledger.isBooked(Integer.toString(entry.request().number())),
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
              && !ledger.hasUntriedWorker(entry);
      boolean died = attempt.worker() != AttemptEntry.NO_WORKER && !ledger.livedThrough(attempt);
      ledger.check(
          nobodyLeft || died,
          Oracle.UNEXPLAINED_LOSS,
          "attempt lost without a fault: " + entry + ", failure=" + failure);
    }
  }
}
