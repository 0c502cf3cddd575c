// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.simulation.oracle.TokenChecker;
import io.dynamo4j.simulation.trace.PromptTokens;
import io.dynamo4j.simulation.trace.TraceReader;
import io.dynamo4j.simulation.trace.TraceRow;
import io.dynamo4j.testkit.simulation.Mode;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Serves one trace with one policy in virtual time.
 *
 * <p>A prompt's tokens are made when its request arrives and belong to nobody once it has ended.
 */
public final class FleetRun {
  private static final long AFTER_ARRIVAL_NANOS = 10_000_000;

  private final FleetConfig config;
  private final List<TraceRow> rows;
  private final IntConsumer progress;
  private final Simulation simulation;
  private final SimulatedFleet fleet;
  private final RequestLog log;
  private final FleetObserver observer;
  private final TokenSums sums = new TokenSums();
  private final List<FleetResult.Kill> kills = new ArrayList<>();
  private final KillPlan killPlan;
  private final RandomSource victims;
  private final PromptTokens prompts = PromptTokens.of(TraceReader.MOONCAKE_BLOCK_SIZE);
  private int openRequests;
  private int arrived;
  private int next;
  private int waitingKills;

  private FleetRun(FleetConfig config, List<TraceRow> rows, IntConsumer progress) {
    this.config = config;
    this.rows = rows;
    this.progress = progress;
    this.simulation = Simulation.builder().seed(config.seed()).mode(Mode.REFERENCE).build();
    this.log = new RequestLog(rows.size());
    this.observer = new FleetObserver(log, simulation.controller().clock());
    this.fleet =
        new SimulatedFleet(simulation, config, new FleetSeams() {}, position -> observer, observer);
    this.killPlan =
        KillPlan.of(
            arrivals(), config.killEvery(), config.arrivalSpeedup(), simulation.random("kills"));
    this.victims = simulation.random("victims");
  }

  /**
   * Serves every row and waits, in virtual time, until each stream has ended.
   *
   * @param rows the trace, by time
   * @param progress told how many requests have arrived
   * @throws IllegalStateException if a stream neither completed nor failed: a fault of the library
   */
  public static FleetResult run(FleetConfig config, List<TraceRow> rows, IntConsumer progress) {
    return new FleetRun(config, rows, progress).run();
  }

  private long[] arrivals() {
    return rows.stream().mapToLong(row -> row.arrivalNanos(config.arrivalSpeedup())).toArray();
  }

  private FleetResult run() {
    FleetConditions conditions = config.conditions();
    int together = Math.max(1, Math.min(conditions.concurrency(), rows.size()));
    for (next = 0; next < together; next++) {
      scheduleArrival(next);
    }
    if (conditions.deathNanos() > 0) {
      simulation.controller().schedule(this::die, conditions.deathNanos());
    }
    for (int i = 0; i < killPlan.size(); i++) {
      simulation.controller().schedule(this::kill, killPlan.atNanos(i));
    }
    simulation.run();
    if (openRequests > 0) {
      throw new IllegalStateException(
          "streams never ended: policy="
              + config.policy().optionName()
              + ", seed="
              + config.seed()
              + ", count="
              + openRequests);
    }
    return new FleetResult(
        config,
        log,
        kills,
        observer.migrations(),
        sums.totals(),
        observer.newRequestMigrations(),
        observer.ongoingMigrations(),
        observer.continuationReusedTokens(),
        simulation.eventCount(),
        simulation.nowNanos(),
        simulation.traceHash());
  }

  private void scheduleArrival(int row) {
    if (row < rows.size()) {
      long delay =
          isClosedLoop()
              ? 0
              : rows.get(row).arrivalNanos(config.arrivalSpeedup()) - simulation.nowNanos();
      simulation.controller().schedule(() -> arrive(row), delay);
    }
  }

  private boolean isClosedLoop() {
    return config.conditions().concurrency() > 0;
  }

  private void ended() {
    openRequests--;
    if (isClosedLoop()) {
      scheduleArrival(next++);
    }
    if (openRequests == 0 && arrived == rows.size()) {
      fleet.close();
    }
  }

  /** Kills the worker in the middle, for good. */
  private void die() {
    SimulatedWorker victim = fleet.workers().get(config.workers() / 2);
    kills.add(new FleetResult.Kill(simulation.nowNanos(), victim.position(), victim.openStreams()));
    victim.kill();
  }

  private void arrive(int row) {
    TraceRow arriving = rows.get(row);
    TokenSlice tokens = prompts.prompt(arriving, row);
    long seed = config.seed() + row;
    log.arrived(row, simulation.nowNanos(), tokens.length());
    PreprocessedRequest request =
        PreprocessedRequest.builder(Integer.toString(row), tokens)
            .model("mock")
            .stopConditions(
                StopConditions.builder()
                    .maxTokens(Math.max(1, arriving.outputLength()))
                    .ignoreEos(true)
                    .build())
            .samplingOptions(SamplingOptions.builder().seed(seed).build())
            .build();
    TokenChecker checker = TokenChecker.create(seed, tokens, Math.max(1, arriving.outputLength()));
    openRequests++;
    fleet
        .answer(request)
        .subscribe(
            new ClientStream(
                row, checker, log, simulation.controller().clock(), sums, this::ended));
    progress.accept(++arrived);
    for (; waitingKills > 0; waitingKills--) {
      simulation.controller().schedule(this::kill, AFTER_ARRIVAL_NANOS);
    }
    if (!isClosedLoop()) {
      scheduleArrival(row + 1);
    }
  }

  /** Kills a worker that has an open stream; without one the kill waits for the next arrival. */
  private void kill() {
    List<SimulatedWorker> candidates =
        fleet.workers().stream().filter(worker -> worker.openStreams() > 0).toList();
    if (candidates.isEmpty()) {
      waitingKills++;
      return;
    }
    SimulatedWorker victim = candidates.get(victims.nextInt(candidates.size()));
    kills.add(new FleetResult.Kill(simulation.nowNanos(), victim.position(), victim.openStreams()));
    victim.kill();
    simulation.controller().schedule(victim::start, config.downNanos());
  }
}
