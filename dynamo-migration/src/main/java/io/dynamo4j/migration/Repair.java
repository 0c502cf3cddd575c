// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.migration.RequestTimer.Alarm;
import io.dynamo4j.migration.event.AttemptReason;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What follows when the only attempt of a request is lost: another one at once, after a pause, once
 * there is a worker to ask, or the end.
 *
 * <p>A replacing attempt is dispatched by a task of its own: a cancelled attempt has released what
 * it held by then, and many failures in a row do not deepen the stack. Belongs to the request's
 * lane.
 */
final class Repair implements Comparable<Repair> {
  private static final Logger LOG = LoggerFactory.getLogger(Migrator.class);

  /** The request. */
  interface Owner {

    void dispatch(AttemptReason reason);

    void fail(MigrationException error);

    /** Ends the request: its lane takes no task any more. */
    void closeOnLane();
  }

  private final Owner owner;
  private final RequestProfile profile;
  private final MigrationOptions options;
  private final AnswerFlow<?> answer;
  private final RecoverySearch search;
  private final RetrySchedule schedule;
  private final RequestJournal journal;
  private final Resumption resumption;
  private final RequestTimer timer;
  private final Scheduler lane;
  private final ReplacementWatch replacements;
  private final long sequence;
  private boolean dispatchPending;

  Repair(
      Owner owner,
      RequestParts<?> parts,
      RetrySchedule schedule,
      RequestTimer timer,
      ReplacementWatch replacements,
      long sequence) {
    this.owner = owner;
    this.profile = parts.profile;
    this.options = parts.options;
    this.answer = parts.answer;
    this.search = parts.search;
    this.schedule = schedule;
    this.journal = parts.journal;
    this.resumption = parts.resumption;
    this.timer = timer;
    this.lane = parts.lane;
    this.replacements = replacements;
    this.sequence = sequence;
  }

  private long now() {
    return lane.clock().nanoTime();
  }

  /** Decides what follows. */
  void after(Loss loss, AttemptRun<?> run) {
    boolean pinned = answer.replayability().extent() == Replayability.Extent.NEVER;
    if (loss.isForWantOfWorkers() && schedule.waitsForWorkers() && !pinned) {
      waitForWorker(loss, run);
      return;
    }
    search.add(loss);
    if (loss.verdict() != Verdict.MIGRATES || pinned) {
      owner.fail(search.toException(loss, answer.delivered()));
    } else {
      retry(loss);
    }
  }

  private void retry(Loss loss) {
    String capability = answer.neededCapability();
    if (!capability.isEmpty() && !resumption.isDeclaredByAny(capability)) {
      search.forfeit();
    }
    ErrorType type = loss.decisive().errorType();
    boolean admitted = schedule.admits(type, search.searchNanos(now()));
    boolean retried = admitted && search.hasAttemptLeft();
    journal.lost(loss, retried);
    search.begin(loss, now());
    if (!retried) {
      exhausted(loss);
      return;
    }
    long pause = schedule.pauseNanos(type);
    if (pause > 0) {
      journal.delayed(loss, /* forReplacement= */ false, pause);
    }
    resumeIn(pause);
  }

  private void exhausted(Loss loss) {
    if (options.limit() > 0 && !answer.replayability().obstacle().isEmpty()) {
      LOG.warn(
          "request lost its worker and cannot be continued: requestId={}, replayability={}",
          profile.loggedId(),
          answer.replayability());
    }
    journal.exhausted(search.attempts(), loss, search.searchNanos(now()));
    owner.fail(search.toException(loss, answer.delivered()));
  }

  private void waitForWorker(Loss loss, AttemptRun<?> run) {
    search.takeBack(run);
    boolean first = !schedule.isWaiting();
    long look = schedule.nextLookNanos(now());
    if (look == 0) {
      search.add(loss);
      owner.fail(search.toException(loss, answer.delivered()));
      return;
    }
    if (first) {
      journal.waits(loss, options.replacementWaitNanos());
      replacements.await(this);
    }
    resumeIn(look);
  }

  private void resumeIn(long nanos) {
    dispatchPending = true;
    try {
      if (nanos > 0) {
        timer.setIn(Alarm.RESUME, nanos);
      } else {
        lane.execute(this::resume);
      }
    } catch (RejectedExecutionException laneClosed) {
      owner.closeOnLane();
    }
  }

  /** The pause is over. */
  void resume() {
    if (dispatchPending) {
      dispatchPending = false;
      timer.clear(Alarm.RESUME);
      owner.dispatch(search.attempts() == 0 ? AttemptReason.FIRST : AttemptReason.FAILURE);
    }
  }

  /** A worker appeared, perhaps one that failed this request in a past life; from any thread. */
  void workerAppeared(long workerId) {
    try {
      lane.execute(
          () -> {
            if (schedule.isWaiting()) {
              search.readmit(workerId);
              resume();
            }
          });
    } catch (RejectedExecutionException laneClosed) {
      LOG.debug("waiting request outlived its lane: requestId={}", profile.loggedId());
    }
  }

  /** A worker was found, or the request has ended. */
  void endWait() {
    if (schedule.isWaiting()) {
      schedule.waitOver();
      replacements.forget(this);
    }
  }

  @Override
  public int compareTo(Repair other) {
    return Long.compare(sequence, other.sequence);
  }
}
