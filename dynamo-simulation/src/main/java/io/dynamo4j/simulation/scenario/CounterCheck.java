// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.migration.MigratorStats;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.migration.event.MigrationPhase;
import java.util.function.Predicate;

/** Compares a migrator's counters at rest with what the ledger saw. */
final class CounterCheck {
  private final Ledger ledger;
  private final MigratorStats stats;

  CounterCheck(Ledger ledger, MigratorStats stats) {
    this.ledger = ledger;
    this.stats = stats;
  }

  void check() {
    checkMigrations();
    checkEnds();
    checkMoves();
    checkLengths();
  }

  private void checkMigrations() {
    same(
        "migrations of new requests",
        stats.migrations(MigrationPhase.NEW_REQUEST),
        attempts(attempt -> attempt.isCounted() && !attempt.isOpened()));
    same(
        "migrations of ongoing requests",
        stats.migrations(MigrationPhase.ONGOING_REQUEST),
        attempts(attempt -> attempt.isCounted() && attempt.isOpened()));
    long waits = 0;
    for (RequestEntry entry : ledger.requests()) {
      waits += entry.times().waits();
    }
    same("waits", stats.waits(), waits);
  }

  /** A client may leave at the item after which its stream would have ended. */
  private void checkEnds() {
    long completed = requests(RequestEntry::isCompleted);
    long leftAtTheEnd = requests(entry -> entry.isCancelled() && entry.isWhole());
    long counted = stats.requests(MigrationEvent.Outcome.COMPLETED);
    within("completed requests", counted, completed, completed + leftAtTheEnd);
    same(
        "failed requests",
        stats.requests(MigrationEvent.Outcome.FAILED),
        requests(entry -> entry.isEnded() && !entry.isCompleted()));
    same(
        "requests",
        counted
            + stats.requests(MigrationEvent.Outcome.FAILED)
            + stats.requests(MigrationEvent.Outcome.CANCELLED),
        requests(entry -> true));
  }

  private void checkMoves() {
    same("moves", stats.moves(), attempts(AttemptEntry::isLeftByMove));
    long hedges =
        attempts(attempt -> attempt.isHedge() && attempt.worker() != AttemptEntry.NO_WORKER);
    same("hedges", stats.hedges(), hedges);
  }

  /** A sequence counts as too long only while that takes another attempt from it. */
  private void checkLengths() {
    within(
        "sequences that are too long",
        stats.maxSeqLenExceeded(),
        requests(
            entry -> ledger.isOutgrown(entry) && entry.attempts().size() == 1 && mayGoOn(entry)),
        requests(ledger::isOutgrown));
  }

  private boolean mayGoOn(RequestEntry entry) {
    ScenarioRequest request = entry.request();
    return ledger.limit() > 0
        && entry.hasOpened()
        && !request.hasGrammar()
        && request.pinnedPosition() == ScenarioRequest.NOT_PINNED;
  }

  private long attempts(Predicate<AttemptEntry> which) {
    long count = 0;
    for (RequestEntry entry : ledger.requests()) {
      count += entry.attempts().stream().filter(which).count();
    }
    return count;
  }

  private long requests(Predicate<RequestEntry> which) {
    long count = 0;
    for (RequestEntry entry : ledger.requests()) {
      count += which.test(entry) ? 1 : 0;
    }
    return count;
  }

  private static void same(String what, long counted, long seen) {
    within(what, counted, seen, seen);
  }

  private static void within(String what, long counted, long least, long most) {
    OracleViolation.check(
        counted >= least && counted <= most,
        Oracle.METRICS,
        what + " are miscounted: counted=" + counted + ", least=" + least + ", most=" + most);
  }
}
