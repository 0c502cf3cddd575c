// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.migration.Attempts.Pairing;
import io.dynamo4j.migration.RequestTimer.Alarm;
import io.dynamo4j.migration.event.AttemptPhase;
import io.dynamo4j.migration.event.AttemptReason;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.RecoveryOutcome;
import io.dynamo4j.plane.Attempt;
import java.util.Set;
import java.util.TreeSet;
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
 * <p><b>Threads.</b> Everything runs on the request's lane, except {@link #close} and what {@link
 * Drain.Stream} demands.
 */
final class RetryManager<Q, R>
    implements AttemptRun.Owner<R>,
        ClientPort.Owner,
        RequestTimer.Owner,
        DrainTicket.Owner,
        ReplacementWatch.Waiter,
        Repair.Owner,
        SecondAttempt.Owner<R>,
        Comparable<RetryManager<?, ?>> {
  private static final Logger LOG = LoggerFactory.getLogger(Migrator.class);

  private final DefaultMigrator<Q, R> migrator;
  private final Q request;
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
  private final Attempts<R> attempts = new Attempts<>();
  private final AttemptWatch<R> watch;
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
    this.migrator = migrator;
    this.request = request;
    this.profile = profile;
    this.options = options;
    this.lane = lane;
    this.client = client;
    this.sequence = migrator.nextSequence();
    long now = now();
    this.deadlineNanos =
        options.deadlineNanos() == 0 ? Attempt.NO_DEADLINE : now + options.deadlineNanos();
    this.journal = new RequestJournal(profile, migrator.recorder, migrator.events, now);
    this.search =
        new RecoverySearch(
            budget(profile, options), options.has(Correction.EXCLUDE_FAILED_WORKERS), journal);
    this.answer =
        new AnswerFlow<>(
            migrator.adapter,
            profile,
            options,
            client,
            search,
            journal,
            migrator.resumption,
            lane.clock());
    this.timer = new RequestTimer(lane, this);
    this.repair =
        new Repair(
            this,
            profile,
            options,
            answer,
            search,
            new RetrySchedule(migrator.policy, options, () -> migrator.chanceOf(sequence)),
            journal,
            migrator.resumption,
            timer,
            lane);
    this.drain = new DrainTicket(this, lane);
    this.watch = new AttemptWatch<>(options, attempts, answer, search, client, timer, lane.clock());
    this.second =
        new SecondAttempt<>(
            this, attempts, answer, search, client, watch, journal, migrator.health, lane.clock());
  }

  private static long budget(RequestProfile profile, MigrationOptions options) {
    boolean barred =
        profile.replayability().under(options).extent() == Replayability.Extent.UNTIL_OPENED
            && !options.has(Correction.RETRY_UNTIL_OPENED);
    return barred ? 0 : options.limit();
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
      migrator.dispatcher.dispatch(nextRequest(), describe(run)).subscribe(run);
    } catch (RuntimeException failure) {
      run.onError(failure);
    }
  }

  private Q nextRequest() {
    long delivered = answer.delivered();
    return delivered == 0
        ? request
        : migrator.adapter.continuation(request, answer.sequence(), delivered);
  }

  private Attempt describe(AttemptRun<R> run) {
    return Attempt.builder(profile.requestId(), lane)
        .number(run.number())
        .excludedWorkers(excludedFor(run))
        .deadlineNanos(deadlineNanos)
        .listener(run)
        .build();
  }

  /** Failed workers, the worker of the other attempt, and those that lack what is needed. */
  private Set<WorkerWithDpRank> excludedFor(AttemptRun<R> run) {
    AttemptRun<R> lead = attempts.lead();
    WorkerWithDpRank other = lead == run || lead == null ? null : lead.worker();
    String capability = answer.neededCapability();
    if (other == null && capability.isEmpty()) {
      return search.excluded();
    }
    Set<WorkerWithDpRank> excluded = new TreeSet<>(search.excluded());
    if (other != null) {
      excluded.add(other);
    }
    if (!capability.isEmpty()) {
      migrator.resumption.addIncapable(capability, excluded);
    }
    return excluded;
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
    String capability = answer.neededCapability();
    boolean able = capability.isEmpty() || migrator.resumption.isDeclaredBy(worker, capability);
    if (!able || (attempts.isRival(run) && drain.isOf(worker))) {
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
    } catch (RuntimeException failure) {
      run.abandon();
      lost(run, failure);
    }
  }

  @Override
  public void pass(AttemptRun<R> run, R item) {
    react(run, answer.accept(run, item));
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
        run.request(1);
        watch.progressed(run);
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
      lost(run, error(run, ErrorType.STREAM_INCOMPLETE, incompleteness()));
    }
  }

  private String incompleteness() {
    FinishReason held = answer.held();
    return held == null
        ? "stream ended without a finish reason"
        : "worker ended the stream unasked: finishReason=" + held.wireName();
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
    if (run == null) {
      return;
    }
    AttemptPhase phase = watch.phaseOf(run);
    switch (phase) {
      case CONNECT, PROLOGUE ->
          timeOut(
              run, phase, ErrorType.CONNECTION_TIMEOUT, "worker did not open its stream in time");
      case FIRST_TOKEN, NEXT_TOKEN -> {
        if (client.outstanding() > 0) {
          timeOut(run, phase, ErrorType.RESPONSE_TIMEOUT, "worker brought no token in time");
        }
      }
      case END -> {
        if (answer.held() != null) {
          timeOut(run, phase, ErrorType.STREAM_INCOMPLETE, incompleteness());
        } else if (answer.isFinished()) {
          complete();
        } else if (client.outstanding() > 0) {
          timeOut(run, phase, ErrorType.RESPONSE_TIMEOUT, "worker did not end its stream in time");
        }
      }
    }
  }

  private void timeOut(AttemptRun<R> run, AttemptPhase phase, ErrorType type, String message) {
    journal.stalled(run, phase, watch.waitedNanos(run));
    giveUp(run, type, message);
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
    R missing = missingEndOrNull();
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

  private @Nullable R missingEndOrNull() {
    try {
      return answer.missingEnd();
    } catch (RuntimeException adapterFailure) {
      LOG.warn(
          "adapter failed to end an answer: requestId={}", profile.requestId(), adapterFailure);
      return null;
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

  private Loss judge(Throwable failure, AttemptRun<R> run) {
    return Loss.judge(failure, run, migrator.policy, now());
  }

  private void lost(AttemptRun<R> run, Throwable failure) {
    Pairing pairing = attempts.pairing();
    boolean wasRival = attempts.isRival(run);
    AttemptRun<R> survivor = attempts.remove(run);
    timer.clearAttempts();
    if (done) {
      return;
    }
    Loss loss = judge(failure, run);
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
    } catch (RuntimeException adapterFailure) {
      repair(judge(adapterFailure, run), run);
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

  @Override
  public void laneClosed() {
    closeOnLane();
  }

  @Override
  public void watchForWorkers(boolean wanted) {
    if (wanted) {
      migrator.replacements.await(this);
    } else {
      migrator.replacements.forget(this);
    }
  }

  @Override
  public void workerAppeared(long workerId) {
    try {
      lane.execute(() -> repair.workerAppeared(workerId));
    } catch (RejectedExecutionException laneClosed) {
      LOG.debug("waiting request outlived its lane: requestId={}", profile.requestId());
    }
  }

  // Drain.

  DrainTicket drainTicket() {
    return drain;
  }

  @Override
  public @Nullable WorkerWithDpRank servingWorker() {
    AttemptRun<R> lead = attempts.lead();
    return done || lead == null ? null : lead.worker();
  }

  @Override
  public long tokensToCompute() {
    return answer.tokensToCompute();
  }

  @Override
  public boolean canMove() {
    return answer.canMove();
  }

  @Override
  public boolean isBusy() {
    return attempts.lead() == null || attempts.arePaired();
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
      LOG.debug("request outlived its lane: requestId={}", profile.requestId());
      migrator.ended(this);
    }
  }

  private void closeOnLane() {
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
    abandon(attempts.lead());
    abandon(attempts.rival());
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

  private void abandon(@Nullable AttemptRun<R> run) {
    if (run != null) {
      run.abandon();
      migrator.health.abandoned(run);
    }
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
