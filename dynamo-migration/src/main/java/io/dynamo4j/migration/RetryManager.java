// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.MigrationPhase;
import io.dynamo4j.migration.event.RecoveryOutcome;
import io.dynamo4j.plane.Attempt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request from subscription to its end: at most one attempt at a time, and the way from one to
 * the next.
 *
 * <pre>
 *   start ─▶ attempt ──────────── answer whole, stream ended ───────────▶ completed
 *              ▲  │ lost                                                     ▲
 *              │  ├─ answer whole already ── end item, once demanded ────────┘
 *   dispatch ──┘  ├─ verdict migrates and an attempt is left ─▶ (dispatch, as a task of its own)
 *                 └─ else ──────────────────────────────────────────────▶ failed
 * </pre>
 *
 * <p><b>Budget.</b> One for both phases, spent when an attempt starts, never refilled. What rules a
 * continuation out (length, grammar state) takes the rest of the budget away when a stream opens,
 * so that attempts which fail before it are repeated all the same.
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
  private final ReplayAdapter<Q, R> adapter;
  private final Q request;
  private final MigrationOptions options;
  private final Scheduler lane;
  private final ClientPort<R> client;
  private final RequestProfile profile;
  private final TokenLedger ledger;
  private final RequestJournal journal;
  private final LossHistory losses = new LossHistory();
  private final ProgressTimer timer;
  private final Set<WorkerWithDpRank> excluded = new TreeSet<>();
  private final long sequence;

  private long attemptsLeft;
  private int attempts;
  private boolean openedOnce;
  private boolean done;
  private @Nullable AttemptRun<R> active;
  private @Nullable FinishReason held;
  private @Nullable R endItem;
  private @Nullable Recovery recovery;
  private @Nullable Recovery awaitedToken;

  RetryManager(
      DefaultMigrator<Q, R> migrator,
      Q request,
      RequestProfile profile,
      MigrationOptions options,
      Scheduler lane,
      ClientPort<R> client) {
    this.migrator = migrator;
    this.adapter = migrator.adapter;
    this.request = request;
    this.profile = profile;
    this.options = options;
    this.lane = lane;
    this.client = client;
    this.ledger = new TokenLedger(profile);
    this.journal = new RequestJournal(profile, migrator.recorder, migrator.events);
    this.timer = new ProgressTimer(lane, this::expired);
    this.sequence = migrator.nextSequence();
    this.attemptsLeft = options.limit() + 1;
  }

  void start() {
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
    AttemptRun<R> run = new AttemptRun<>(this, attempts);
    attemptsLeft--;
    attempts = Math.max(attempts, attempts + 1);
    active = run;
    held = null;
    watch();
    try {
      Q next =
          ledger.delivered() == 0
              ? request
              : adapter.continuation(request, ledger.sequence(), ledger.delivered());
      migrator.dispatcher.dispatch(next, describe(run)).subscribe(run);
    } catch (RuntimeException failure) {
      run.onError(failure);
    }
  }

  private Attempt describe(AttemptRun<R> run) {
    return Attempt.builder(profile.requestId(), lane)
        .number(run.number())
        .excludedWorkers(excluded)
        .listener(run)
        .build();
  }

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
    if (recovery != null) {
      journal.recoveryEnded(recovery, RecoveryOutcome.SUCCESS, now());
      awaitedToken = awaitedToken == null ? recovery : awaitedToken;
      recovery = null;
    }
    if (!openedOnce) {
      openedOnce = true;
      ledger.startTracking();
      if (ledger.sequenceLength() > options.maxSeqLen()) {
        outgrown(ledger.sequenceLength());
      }
      if (profile.replayability().extent() != Replayability.Extent.ALWAYS) {
        attemptsLeft = 0;
      }
    }
    if (attemptsLeft == 0) {
      ledger.stopTracking();
    }
    watch();
  }

  private void outgrown(long tokens) {
    attemptsLeft = 0;
    ledger.stopTracking();
    journal.maxSeqLenExceeded(tokens);
  }

  @Override
  public void received(AttemptRun<R> run, R item) {
    try {
      accept(run, item);
    } catch (RuntimeException failure) {
      run.abandon();
      lost(run, failure);
    }
  }

  private void accept(AttemptRun<R> run, R item) {
    int choice = adapter.choice(item);
    TokenSlice tokens = adapter.tokens(item);
    FinishReason finish = adapter.finishReason(item);
    if (!ledger.isKnown(choice) || client.outstanding() == 0) {
      giveUp(run, ErrorType.BACKEND_PROTOCOL, "item of an unknown choice or not asked for");
    } else if (held != null || ledger.isFinished(choice)) {
      acceptTrailing(run, item, held == null && tokens.isEmpty() && finish == null);
    } else if (finish != null && !finish.isComplete()) {
      held = finish;
      run.request(1);
      watch();
    } else {
      int room = ledger.room(choice, tokens.length());
      if (room < tokens.length()) {
        R cut = adapter.finished(item, room, FinishReason.LENGTH);
        deliver(run, choice, tokens.slice(0, room), FinishReason.LENGTH, cut);
        endOverrun(run);
      } else {
        deliver(run, choice, tokens, finish, item);
      }
    }
  }

  /**
   * What follows an answer's end is passed on if it can be usage, and dropped if it is more answer.
   */
  private void acceptTrailing(AttemptRun<R> run, R item, boolean harmless) {
    if (harmless) {
      client.deliver(item);
    } else {
      journal.dropped();
      run.request(1);
    }
  }

  private void deliver(
      AttemptRun<R> run, int choice, TokenSlice tokens, @Nullable FinishReason finish, R item) {
    if (!tokens.isEmpty()) {
      track(run, choice, tokens);
    }
    if (finish != null) {
      ledger.finish(choice);
    }
    if (finish != null || !tokens.isEmpty()) {
      migrator.health.proven(run);
      watch();
    }
    client.deliver(item);
  }

  private void track(AttemptRun<R> run, int choice, TokenSlice tokens) {
    if (awaitedToken != null) {
      journal.migrated(awaitedToken, run, now());
      awaitedToken = null;
    }
    long length = ledger.sequenceLength() + tokens.length();
    if (ledger.isTracking() && length > options.maxSeqLen()) {
      outgrown(length);
    }
    ledger.append(choice, tokens);
    journal.delivered(tokens.length());
  }

  /** A worker that goes on beyond the budget is not waited for. */
  private void endOverrun(AttemptRun<R> run) {
    if (ledger.isFinished()) {
      run.abandon();
      complete();
    }
  }

  /** Sets the timer by what is awaited: a token, or only the end. */
  private void watch() {
    boolean onlyEndAwaited = held != null || ledger.isFinished() || ledger.isBudgetSpent();
    if (onlyEndAwaited) {
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
    if (held != null) {
      giveUp(run, ErrorType.STREAM_INCOMPLETE, endedAs(held));
    } else if (ledger.isFinished()) {
      run.abandon();
      complete();
    } else if (!run.isOpened()) {
      giveUp(run, ErrorType.CONNECTION_TIMEOUT, "worker did not open its stream in time");
    } else if (client.outstanding() > 0) {
      giveUp(run, ErrorType.RESPONSE_TIMEOUT, "worker brought no token in time");
    }
  }

  private void giveUp(AttemptRun<R> run, ErrorType type, String message) {
    run.abandon();
    lost(run, new DynamoException(type, message, run.worker(), run.number(), null));
  }

  @Override
  public void completed(AttemptRun<R> run) {
    if (ledger.isFinished()) {
      complete();
      return;
    }
    String message = held == null ? "stream ended without a finish reason" : endedAs(held);
    lost(
        run,
        new DynamoException(
            ErrorType.STREAM_INCOMPLETE, message, run.worker(), run.number(), null));
  }

  private static String endedAs(FinishReason reason) {
    return "worker ended the stream unasked: finishReason=" + reason.wireName();
  }

  @Override
  public void failed(AttemptRun<R> run, Throwable failure) {
    lost(run, failure);
  }

  @Override
  public void dropped() {
    journal.dropped();
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
    if (ledger.isFinished()) {
      complete();
      return;
    }
    FinishReason missing = ledger.missingFinish();
    if (missing != null) {
      endWith(missing);
      return;
    }
    losses.add(loss);
    if (loss.worker() != null) {
      excluded.add(loss.worker());
    }
    boolean mayMove = profile.replayability().extent() != Replayability.Extent.NEVER;
    if (loss.verdict() == Verdict.MIGRATES && mayMove) {
      migrate(loss);
    } else {
      fail(loss);
    }
  }

  private void migrate(Loss loss) {
    boolean retried = attemptsLeft > 0;
    journal.lost(loss, retried);
    if (recovery == null) {
      recovery = new Recovery(loss, now());
    }
    if (retried) {
      lane.execute(this::dispatch);
      return;
    }
    if (options.limit() > 0 && !profile.replayability().obstacle().isEmpty()) {
      LOG.warn(
          "request lost its worker and cannot be continued: requestId={}, replayability={}",
          profile.requestId(),
          profile.replayability());
    }
    journal.exhausted(attempts, loss.decisive());
    fail(loss);
  }

  private void fail(Loss loss) {
    Loss begun = recovery == null ? loss : recovery.trigger();
    Loss told = begun.phase() == MigrationPhase.ONGOING_REQUEST ? begun : loss;
    fail(losses.toException(told, attempts, ledger.delivered()));
  }

  private void fail(MigrationException error) {
    conclude(MigrationEvent.Outcome.FAILED, RecoveryOutcome.FAILURE, error);
    client.fail(error);
  }

  /** Ends an answer that is whole but for its finish reason, as soon as the client has room. */
  private void endWith(FinishReason reason) {
    endItem = adapter.finished(null, 0, reason);
    if (client.outstanding() > 0) {
      deliverEnd(endItem);
    }
  }

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
    conclude(
        MigrationEvent.Outcome.FAILED,
        RecoveryOutcome.FAILURE,
        new DynamoException(ErrorType.INVALID_REQUEST, String.valueOf(error.getMessage())));
    client.fail(error);
  }

  /** Fails the request with {@code CLOSED}, from any thread. */
  void close() {
    try {
      lane.execute(this::closeOnLane);
    } catch (RejectedExecutionException laneClosed) {
      LOG.debug("request closed after its lane");
    }
  }

  private void closeOnLane() {
    if (!done) {
      fail(
          new MigrationException(
              ErrorType.CLOSED,
              "migrator was closed",
              null,
              DynamoException.NO_ATTEMPT,
              null,
              attempts,
              ledger.delivered()));
    }
  }

  private void conclude(
      MigrationEvent.Outcome outcome, RecoveryOutcome search, @Nullable DynamoException error) {
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
    ledger.stopTracking();
    if (recovery != null) {
      journal.recoveryEnded(recovery, search, now());
      recovery = null;
    }
    migrator.ended(this);
    journal.ended(outcome, error);
  }

  private long now() {
    return lane.clock().nanoTime();
  }

  @Override
  public int compareTo(RetryManager<?, ?> other) {
    return Long.compare(sequence, other.sequence);
  }
}
