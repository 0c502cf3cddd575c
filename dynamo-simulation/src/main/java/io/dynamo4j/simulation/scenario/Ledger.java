// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.Booking;
import io.dynamo4j.kvrouter.BookingKey;
import io.dynamo4j.migration.event.AttemptReason;
import io.dynamo4j.migration.event.MigrationEvent;
import io.dynamo4j.simulation.fleet.FleetConfig;
import io.dynamo4j.simulation.fleet.Patience;
import io.dynamo4j.simulation.fleet.SimulatedFleet;
import io.dynamo4j.simulation.fleet.SimulatedWorker;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The truth of one run, kept outside of everything that is judged by it. */
final class Ledger {
  private final Map<Integer, RequestEntry> requests = new LinkedHashMap<>();
  private final Map<String, Booking> bookings = new LinkedHashMap<>();
  private final Set<String> goneWithWorker = new LinkedHashSet<>();
  private final SortedMap<String, Long> facts = new TreeMap<>();
  private final Set<Integer> draining = new LinkedHashSet<>();
  private final long limit;
  private final long maxSeqLen;
  private final Patience patience;
  private int liveTimers;
  private int openDrains;
  private @Nullable OracleViolation violation;
  private @Nullable SimulatedFleet fleet;

  Ledger(FleetConfig config) {
    this.limit = config.migrationLimit();
    this.maxSeqLen = config.migrationMaxSeqLen();
    this.patience = config.patience();
  }

  /** Ends the run unless {@code holds}, even if what this throws is swallowed on the way. */
  void check(boolean holds, Oracle oracle, String detail) {
    if (!holds) {
      OracleViolation found = new OracleViolation(oracle, detail);
      if (violation == null) {
        violation = found;
      }
      throw found;
    }
  }

  /** Returns the first violation of the run, also where a later one ended it. */
  Optional<OracleViolation> firstViolation() {
    return Optional.ofNullable(violation);
  }

  /** Throws the first violation that somebody may have swallowed. */
  void rethrow() {
    if (violation != null) {
      throw violation;
    }
  }

  void watch(SimulatedFleet watched) {
    this.fleet = watched;
  }

  SimulatedFleet fleet() {
    SimulatedFleet watched = fleet;
    if (watched == null) {
      throw new IllegalStateException("no fleet is watched yet");
    }
    return watched;
  }

  long limit() {
    return limit;
  }

  RequestEntry open(ScenarioRequest request) {
    RequestEntry entry = new RequestEntry(request, new RequestTimes(this, patience));
    requests.put(request.number(), entry);
    return entry;
  }

  /** Learns what a second attempt is for where that could be either of two things. */
  void heard(MigrationEvent event) {
    if (event instanceof MigrationEvent.AttemptStarted started) {
      RequestEntry entry = request(started.requestId());
      for (AttemptEntry attempt : entry.attempts()) {
        if (attempt.isUnsure() && attempt.number() == started.attempt()) {
          attempt.resolve(started.reason() == AttemptReason.HEDGE);
        }
      }
      checkBudget(entry);
    }
  }

  void checkBudget(RequestEntry entry) {
    check(
        entry.budgetedAttempts() <= limit + 1,
        Oracle.BUDGET,
        "dispatched too often: " + entry + ", dispatches=" + entry.budgetedAttempts());
  }

  RequestEntry request(String requestId) {
    RequestEntry entry = requests.get(Integer.parseInt(requestId));
    if (entry == null) {
      throw new OracleViolation(Oracle.METRICS, "unknown request: request=" + requestId);
    }
    return entry;
  }

  Iterable<RequestEntry> requests() {
    return requests.values();
  }

  /** Counts a rare state that a search must have reached at least once. */
  void sometimes(String fact) {
    facts.merge(fact, 1L, Long::sum);
  }

  /** Adds to what a search reports as a sum. */
  void count(String fact, long times) {
    facts.merge(fact, times, Long::sum);
  }

  SortedMap<String, Long> facts() {
    return facts;
  }

  /** Returns whether the attempt's worker has lived on since it was chosen. */
  boolean livedThrough(AttemptEntry attempt) {
    SimulatedWorker worker = fleet().workers().get(attempt.worker());
    return worker.isAlive() && worker.lifeNumber() == attempt.lifeAtDispatch();
  }

  /** Returns whether a live worker is left that has not failed this request. */
  boolean hasUntriedWorker(RequestEntry entry) {
    List<SimulatedWorker> workers = fleet().workers();
    return workers.stream()
        .anyMatch(
            worker ->
                worker.isAlive()
                    && !isDraining(worker.position())
                    && !entry.triedOn(worker.position()));
  }

  void draining(int position) {
    draining.add(position);
  }

  void drained(int position) {
    draining.remove(position);
  }

  /** Returns whether the worker at a position is being drained. */
  boolean isDraining(int position) {
    return draining.contains(position);
  }

  /** Returns whether a request's failure may reach its client although workers are left. */
  boolean mayFail(RequestEntry entry) {
    ScenarioRequest request = entry.request();
    return entry.mostBudgetedAttempts() > limit
        || entry.isVetoed()
        || entry.times().isDeadlinePassed()
        || request.pinnedPosition() != ScenarioRequest.NOT_PINNED
        || (entry.hasOpened() && (request.hasGrammar() || isOutgrown(entry)));
  }

  /** Returns whether a sequence has become too long to be continued. */
  boolean isOutgrown(RequestEntry entry) {
    return entry.request().prompt().length + entry.deliveredTokens() > maxSeqLen;
  }

  /** Returns whether requests wait where there is no worker to ask. */
  boolean waitsForWorkers() {
    return patience.replacementWaitNanos() > 0;
  }

  /* --------------- Bookings --------------- */

  void booked(Booking booking) {
    Booking before = bookings.put(booking.key().toString(), booking);
    check(before == null, Oracle.BOOKING, "booked twice: " + booking.key());
  }

  void freed(Booking booking) {
    boolean known = bookings.remove(booking.key().toString(), booking);
    check(known, Oracle.BOOKING, "freed but not booked: " + booking.key());
  }

  void rankGone(WorkerWithDpRank rank) {
    for (Booking booking : List.copyOf(bookings.values())) {
      if (booking.worker().equals(rank)) {
        bookings.remove(booking.key().toString());
        goneWithWorker.add(booking.key().toString());
      }
    }
  }

  /** Returns whether a booking ended with its worker, so that a late free means nothing. */
  boolean isGone(Booking booking) {
    return goneWithWorker.contains(booking.key().toString());
  }

  boolean isBooked(String requestId, int attempt) {
    return bookings.containsKey(new BookingKey(requestId, attempt).toString());
  }

  int bookingCount() {
    return bookings.size();
  }

  /* --------------- Timers --------------- */

  void timerArmed() {
    liveTimers++;
  }

  void timerGone() {
    liveTimers--;
  }

  int liveTimers() {
    return liveTimers;
  }

  void drainBegan() {
    openDrains++;
  }

  void drainEnded() {
    openDrains--;
  }

  /**
   * A request arms one timer at a time, and takes it along when it ends; the plane arms one for
   * each attempt that has a deadline; a drain has one for its deadline and one for another try.
   */
  void checkTimers() {
    long allowed = 2L * openDrains;
    for (RequestEntry entry : requests.values()) {
      if (entry.isOpen()) {
        allowed += 1 + (patience.deadlineNanos() > 0 ? entry.runningAttempts() : 0);
      }
    }
    check(
        liveTimers <= allowed,
        Oracle.TIMER,
        "more timers than open requests need: timers=" + liveTimers + ", needed=" + allowed);
  }
}
