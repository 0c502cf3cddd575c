// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.migration.Attempts.Pairing;
import io.dynamo4j.migration.RequestTimer.Alarm;
import io.dynamo4j.migration.event.AttemptPhase;
import io.dynamo4j.migration.event.AttemptReason;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.RecoveryOutcome;
import io.dynamo4j.plane.Attempt;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request from subscription to its end: its attempts, and the way from one to the next.
 *
 * <pre>
 *   start ──▶ attempt ─────────── answer whole, stream ended ──────────▶ completed
 *               ▲  │ lost                                                    ▲
 *               │  ├─ answer whole already ── end item, once demanded ───────┘
 *   dispatch ───┤  ├─ no worker to ask ─▶ wait for one ─▶ dispatch
 *               │  ├─ verdict migrates and an attempt is left ─▶ pause ─▶ dispatch
 *               │  └─ else ────────────────────────────────────────────▶ failed
 *               └─ first token late, or worker drains: a second attempt beside the first
 * </pre>
 *
 * <p><b>Demand.</b> A new attempt is asked for what the client has asked for and not received. An
 * item that is not passed on is asked for again.
 *
 * <p><b>Threads.</b> Everything runs on the request's lane, except {@link #close}.
 */
final class RetryManager<Q, R>
    implements AttemptRun.Owner<R>,
        ClientPort.Owner,
        RequestTimer.Owner,
        DrainTicket.Owner,
        Repair.Owner,
        SecondAttempt.Owner<R>,
        Comparable<RetryManager<?, ?>> {
  private static final Logger LOG = LoggerFactory.getLogger(Migrator.class);

  private final DefaultMigrator<Q, R> migrator;
  private final RequestProfile profile;
  private final MigrationOptions options;
  private final Scheduler lane;
  private final ClientPort<R> client;
  private final RequestJournal journal;
  private final RecoverySearch search;
  private final AnswerFlow<R> answer;
  private final Repair repair;
  private final DrainTicket drain;
  private final RequestTimer timer;
  private final Attempts<R> attempts;
  private final AttemptWatch<R> watch;
  private final AttemptOrder<Q, R> order;
  private final SecondAttempt<R> second;
  private final long deadlineNanos;
  private final long sequence;

  private boolean done;
  private @Nullable R endItem;

  RetryManager(
      DefaultMigrator<Q, R> migrator,
      Q request,
      RequestProfile profile,
      MigrationOptions options,
      Scheduler lane,
      ClientPort<R> client) {
    RequestParts<R> parts = new RequestParts<>(migrator, profile, options, lane, client);
    this.migrator = migrator;
    this.profile = profile;
    this.options = options;
    this.lane = lane;
    this.client = client;
    this.sequence = migrator.nextSequence();
    this.journal = parts.journal;
    this.search = parts.search;
    this.answer = parts.answer;
    this.attempts = parts.attempts;
    this.deadlineNanos =
        options.deadlineNanos() == 0 ? Attempt.NO_DEADLINE : now() + options.deadlineNanos();
    this.timer = new RequestTimer(lane, this);
    this.watch = new AttemptWatch<>(parts, timer);
    this.order = new AttemptOrder<>(parts, migrator.adapter, request, deadlineNanos);
    this.second = new SecondAttempt<>(this, parts, watch);
    RetrySchedule schedule =
        new RetrySchedule(migrator.policy, options, () -> migrator.chanceOf(sequence));
    this.repair = new Repair(this, parts, schedule, timer, migrator.replacements, sequence);
    this.drain = new DrainTicket(this, parts);
  }

  private long now() {
    return lane.clock().nanoTime();
  }

  void start() {
    // In this order: either this sees the migrator closed, or its close finds the request.
    migrator.opened(this);
    client.open(this);
    if (migrator.isClosed()) {
      closeOnLane();
    } else {
      if (deadlineNanos != Attempt.NO_DEADLINE) {
        timer.setAt(Alarm.DEADLINE, deadlineNanos);
      }
      dispatch(AttemptReason.FIRST);
    }
  }

  @Override
  public void dispatch(AttemptReason reason) {
    if (done || !client.isOpen()) {
      return;
    }
    AttemptRun<R> run = new AttemptRun<>(this, search.beginAttempt(reason), reason, now());
    switch (reason) {
      case HEDGE -> second.begin(run, Pairing.HEDGE);
      case DRAIN -> second.begin(run, Pairing.MOVE);
      case FIRST, FAILURE -> {
        attempts.begin(run);
        answer.attemptBegan();
        watch.leads(run);
        watch.expectFirstToken(run);
      }
    }
    try {
      migrator.dispatcher.dispatch(order.request(), order.describe(run)).subscribe(run);
    } catch (Throwable failure) {
      threw(run, failure);
    }
  }

  // The attempts' signals.

  @Override
  public void workerChosen(AttemptRun<R> run) {
    WorkerWithDpRank worker = run.worker();
    if (worker == null) {
      return;
    }
    repair.endWait();
    journal.attemptStarted(run, worker);
    if (!order.mayAsk(worker) || (attempts.isRival(run) && drain.isOf(worker))) {
      run.excuse();
      giveUp(run, ErrorType.WORKER_UNAVAILABLE, "worker cannot take the answer over");
    }
  }

  @Override
  public void acknowledged(AttemptRun<R> run) {
    watch.set(run);
  }

  @Override
  public void subscribed(AttemptRun<R> run) {
    run.request(client.outstanding());
  }

  @Override
  public void opened(AttemptRun<R> run) {
    run.progressed(now());
    if (attempts.pairing() == Pairing.MOVE && attempts.isRival(run)) {
      second.move();
    }
    answer.streamOpened();
    watch.set(run);
    if (attempts.lead() == run) {
      leads(run);
    }
  }

  @Override
  public void received(AttemptRun<R> run, R item) {
    try {
      if (attempts.arePaired()) {
        second.received(run, item);
      } else {
        pass(run, item);
      }
    } catch (Throwable failure) {
      threw(run, failure);
    }
  }

  @Override
  public void pass(AttemptRun<R> run, R item) {
    AnswerFlow.Fate fate;
    try {
      fate = answer.accept(run, item);
    } catch (Throwable adapterFailure) {
      threw(run, adapterFailure);
      return;
    }
    react(run, fate);
  }

  /** The host's dispatcher or adapter threw. */
  private void threw(AttemptRun<R> run, Throwable failure) {
    if (run.isEnded()) {
      journal.dropped();
      LOG.warn("host threw for an attempt that had ended: id={}", profile.loggedId(), failure);
    } else {
      run.abandon();
      lost(run, failure);
    }
  }

  @Override
  public boolean goesOn(AttemptRun<R> run) {
    return !done && client.isOpen() && attempts.lead() == run && !run.isEnded();
  }

  @Override
  public void leads(AttemptRun<R> run) {
    if (run.isOpened()) {
      drain.opened(run.worker());
    }
  }

  @Override
  public void stayed() {
    drain.stayed();
  }

  private void react(AttemptRun<R> run, AnswerFlow.Fate fate) {
    switch (fate) {
      case PASSED -> {
        if (!options.has(Correction.COUNT_TOKENS_AS_PROGRESS)) {
          watch.progressed(run);
        }
      }
      case PROGRESSED -> {
        migrator.health.proven(run);
        watch.answered(run);
      }
      case CUT -> {
        migrator.health.proven(run);
        if (answer.isFinished()) {
          complete();
        }
      }
      case HELD -> {
        watch.progressed(run);
        run.request(1);
      }
      case DROPPED -> {
        journal.dropped();
        run.request(1);
      }
      case BROKEN -> giveUp(run, ErrorType.INTERNAL, "worker ended the stream with an error");
      case ALIEN ->
          giveUp(run, ErrorType.BACKEND_PROTOCOL, "item not asked for or of an unknown choice");
    }
  }

  @Override
  public void completed(AttemptRun<R> run) {
    if (!attempts.arePaired() && answer.mayEnd()) {
      complete();
    } else {
      lost(run, error(run, ErrorType.STREAM_INCOMPLETE, StallJudge.incompleteness(answer.held())));
    }
  }

  @Override
  public void failed(AttemptRun<R> run, Throwable failure) {
    lost(run, failure);
  }

  @Override
  public void dropped() {
    journal.dropped();
  }

  // The client's calls.

  @Override
  public void demanded(long added) {
    if (endItem != null) {
      deliverEnd(endItem);
      return;
    }
    if (client.outstanding() == added) {
      watch.demandReturned();
    }
    attempts.request(added);
  }

  @Override
  public void cancelled() {
    conclude(MigrationEvent.Outcome.CANCELLED, RecoveryOutcome.CANCELLED, null);
  }

  @Override
  public void misused(IllegalArgumentException error) {
    DynamoException reported =
        new DynamoException(ErrorType.INVALID_REQUEST, String.valueOf(error.getMessage()));
    conclude(MigrationEvent.Outcome.FAILED, RecoveryOutcome.FAILURE, reported);
    client.fail(error);
  }

  // Time.

  @Override
  public void expired(Alarm alarm) {
    switch (alarm) {
      case DEADLINE -> deadlinePassed();
      case LEAD -> stalled(attempts.lead());
      case RIVAL -> stalled(attempts.rival());
      case HEDGE -> {
        if (watch.isHedgeDue()) {
          dispatch(AttemptReason.HEDGE);
        }
      }
      case RESUME -> repair.resume();
    }
  }

  private void stalled(@Nullable AttemptRun<R> run) {
    if (run == null || !watch.isOverdue(run)) {
      return;
    }
    AttemptPhase phase = watch.phaseOf(run);
    boolean needsDemand =
        phase == AttemptPhase.FIRST_TOKEN
            || phase == AttemptPhase.NEXT_TOKEN
            || (phase == AttemptPhase.END && answer.held() == null);
    if (phase == AttemptPhase.END && answer.isFinished()) {
      complete();
    } else if (!needsDemand || client.outstanding() > 0) {
      journal.stalled(run, phase, watch.waitedNanos(run));
      giveUp(run, StallJudge.error(phase, answer), StallJudge.message(phase, answer));
    }
  }

  private void deadlinePassed() {
    if (done || endItem != null) {
      return;
    }
    if (answer.isFinished()) {
      complete();
      return;
    }
    AttemptRun<R> lead = attempts.lead();
    R missing = null;
    try {
      missing = answer.missingEnd();
    } catch (Throwable adapterFailure) {
      LOG.warn("adapter failed to end an answer: id={}", profile.loggedId(), adapterFailure);
    }
    if (missing == null) {
      WorkerWithDpRank worker = lead == null ? null : lead.worker();
      fail(search.deadlineExceeded(options.deadlineNanos(), worker, answer.delivered()));
      return;
    }
    if (lead != null) {
      lead.abandon();
      attempts.remove(lead);
    }
    timer.cancel();
    endItem = missing;
    if (client.outstanding() > 0) {
      deliverEnd(missing);
    }
  }

  // Loss.

  @Override
  public void giveUp(AttemptRun<R> run, ErrorType type, String message) {
    run.abandon();
    lost(run, error(run, type, message));
  }

  private static DynamoException error(AttemptRun<?> run, ErrorType type, String message) {
    return new DynamoException(type, message, run.worker(), run.number(), null);
  }

  private void lost(AttemptRun<R> run, Throwable failure) {
    Pairing pairing = attempts.pairing();
    boolean wasRival = attempts.isRival(run);
    AttemptRun<R> survivor = attempts.remove(run);
    timer.clearAttempts();
    if (done) {
      return;
    }
    Loss loss = Loss.judge(failure, run, migrator.policy, now());
    if (run.isExcused()) {
      migrator.health.abandoned(run);
    } else {
      migrator.health.failed(loss);
    }
    if (!client.isOpen()) {
      return;
    }
    if (survivor != null) {
      second.lost(survivor, loss, run, pairing, wasRival);
      return;
    }
    if (answer.isFinished()) {
      complete();
      return;
    }
    try {
      endItem = answer.missingEnd();
    } catch (Throwable adapterFailure) {
      repair(Loss.judge(adapterFailure, run, migrator.policy, now()), run);
      return;
    }
    if (endItem == null) {
      repair(loss, run);
    } else if (client.outstanding() > 0) {
      deliverEnd(endItem);
    }
  }

  private void repair(Loss loss, AttemptRun<R> run) {
    if (loss.decisive().errorType() == ErrorType.DEADLINE_EXCEEDED && now() >= deadlineNanos) {
      search.add(loss);
      fail(search.deadlineExceeded(options.deadlineNanos(), loss.worker(), answer.delivered()));
    } else {
      repair.after(loss, run);
    }
  }

  // Drain.

  DrainTicket drainTicket() {
    return drain;
  }

  @Override
  public void beginMove() {
    timer.clear(Alarm.HEDGE);
    dispatch(AttemptReason.DRAIN);
  }

  @Override
  public void endMove() {
    second.stay();
  }

  // The end.

  private void deliverEnd(R item) {
    endItem = null;
    client.deliver(item);
    complete();
  }

  private void complete() {
    if (!client.isOpen()) {
      cancelled(); // It left before this; only the lane has not heard of it yet.
      return;
    }
    conclude(MigrationEvent.Outcome.COMPLETED, RecoveryOutcome.SUCCESS, null);
    client.complete();
  }

  @Override
  public void fail(MigrationException error) {
    conclude(MigrationEvent.Outcome.FAILED, RecoveryOutcome.FAILURE, error);
    client.fail(error);
  }

  /** Fails the request with {@code CLOSED}, from any thread; a closed lane has ended it already. */
  void close() {
    try {
      lane.execute(this::closeOnLane);
    } catch (RejectedExecutionException laneClosed) {
      LOG.debug("request outlived its lane: requestId={}", profile.loggedId());
      migrator.ended(this);
    }
  }

  @Override
  public void closeOnLane() {
    if (!done) {
      fail(MigrationException.closed(search.attempts(), answer.delivered()));
    }
  }

  private void conclude(
      MigrationEvent.Outcome outcome, RecoveryOutcome found, @Nullable DynamoException error) {
    if (done) {
      return;
    }
    done = true;
    migrator.health.giveUp(attempts.lead());
    migrator.health.giveUp(attempts.rival());
    attempts.clear();
    timer.cancel();
    answer.close();
    repair.endWait();
    long now = now();
    search.end(found, now);
    drain.settle(
        outcome == MigrationEvent.Outcome.FAILED ? Drain.Fate.FAILED : Drain.Fate.FINISHED);
    migrator.ended(this);
    journal.ended(outcome, now, error);
  }

  /** Returns how many tokens the request holds for a continuation. */
  long heldTokens() {
    return answer.heldTokens();
  }

  @Override
  public int compareTo(RetryManager<?, ?> other) {
    return Long.compare(sequence, other.sequence);
  }
}
