// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.simulation.fleet.Patience;
import org.jspecify.annotations.Nullable;

/** When one request should do what, by the gateway's clock. */
final class RequestTimes {
  private static final long NEVER = Long.MAX_VALUE;

  /** What a hop between lanes may take. */
  private static final long SLACK_NANOS = 1_000_000;

  private final Ledger ledger;
  private final Patience patience;
  private @Nullable NanoClock clock;
  private long deadlineNanos = NEVER;
  private long pausesFrom = NEVER;
  private long wantsSince = NEVER;
  private int waits;

  RequestTimes(Ledger ledger, Patience patience) {
    this.ledger = ledger;
    this.patience = patience;
  }

  /** Returns the time; nothing is late before the first dispatch. */
  private long now() {
    return clock == null ? 0 : clock.nanoTime();
  }

  /** An attempt is dispatched. */
  void dispatched(RequestEntry entry, AttemptEntry dispatched, Attempt attempt) {
    boolean first = clock == null;
    clock = attempt.lane().clock();
    checkDeadline(entry, attempt, first);
    if (!dispatched.isMove() && !dispatched.isHedge()) {
      checkPause(entry);
    }
  }

  private void checkDeadline(RequestEntry entry, Attempt attempt, boolean first) {
    long now = now();
    if (patience.deadlineNanos() == 0) {
      check(attempt.deadlineNanos() == Attempt.NO_DEADLINE, "a deadline nobody set", entry);
      return;
    }
    long told = attempt.deadlineNanos();
    if (first) {
      long left = told - now;
      check(
          left <= patience.deadlineNanos() && left >= patience.deadlineNanos() - SLACK_NANOS,
          "deadline is not the one that was set",
          entry);
      deadlineNanos = told;
    }
    check(told == deadlineNanos, "deadline has moved", entry);
    check(now <= deadlineNanos, "dispatched after its deadline", entry);
  }

  private void checkPause(RequestEntry entry) {
    if (pausesFrom == NEVER) {
      return;
    }
    double paused = now() - pausesFrom;
    pausesFrom = NEVER;
    double wanted = patience.backOffNanos();
    check(paused >= wanted * (1 - Patience.JITTER) - 1, "paused too short a time", entry);
    check(paused <= wanted * (1 + Patience.JITTER) + SLACK_NANOS, "paused too long a time", entry);
    if (wanted > 0) {
      ledger.sometimes("paused before another try");
    }
  }

  /** The only attempt was lost, and a worker failed it. */
  void lostAlone() {
    pausesFrom = now();
  }

  /** The only attempt found no worker. */
  void wanting() {
    if (wantsSince == NEVER && patience.replacementWaitNanos() > 0) {
      wantsSince = now();
      waits++;
      ledger.sometimes("waited for a worker");
    }
  }

  /** An attempt has found a worker. */
  void found() {
    if (wantsSince != NEVER) {
      wantsSince = NEVER;
      ledger.sometimes("found a worker in time");
    }
  }

  /** Returns how often the request began to wait for a worker. */
  int waits() {
    return waits;
  }

  /** Returns whether an attempt has been without a first token for so long that another may run. */
  boolean mayHedge(AttemptEntry running) {
    return patience.hedgeAfterNanos() > 0
        && running.tokens() == 0
        && now() - running.dispatchedNanos() >= patience.hedgeAfterNanos();
  }

  boolean isDeadlinePassed() {
    return deadlineNanos != NEVER && now() >= deadlineNanos;
  }

  /** The stream fails for want of workers. */
  void failedWanting(RequestEntry entry) {
    if (patience.replacementWaitNanos() > 0) {
      check(
          wantsSince != NEVER && now() - wantsSince >= patience.replacementWaitNanos(),
          "did not wait for a worker as long as it should",
          entry);
      ledger.sometimes("waited in vain");
    }
  }

  /** The stream has ended. */
  void ended(RequestEntry entry) {
    check(
        deadlineNanos == NEVER || now() <= deadlineNanos + SLACK_NANOS || entry.isWhole(),
        "outlived its deadline",
        entry);
  }

  private void check(boolean holds, String what, RequestEntry entry) {
    ledger.check(holds, Oracle.TIMES, holds ? "" : what + ": " + entry);
  }
}
