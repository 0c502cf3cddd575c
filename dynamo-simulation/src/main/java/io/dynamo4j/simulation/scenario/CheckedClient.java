// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.simulation.oracle.TokenChecker;
import io.dynamo4j.testkit.search.FaultSpec;
import java.util.Optional;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** A client that judges its own stream; it may take few items at a time, be slow, or leave. */
final class CheckedClient implements Flow.Subscriber<LLMEngineOutput> {
  private static final long SLOWNESS_NANOS = 5_000_000;

  private final RequestEntry entry;
  private final Ledger ledger;
  private final FaultBook faults;
  private final FaultHand hand;
  private final Scheduler lane;
  private final TokenChecker checker;
  private final long window;
  private Flow.Subscription subscription = NoSubscription.INSTANCE;
  private long outstanding;
  private boolean subscribed;
  private @Nullable FinishReason finishReason;

  CheckedClient(
      RequestEntry entry, Ledger ledger, FaultBook faults, FaultHand hand, Scheduler lane) {
    this.entry = entry;
    this.ledger = ledger;
    this.faults = faults;
    this.hand = hand;
    this.lane = lane;
    ScenarioRequest request = entry.request();
    this.checker =
        TokenChecker.create(
            request.seed(), TokenSlice.wrap(request.prompt()), request.outputTokens());
    this.window =
        faults
            .find(FaultKinds.WINDOW, "r" + request.number())
            .map(fault -> (long) fault.parameter())
            .orElse(Long.MAX_VALUE);
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    ledger.check(!subscribed, Oracle.TERMINAL, "subscribed twice: " + entry);
    subscribed = true;
    subscription = given;
    ask();
    meetFaults();
    faults
        .find(FaultKinds.LEAVE, "r" + entry.request().number())
        .ifPresent(fault -> lane.schedule(this::leave, (long) (fault.parameter() * 1e6)));
  }

  private void leave() {
    if (entry.isOpen()) {
      ledger.sometimes(
          entry.deliveredTokens() == 0 ? "left before a token" : "left between tokens");
      entry.cancelled();
      subscription.cancel();
      hand.expectNoMoreWork(entry);
    }
  }

  private void ask() {
    outstanding = window;
    entry.requested(window);
    subscription.request(window);
  }

  @Override
  public void onNext(LLMEngineOutput item) {
    ledger.check(!entry.isEnded(), Oracle.TERMINAL, "item after the end: " + entry);
    if (entry.isCancelled()) {
      return;
    }
    entry.delivered(item.tokenIds().length());
    ledger.check(
        entry.deliveredItems() <= entry.requestedItems(),
        Oracle.DEMAND,
        "delivered more than asked for: " + entry);
    checker.delivered(item.tokenIds());
    checkTokens();
    if (item.finishReason() != null) {
      finishReason = item.finishReason();
    }
    meetFaults();
    if (--outstanding == 0 && entry.isOpen()) {
      ledger.sometimes("slow client");
      lane.schedule(this::askAgain, SLOWNESS_NANOS);
    }
  }

  private void askAgain() {
    if (entry.isOpen()) {
      ask();
    }
  }

  private void checkTokens() {
    ledger.check(
        checker.lostCount() + checker.repeatedCount() + checker.wrongCount() == 0,
        Oracle.TOKENS,
        "wrong token: " + entry + ", by=" + entry.deliveredTokens() + ", checker=" + checker);
  }

  private void meetFaults() {
    int request = entry.request().number();
    String trigger = FaultKinds.atToken(request, entry.deliveredTokens());
    if (faults.find(FaultKinds.CANCEL, trigger).isPresent()) {
      entry.cancelled();
      ledger.sometimes("cancelled");
      subscription.cancel();
      hand.expectNoMoreWork(entry);
      return;
    }
    if (faults.find(FaultKinds.THROW, trigger).isPresent() && entry.deliveredTokens() > 0) {
      entry.cancelled();
      ledger.sometimes("client threw");
      hand.expectNoMoreWork(entry);
      throw new PlantedThrow();
    }
    faults
        .find(FaultKinds.DRAIN, trigger)
        .ifPresent(fault -> hand.drainServing(entry, fault.parameter()));
    Optional<FaultSpec> crash = faults.find(FaultKinds.CRASH, trigger);
    crash.ifPresent(fault -> hand.crashServing(entry, fault.parameter()));
    faults
        .find(FaultKinds.STALL, trigger)
        .ifPresent(fault -> hand.stallServing(entry, fault.parameter()));
  }

  @Override
  public void onError(Throwable failure) {
    end();
    checker.failed();
    checkTokens();
    ledger.check(
        failure instanceof DynamoException,
        Oracle.GAVE_UP,
        "untyped error: " + entry + ", failure=" + failure);
    ledger.check(
        ledger.mayFail(entry) || !ledger.hasUntriedWorker(entry),
        Oracle.GAVE_UP,
        "gave up with a worker and an attempt left: " + entry + ", failure=" + failure);
    checkTimes(failure);
    ledger.sometimes(reasonOfFailure());
  }

  private void checkTimes(Throwable failure) {
    boolean late =
        failure instanceof DynamoException typed
            && typed.errorType() == ErrorType.DEADLINE_EXCEEDED;
    ledger.check(
        !late || entry.times().isDeadlinePassed(),
        Oracle.TIMES,
        "failed before its deadline: " + entry);
    if (!late
        && entry.request().pinnedPosition() == ScenarioRequest.NOT_PINNED
        && entry.isWanting()) {
      entry.times().failedWanting(entry);
    }
  }

  private String reasonOfFailure() {
    if (entry.times().isDeadlinePassed()) {
      return "failed at its deadline";
    } else if (entry.isVetoed()) {
      return "failed by a final error";
    } else if (entry.request().pinnedPosition() != ScenarioRequest.NOT_PINNED) {
      return "failed with its pinned worker";
    } else if (entry.mostBudgetedAttempts() > ledger.limit()) {
      return "budget spent";
    }
    return ledger.mayFail(entry) ? "failed as not replayable" : "nobody left";
  }

  @Override
  public void onComplete() {
    end();
    entry.completed();
    ledger.check(
        entry.deliveredTokens() == entry.request().outputTokens(),
        Oracle.LENGTH,
        "ended cleanly with the wrong number of tokens: "
            + entry
            + ", delivered="
            + entry.deliveredTokens()
            + ", expected="
            + entry.request().outputTokens());
    ledger.check(
        entry.request().mayEndWith(finishReason),
        Oracle.LENGTH,
        "ended cleanly with the wrong reason: " + entry + ", reason=" + finishReason);
    checker.completed(finishReason);
    checkTokens();
    if (finishReason == FinishReason.STOP) {
      ledger.sometimes("stopped by a token");
    }
    if (entry.attempts().stream().anyMatch(AttemptEntry::isMove)) {
      ledger.sometimes("moved and completed");
    }
    if (entry.attempts().size() > 1) {
      ledger.sometimes("migrated and completed");
    }
    if (entry.attempts().size() > 2) {
      ledger.sometimes("migrated twice and completed");
    }
  }

  private void end() {
    ledger.check(!entry.isEnded(), Oracle.TERMINAL, "ended twice: " + entry);
    ledger.check(!entry.isCancelled(), Oracle.TERMINAL, "ended after it was cancelled: " + entry);
    entry.ended();
    entry.times().ended(entry);
    hand.checkTimersSoon();
  }
}
