// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.simulation.trace.TraceRow;
import io.dynamo4j.testkit.simulation.Mode;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.List;
import java.util.function.IntConsumer;

/** Serves one trace with one policy in virtual time. */
public final class FleetRun implements LoadedFleet {
  private final FleetConfig config;
  private final Simulation simulation;
  private final SimulatedFleet fleet;
  private final FleetObserver observer;
  private final FleetTraffic traffic;

  private FleetRun(FleetConfig config, List<TraceRow> rows, IntConsumer progress) {
    this.config = config;
    this.simulation = Simulation.builder().seed(config.seed()).mode(Mode.REFERENCE).build();
    RequestLog log = new RequestLog(rows.size());
    this.observer = new FleetObserver(log, simulation.controller().clock());
    this.fleet =
        new SimulatedFleet(simulation, config, new FleetSeams() {}, position -> observer, observer);
    this.traffic =
        new FleetTraffic(
            config,
            rows,
            progress,
            simulation.controller(),
            this,
            log,
            simulation.random("kills"),
            simulation.random("victims"));
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

  private FleetResult run() {
    traffic.begin();
    long deathNanos = config.conditions().deathNanos();
    if (deathNanos > 0) {
      simulation.controller().schedule(this::die, deathNanos);
    }
    traffic.scheduleKills();
    simulation.run();
    if (traffic.openRequests() > 0) {
      throw new IllegalStateException(
          "streams never ended: policy="
              + config.policy().optionName()
              + ", seed="
              + config.seed()
              + ", count="
              + traffic.openRequests());
    }
    return traffic.result(observer, simulation.eventCount(), simulation.traceHash());
  }

  /** Kills the worker in the middle, for good. */
  private void die() {
    SimulatedWorker victim = fleet.workers().get(config.workers() / 2);
    traffic.died(victim.position(), victim.openStreams());
    victim.kill();
  }

  @Override
  public ResponseStream<LLMEngineOutput> answer(PreprocessedRequest request) {
    return fleet.answer(request);
  }

  @Override
  public void kill(RandomSource victims, KillReport report) {
    List<SimulatedWorker> candidates =
        fleet.workers().stream().filter(worker -> worker.openStreams() > 0).toList();
    if (candidates.isEmpty()) {
      report.spared();
      return;
    }
    SimulatedWorker victim = candidates.get(victims.nextInt(candidates.size()));
    int openStreams = victim.openStreams();
    victim.kill();
    report.killed(victim.position(), openStreams);
  }

  @Override
  public void start(int position) {
    fleet.workers().get(position).start();
  }

  @Override
  public void isQuiet() {
    fleet.close();
  }
}
