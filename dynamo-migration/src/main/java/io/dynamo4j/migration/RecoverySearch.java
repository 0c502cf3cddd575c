// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.WorkerWithDpRank;
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
  private long attemptsLeft;
  private int attempts;
  private @Nullable Recovery underWay;
  private @Nullable Recovery awaitedToken;

  RecoverySearch(long limit, RequestJournal journal) {
    this.attemptsLeft = limit + 1;
    this.journal = journal;
  }

  /** Takes one attempt from the budget and returns its number, the greatest int from there on. */
  int beginAttempt() {
    int number = attempts;
    attemptsLeft--;
    attempts = number == Integer.MAX_VALUE ? number : number + 1;
    return number;
  }

  boolean hasAttemptLeft() {
    return attemptsLeft > 0;
  }

  /** Gives up every further attempt. */
  void forfeit() {
    attemptsLeft = 0;
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
    if (loss.worker() != null) {
      excluded.add(loss.worker());
    }
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
    Loss begun = underWay == null ? last : underWay.trigger();
    Loss told = begun.phase() == MigrationPhase.ONGOING_REQUEST ? begun : last;
    return losses.toException(told, attempts, tokensDelivered);
  }
}
