// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.RecoveryOutcome;
import io.dynamo4j.plane.Attempt;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request from subscription to its end: at most one attempt at a time, and the way from one to
 * the next.
 *
 * <pre>
 *   start ──▶ attempt ─────────── answer whole, stream ended ──────────▶ completed
 *               ▲  │ lost                                                    ▲
 *               │  ├─ answer whole already ── end item, once demanded ───────┘
 *   dispatch ───┘  ├─ verdict migrates and an attempt is left ─▶ dispatch
 *                  └─ else ────────────────────────────────────────────▶ failed
 * </pre>
 *
 * <p><b>Demand.</b> A new attempt is asked for what the client has asked for and not received. An
 * item that is not passed on is asked for again.
 *
 * <p><b>Order.</b> A replacing attempt is dispatched by a task of its own: a cancelled attempt has
 * released what it held by then, and many failures in a row do not deepen the stack.
 *
 * <p><b>Threads.</b> Everything runs on the request's lane, except {@link #close}.
 */
final class RetryManager<Q, R>
    implements AttemptRun.Owner<R>, ClientPort.Owner, Comparable<RetryManager<?, ?>> {
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
  private final ProgressTimer timer;
  private final long sequence;

  private boolean done;
  private @Nullable AttemptRun<R> active;
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
    this.journal = new RequestJournal(profile, migrator.recorder, migrator.events);
    this.search = new RecoverySearch(options.limit(), journal);
    this.answer =
        new AnswerFlow<>(migrator.adapter, profile, options, client, search, journal, lane.clock());
    this.timer = new ProgressTimer(lane, this::expired);
    this.sequence = migrator.nextSequence();
  }

  void start() {
    // In this order: either this sees the migrator closed, or its close finds the request.
    migrator.opened(this);
    client.open(this);
    if (migrator.isClosed()) {
      closeOnLane();
    } else {
      dispatch();
    }
  }

  private void dispatch() {
    if (done || !client.isOpen()) {
      return;
    }
    AttemptRun<R> run = new AttemptRun<>(this, search.beginAttempt());
    active = run;
    answer.attemptBegan();
    watch();
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
        .excludedWorkers(search.excluded())
        .listener(run)
        .build();
  }

  // The attempt's signals.

  @Override
  public void workerChosen(AttemptRun<R> run) {
    WorkerWithDpRank worker = run.worker();
    if (worker != null) {
      journal.attemptStarted(run.number(), worker);
    }
  }

  @Override
  public void subscribed(AttemptRun<R> run) {
    run.request(client.outstanding());
  }

  @Override
  public void opened(AttemptRun<R> run) {
    answer.streamOpened();
    watch();
  }

  @Override
  public void received(AttemptRun<R> run, R item) {
    try {
      react(run, answer.accept(run, item));
    } catch (RuntimeException failure) {
      run.abandon();
      lost(run, failure);
    }
  }

  private void react(AttemptRun<R> run, AnswerFlow.Fate fate) {
    switch (fate) {
      case PASSED -> {}
      case PROGRESSED -> {
        migrator.health.proven(run);
        watch();
      }
      case CUT -> {
        migrator.health.proven(run);
        if (answer.isFinished()) {
          complete();
        }
      }
      case HELD -> {
        run.request(1);
        watch();
      }
      case DROPPED -> {
        journal.dropped();
        run.request(1);
      }
      case ALIEN ->
          giveUp(run, ErrorType.BACKEND_PROTOCOL, "item not asked for or of an unknown choice");
    }
  }

  @Override
  public void completed(AttemptRun<R> run) {
    if (answer.isFinished()) {
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
    AttemptRun<R> run = active;
    if (endItem != null) {
      deliverEnd(endItem);
    } else if (run != null) {
      if (client.outstanding() == added && run.isOpened()) {
        watch();
      }
      run.request(added);
    }
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

  /** Sets the timer by what is awaited: a token, or only the end. */
  private void watch() {
    if (answer.awaitsOnlyEnd()) {
      timer.expectWithin(options.endTimeoutNanos());
    } else if (options.stallTimeoutNanos() > 0) {
      timer.expectWithin(options.stallTimeoutNanos());
    }
  }

  private void expired() {
    AttemptRun<R> run = active;
    if (run == null) {
      return;
    }
    if (answer.held() != null) {
      giveUp(run, ErrorType.STREAM_INCOMPLETE, incompleteness());
    } else if (answer.isFinished()) {
      complete();
    } else if (!run.isOpened()) {
      giveUp(run, ErrorType.CONNECTION_TIMEOUT, "worker did not open its stream in time");
    } else if (client.outstanding() > 0) {
      giveUp(run, ErrorType.RESPONSE_TIMEOUT, "worker brought no token in time");
    }
  }

  // Loss.

  private void giveUp(AttemptRun<R> run, ErrorType type, String message) {
    run.abandon();
    lost(run, error(run, type, message));
  }

  private static DynamoException error(AttemptRun<?> run, ErrorType type, String message) {
    return new DynamoException(type, message, run.worker(), run.number(), null);
  }

  private void lost(AttemptRun<R> run, Throwable failure) {
    active = null;
    timer.cancel();
    if (done) {
      return;
    }
    Loss loss = Loss.judge(failure, run, migrator.policy);
    migrator.health.failed(loss);
    if (!client.isOpen()) {
      return;
    }
    if (answer.isFinished()) {
      complete();
      return;
    }
    try {
      endItem = answer.missingEnd();
    } catch (RuntimeException adapterFailure) {
      repair(Loss.judge(adapterFailure, run, migrator.policy));
      return;
    }
    if (endItem == null) {
      repair(loss);
    } else if (client.outstanding() > 0) {
      deliverEnd(endItem);
    }
  }

  private void repair(Loss loss) {
    search.add(loss);
    if (loss.verdict() != Verdict.MIGRATES
        || profile.replayability().extent() == Replayability.Extent.NEVER) {
      fail(search.toException(loss, answer.delivered()));
      return;
    }
    boolean retried = search.hasAttemptLeft();
    journal.lost(loss, retried);
    search.begin(loss, lane.clock().nanoTime());
    if (retried) {
      dispatchLater();
    } else {
      exhausted(loss);
    }
  }

  private void dispatchLater() {
    try {
      lane.execute(this::dispatch);
    } catch (RejectedExecutionException laneClosed) {
      closeOnLane();
    }
  }

  private void exhausted(Loss loss) {
    if (options.limit() > 0 && !profile.replayability().obstacle().isEmpty()) {
      LOG.warn(
          "request lost its worker and cannot be continued: requestId={}, replayability={}",
          profile.requestId(),
          profile.replayability());
    }
    journal.exhausted(search.attempts(), loss.decisive());
    fail(search.toException(loss, answer.delivered()));
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

  private void fail(MigrationException error) {
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
    if (active != null) {
      active.abandon();
      migrator.health.abandoned(active);
      active = null;
    }
    timer.cancel();
    answer.close();
    search.end(found, lane.clock().nanoTime());
    migrator.ended(this);
    journal.ended(outcome, error);
  }

  @Override
  public int compareTo(RetryManager<?, ?> other) {
    return Long.compare(sequence, other.sequence);
  }
}
