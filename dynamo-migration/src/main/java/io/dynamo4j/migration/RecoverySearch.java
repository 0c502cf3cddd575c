// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.migration.event.AttemptReason;
import io.dynamo4j.migration.event.MigrationPhase;
import io.dynamo4j.migration.event.RecoveryOutcome;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What one request has lost and what is left to try: the budget of attempts, the workers ruled out,
 * and the search for another worker while there is one.
 *
 * <p><b>Budget.</b> One for both phases, spent when an attempt starts, never refilled. What rules a
 * continuation out takes the rest of it away.
 *
 * <p>Belongs to the request's lane.
 */
final class RecoverySearch {
  private final RequestJournal journal;
  private final LossHistory losses = new LossHistory();
  private final Set<WorkerWithDpRank> excluded = new TreeSet<>();
  private final boolean excludesFailed;
  private @Nullable Set<WorkerWithDpRank> left;
  private long attemptsLeft;
  private int attempts;
  private boolean forfeited;
  private @Nullable Recovery underWay;
  private @Nullable Recovery awaitedToken;

  RecoverySearch(long limit, boolean excludesFailed, RequestJournal journal) {
    this.attemptsLeft = limit + 1;
    this.excludesFailed = excludesFailed;
    this.journal = journal;
  }

  /**
   * Numbers an attempt, with the greatest int from there on, and takes it from the budget unless it
   * only moves a healthy stream.
   */
  int beginAttempt(AttemptReason reason) {
    int number = attempts;
    attemptsLeft -= reason == AttemptReason.DRAIN ? 0 : 1;
    attempts = number == Integer.MAX_VALUE ? number : number + 1;
    return number;
  }

  /**
   * Gives an attempt back that found no worker to ask, its number included if that was the last.
   */
  void takeBack(AttemptRun<?> run) {
    attemptsLeft += run.reason() == AttemptReason.DRAIN || forfeited ? 0 : 1;
    attempts = run.number() == attempts - 1 ? attempts - 1 : attempts;
  }

  boolean hasAttemptLeft() {
    return attemptsLeft > 0;
  }

  /** Gives up every further attempt. */
  void forfeit() {
    forfeited = true;
    attemptsLeft = 0;
  }

  boolean isForfeited() {
    return forfeited;
  }

  /** Returns how many attempts have begun. */
  int attempts() {
    return attempts;
  }

  Set<WorkerWithDpRank> excluded() {
    return Collections.unmodifiableSet(excluded);
  }

  /** Remembers a failed attempt and rules its worker out. */
  void add(Loss loss) {
    losses.add(loss);
    if (loss.worker() != null && excludesFailed) {
      excluded.add(loss.worker());
    }
  }

  /** The stream has left a worker that drains. */
  void left(WorkerWithDpRank worker) {
    if (left == null) {
      left = new TreeSet<>();
    }
    left.add(worker);
  }

  /** Returns the workers that the stream left when they drained. */
  Set<WorkerWithDpRank> left() {
    return left == null ? Collections.emptySet() : Collections.unmodifiableSet(left);
  }

  /** Allows a worker again, all of its ranks: another life has begun. */
  void readmit(long workerId) {
    excluded.removeIf(rank -> rank.workerId() == workerId);
    if (left != null) {
      left.removeIf(rank -> rank.workerId() == workerId);
    }
  }

  /** Returns how long the search under way has taken, 0 without one. */
  long searchNanos(long nowNanos) {
    return underWay == null ? 0 : nowNanos - underWay.startNanos();
  }

  /** Begins a search, unless this loss happened in one. */
  void begin(Loss loss, long nowNanos) {
    if (underWay == null) {
      underWay = new Recovery(loss, nowNanos);
    }
  }

  /** A worker opened its stream. */
  void streamOpened(long nowNanos) {
    Recovery found = underWay;
    if (found != null) {
      end(RecoveryOutcome.SUCCESS, nowNanos);
      awaitedToken = awaitedToken == null ? found : awaitedToken;
    }
  }

  /** Returns whether the next token is the first after a loss. */
  boolean awaitsToken() {
    return awaitedToken != null;
  }

  /** A token of the replacing worker came. */
  void tokenCame(AttemptRun<?> run, long nowNanos) {
    if (awaitedToken != null) {
      journal.migrated(awaitedToken, run, nowNanos);
      awaitedToken = null;
    }
  }

  /** Ends the search, if there is one. */
  void end(RecoveryOutcome outcome, long nowNanos) {
    if (underWay != null) {
      journal.recoveryEnded(underWay, outcome, nowNanos);
      underWay = null;
    }
  }

  /**
   * Makes the client's error of the loss that cannot be repaired: where a stream broke, it is that
   * break that the client hears of, not what failed in repairing it.
   */
  MigrationException toException(Loss last, long tokensDelivered) {
    return losses.toException(toldOf(last), attempts, tokensDelivered);
  }

  /** Makes the client's error of a request whose time is up, the losses suppressed. */
  MigrationException deadlineExceeded(
      long deadlineNanos, @Nullable WorkerWithDpRank worker, long tokensDelivered) {
    MigrationException error =
        MigrationException.deadline(deadlineNanos, worker, attempts, tokensDelivered);
    losses.suppressIn(error);
    return error;
  }

  private Loss toldOf(Loss last) {
    Loss begun = underWay == null ? last : underWay.trigger();
    return begun.phase() == MigrationPhase.ONGOING_REQUEST ? begun : last;
  }
}
