// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.migration.RequestTimer.Alarm;
import io.dynamo4j.migration.event.AttemptPhase;

/**
 * Sets the alarms of running attempts: by when each must show its next sign of life, and when a
 * second one is due. Which phase an attempt is in decides how long it may take. Belongs to the
 * request's lane.
 */
final class AttemptWatch<R> {
  private static final long NEVER = Long.MAX_VALUE;

  private final MigrationOptions options;
  private final Attempts<R> attempts;
  private final AnswerFlow<R> answer;
  private final RecoverySearch search;
  private final ClientPort<R> client;
  private final RequestTimer timer;
  private final NanoClock clock;
  private final PaceMeter pace;
  private final boolean mayLearn;

  AttemptWatch(RequestParts<R> parts, RequestTimer timer) {
    this.options = parts.options;
    this.attempts = parts.attempts;
    this.answer = parts.answer;
    this.search = parts.search;
    this.client = parts.client;
    this.timer = timer;
    this.clock = parts.lane.clock();
    StallDetection detection = options.stallDetection();
    long stallNanos = options.stallTimeoutNanos();
    this.pace = new PaceMeter(detection, stallNanos == 0);
    this.mayLearn = !detection.isOff() && (stallNanos == 0 || stallNanos > detection.floorNanos());
  }

  /** An attempt leads from now on. */
  void leads(AttemptRun<R> run) {
    pace.restart();
    timer.clear(Alarm.RIVAL);
    set(run);
  }

  /** The attempt that led goes on without the other one. */
  void staysAlone(AttemptRun<R> run) {
    timer.clear(Alarm.RIVAL);
    set(run);
  }

  /** The first token of an attempt that was just dispatched may become late. */
  void expectFirstToken(AttemptRun<R> run) {
    if (options.hedgeAfterNanos() > 0 && search.hasAttemptLeft()) {
      timer.setIn(Alarm.HEDGE, options.hedgeAfterNanos());
    }
  }

  /** Returns whether a second attempt may be started for want of a first token. */
  boolean isHedgeDue() {
    AttemptRun<R> run = attempts.lead();
    return run != null
        && !attempts.arePaired()
        && run.phase() != AttemptPhase.NEXT_TOKEN
        && client.outstanding() > 0
        && search.hasAttemptLeft()
        && answer.canContinue()
        && !answer.awaitsOnlyEnd();
  }

  /** An attempt made progress that is no token, or had no reason to. */
  void progressed(AttemptRun<R> run) {
    run.progressed(clock.nanoTime());
    set(run);
  }

  /** An attempt brought a token or a finish reason. */
  void answered(AttemptRun<R> run) {
    if (run.phase() != AttemptPhase.NEXT_TOKEN) {
      timer.clear(Alarm.HEDGE);
    }
    boolean clientWaits = client.outstanding() > 0;
    if (options.stallTimeoutNanos() == 0 && !answer.awaitsOnlyEnd()) {
      if (!learns()) {
        run.answered(run.progressNanos());
        timer.clear(Alarm.LEAD);
        return;
      }
      if (pace.passesUntimed(clientWaits)) {
        return;
      }
    }
    long now = clock.nanoTime();
    run.answered(now);
    if (mayLearn) {
      pace.tokenCame(now, clientWaits);
    }
    set(run);
  }

  private boolean learns() {
    return mayLearn && search.hasAttemptLeft() && answer.canContinue();
  }

  /**
   * An attempt's alarm went off.
   *
   * @return false if it only was to find out whether tokens come, and another one is set
   */
  boolean isOverdue(AttemptRun<R> run) {
    if (phaseOf(run) != AttemptPhase.NEXT_TOKEN || pace.lookNanos() == 0) {
      return true;
    }
    if (pace.looked()) {
      run.progressed(clock.nanoTime());
    }
    set(run);
    return false;
  }

  /** The client asks for something after it had got all it had asked for. */
  void demandReturned() {
    AttemptRun<R> lead = attempts.lead();
    AttemptRun<R> rival = attempts.rival();
    if (lead != null && lead.isOpened()) {
      progressed(lead);
      pace.demanded(lead.progressNanos());
    }
    if (rival != null && rival.isOpened()) {
      progressed(rival);
    } else if (lead != null && rival == null && lead.phase() != AttemptPhase.NEXT_TOKEN) {
      expectFirstToken(lead);
    }
  }

  /** Sets the alarm for what an attempt should bring next. */
  void set(AttemptRun<R> run) {
    AttemptPhase phase = phaseOf(run);
    long bound = boundNanos(phase);
    Alarm alarm = attempts.isRival(run) ? Alarm.RIVAL : Alarm.LEAD;
    if (bound == NEVER) {
      timer.clear(alarm);
    } else {
      timer.setAt(alarm, sinceNanos(run, phase) + bound);
    }
  }

  /** Returns what is awaited of an attempt. */
  AttemptPhase phaseOf(AttemptRun<R> run) {
    return !attempts.arePaired() && answer.awaitsOnlyEnd() ? AttemptPhase.END : run.phase();
  }

  /** Returns for how long it has been awaited. */
  long waitedNanos(AttemptRun<R> run) {
    return clock.nanoTime() - sinceNanos(run, phaseOf(run));
  }

  private static long sinceNanos(AttemptRun<?> run, AttemptPhase phase) {
    return phase == AttemptPhase.CONNECT || phase == AttemptPhase.PROLOGUE
        ? run.startNanos()
        : run.progressNanos();
  }

  private long boundNanos(AttemptPhase phase) {
    return switch (phase) {
      case CONNECT ->
          Math.min(orNever(options.connectTimeoutNanos()), orNever(options.prologueTimeoutNanos()));
      case PROLOGUE -> orNever(options.prologueTimeoutNanos());
      case FIRST_TOKEN -> orNever(options.firstTokenTimeoutNanos());
      case NEXT_TOKEN ->
          Math.min(orNever(options.stallTimeoutNanos()), learns() ? paceNanos() : NEVER);
      case END -> options.endTimeoutNanos();
    };
  }

  private long paceNanos() {
    long look = pace.lookNanos();
    return look == 0 ? orNever(pace.boundNanos()) : look;
  }

  private static long orNever(long nanos) {
    return nanos == 0 ? NEVER : nanos;
  }
}
