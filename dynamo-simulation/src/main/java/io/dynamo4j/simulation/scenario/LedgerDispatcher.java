// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

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
    AttemptEntry dispatched = new AttemptEntry(attempt.number(), attempt.lane().clock().nanoTime());
    checkOthers(entry, dispatched);
    entry.times().dispatched(entry, dispatched, attempt);
    noteRareStates(entry, dispatched);
    entry.attempts().add(dispatched);
    ledger.checkBudget(entry);
    ledger.check(
        !entry.isEnded() && !entry.isCancelled(),
        Oracle.BUDGET,
        "dispatched after its end: " + entry);
    long remaining = (long) entry.request().maxTokens() - entry.deliveredTokens();
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
    delegate
        .dispatch(request, observed)
        .subscribe(new AttemptJudge(ledger, entry, dispatched, attempt.lane(), subscriber));
  }

  private void noteRareStates(RequestEntry entry, AttemptEntry dispatched) {
    if (entry.attempts().isEmpty() || dispatched.isMove() || dispatched.isHedge()) {
      return;
    }
    if (entry.deliveredTokens() == 0 && entry.hasOpened()) {
      ledger.sometimes("migrated before the first token");
    } else if (entry.deliveredTokens() == entry.request().outputTokens() - 1) {
      ledger.sometimes("migrated before the last token");
    }
  }

  /**
   * One attempt runs at a time, but for a draining worker's and one whose first token is late; what
   * has ended holds no booking.
   */
  private void checkOthers(RequestEntry entry, AttemptEntry dispatched) {
    for (AttemptEntry other : entry.attempts()) {
      if (!other.isRunning()) {
        ledger.check(
            other.worker() == AttemptEntry.NO_WORKER
                || !ledger.isBooked(entry.id(), other.number()),
            Oracle.BOOKING,
            "dispatched while an ended attempt is booked: " + entry);
        continue;
      }
      join(entry, dispatched, other);
    }
  }

  private void join(RequestEntry entry, AttemptEntry dispatched, AttemptEntry running) {
    ledger.check(
        !entry.runsBeside(running), Oracle.BUDGET, "dispatched beside two that run: " + entry);
    if (running.worker() != AttemptEntry.NO_WORKER && ledger.isDraining(running.worker())) {
      dispatched.move();
      if (entry.times().mayHedge(running)) {
        dispatched.unsure();
      }
      return;
    }
    ledger.check(
        entry.times().mayHedge(running),
        Oracle.BUDGET,
        "dispatched beside an attempt that runs: " + entry);
    dispatched.hedge();
    ledger.sometimes("raced for the first token");
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
          !(entry.failedOn(worker.position()) && untriedLeft && !livesAgain(worker)),
          Oracle.EXCLUSION,
          "sent back to a worker that failed it: " + entry + ", worker=" + chosen);
      ledger.check(
          worker.isAlive() || !untriedLeft,
          Oracle.EXCLUSION,
          "sent to a worker known to be dead: " + entry + ", worker=" + chosen);
      int pinned = entry.request().pinnedPosition();
      ledger.check(
          pinned == ScenarioRequest.NOT_PINNED || pinned == worker.position(),
          Oracle.EXCLUSION,
          "sent to another worker than the pinned one: " + entry + ", worker=" + chosen);
      ledger.check(
          !ledger.isDraining(worker.position()),
          Oracle.EXCLUSION,
          "sent to a draining worker: " + entry + ", worker=" + chosen);
      entry.times().found();
      dispatched.chosen(worker.position(), worker.lifeNumber());
      attempt.workerChosen(chosen);
    }

    /** A request that waited may ask a worker again that has been restarted. */
    private boolean livesAgain(SimulatedWorker worker) {
      return ledger.waitsForWorkers()
          && entry.attempts().stream()
              .noneMatch(
                  other ->
                      other.isLost()
                          && other.worker() == worker.position()
                          && other.lifeAtDispatch() == worker.lifeNumber());
    }

    @Override
    public void requestAcknowledged() {
      attempt.requestAcknowledged();
    }

    @Override
    public void streamOpened() {
      dispatched.opened();
      attempt.streamOpened();
    }
  }
}
