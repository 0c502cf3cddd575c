// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.migration.DrainResult;
import io.dynamo4j.simulation.fleet.SimulatedWorker;
import io.dynamo4j.testkit.engine.EngineListener;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Carries out faults that hit workers, and watches that engines stop when clients leave. */
final class FaultHand {
  private static final long ONE_STEP_NANOS = 400_000_000;
  private static final long RESTART_NANOS = 30_000_000;
  private static final long SOON_NANOS = 1_000_000;

  private final Simulation simulation;
  private final Ledger ledger;
  private final Set<String> running = new LinkedHashSet<>();
  private final Set<String> preempted = new LinkedHashSet<>();
  private final Map<Integer, Long> frozenUntil = new LinkedHashMap<>();

  FaultHand(Simulation simulation, Ledger ledger) {
    this.simulation = simulation;
    this.ledger = ledger;
  }

  /**
   * Kills the worker that serves a request; it comes back unless {@code downMillis} is negative.
   */
  void crashServing(RequestEntry entry, double downMillis) {
    simulation.controller().execute(() -> crash(entry, downMillis));
  }

  private void crash(RequestEntry entry, double downMillis) {
    SimulatedWorker worker = serving(entry);
    if (worker == null) {
      return;
    }
    ledger.sometimes("crashed");
    if (preempted.removeIf(work -> work.endsWith("/" + worker.position()))) {
      ledger.sometimes("preempted, then killed");
    }
    running.removeIf(work -> work.endsWith("/" + worker.position()));
    worker.kill();
    if (downMillis >= 0) {
      simulation.controller().schedule(worker::start, (long) (downMillis * 1e6));
    }
  }

  /** Counts timers soon, once whatever else happens at that instant has reached its lane. */
  void checkTimersSoon() {
    simulation
        .controller()
        .schedule(() -> simulation.atEndOfInstant(ledger::checkTimers), SOON_NANOS);
  }

  /** Drains the worker that serves a request, then restarts it. */
  void drainServing(RequestEntry entry, double withinMillis) {
    simulation.controller().execute(() -> drain(entry, withinMillis));
  }

  private void drain(RequestEntry entry, double withinMillis) {
    SimulatedWorker worker = serving(entry);
    if (worker == null || ledger.isDraining(worker.position())) {
      return;
    }
    int position = worker.position();
    long life = worker.lifeNumber();
    ledger.draining(position);
    ledger.drainBegan();
    ledger.sometimes("drained");
    var unused =
        ledger
            .fleet()
            .migrator()
            .drain(
                SimulatedWorker.workerId(position), Duration.ofNanos((long) (withinMillis * 1e6)))
            .whenComplete(
                (result, failure) ->
                    simulation.controller().execute(() -> restart(worker, life, result)));
  }

  private void restart(SimulatedWorker worker, long life, DrainResult result) {
    ledger.drainEnded();
    ledger.sometimes(result.isEmpty() ? "drained in time" : "not drained in time");
    if (result.moved() > 0) {
      ledger.sometimes("moved from a draining worker");
    }
    if (worker.isAlive() && worker.lifeNumber() == life) {
      running.removeIf(work -> work.endsWith("/" + worker.position()));
      worker.kill();
    }
    simulation
        .controller()
        .schedule(
            () -> {
              ledger.fleet().health().undrain(SimulatedWorker.workerId(worker.position()));
              ledger.drained(worker.position());
              worker.start();
            },
            RESTART_NANOS);
  }

  /** Freezes the worker that serves a request. */
  void stallServing(RequestEntry entry, double millis) {
    SimulatedWorker worker = serving(entry);
    if (worker != null) {
      ledger.sometimes("stalled");
      long untilNanos = simulation.nowNanos() + (long) (millis * 1e6);
      frozenUntil.merge(worker.position(), untilNanos, Math::max);
      worker.stallUntil(untilNanos);
    }
  }

  private @Nullable SimulatedWorker serving(RequestEntry entry) {
    if (entry.attempts().isEmpty()) {
      return null;
    }
    AttemptEntry last = entry.attempts().get(entry.attempts().size() - 1);
    if (last.worker() == AttemptEntry.NO_WORKER) {
      return null;
    }
    SimulatedWorker worker = ledger.fleet().workers().get(last.worker());
    return worker.isAlive() ? worker : null;
  }

  /**
   * Checks, a step later, that no engine runs the request any more; a frozen one may thaw first.
   */
  void expectNoMoreWork(RequestEntry entry) {
    simulation.controller().schedule(() -> checkNoMoreWork(entry), ONE_STEP_NANOS);
  }

  private void checkNoMoreWork(RequestEntry entry) {
    String prefix = entry.request().number() + "/";
    for (SimulatedWorker worker : ledger.fleet().workers()) {
      if (!running.contains(prefix + worker.position())) {
        continue;
      }
      long thawedNanos = frozenUntil.getOrDefault(worker.position(), 0L);
      ledger.check(
          thawedNanos + ONE_STEP_NANOS > simulation.nowNanos(),
          Oracle.CANCELLED_WORK,
          "an engine still works for a client that left: " + entry);
      simulation
          .controller()
          .schedule(
              () -> checkNoMoreWork(entry), thawedNanos + ONE_STEP_NANOS - simulation.nowNanos());
    }
  }

  /** Returns what watches the engine at one position. */
  EngineListener watch(int position) {
    return new EngineListener() {
      @Override
      public void admitted(String requestId, int cachedTokens, int promptTokens, long nanos) {
        running.add(requestId + "/" + position);
      }

      @Override
      public void preempted(String requestId, int generatedTokens, long nanos) {
        ledger.sometimes("preempted");
        preempted.add(requestId + "/" + position);
      }

      @Override
      public void finished(String requestId, FinishReason reason, int generatedTokens, long nanos) {
        running.remove(requestId + "/" + position);
        preempted.remove(requestId + "/" + position);
      }
    };
  }
}
