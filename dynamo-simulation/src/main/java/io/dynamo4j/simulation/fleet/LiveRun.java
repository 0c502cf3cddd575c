// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.simulation.trace.TraceRow;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntConsumer;

/**
 * Serves one trace with one policy over real planes, by the same gateway and the same traffic as
 * {@link FleetRun}: times are those of the environment, which may run faster than the clock on the
 * wall.
 *
 * <p>Requests, their times and the times of kills are those of {@code FleetRun} for the same
 * configuration; which worker dies, and what else depends on the moment, is not.
 *
 * <p><b>Threads.</b> The environment's lanes all run on one thread; methods are called on it,
 * {@link #fail}, {@link #result} and {@link #close} from any.
 */
public final class LiveRun implements LoadedFleet, AutoCloseable {
  private final LiveEngines engines;
  private final RequestLog log;
  private final FleetObserver observer;
  private final SimulatedGateway gateway;
  private final FleetTraffic traffic;
  private final CompletableFuture<FleetResult> result = new CompletableFuture<>();

  /**
   * Prepares a run.
   *
   * @param rows the trace, by time
   * @param progress told how many requests have arrived
   * @param environment the gateway's; its clocks begin at 0
   * @param controller one lane of it
   */
  public LiveRun(
      FleetConfig config,
      List<TraceRow> rows,
      IntConsumer progress,
      Environment environment,
      Scheduler controller,
      GatewayPlanes planes,
      LiveEngines engines) {
    this.engines = engines;
    this.log = new RequestLog(rows.size());
    this.observer = new FleetObserver(log, controller.clock());
    this.gateway = new SimulatedGateway(environment, config, new FleetSeams() {}, planes, observer);
    RandomSource chance = RandomSource.seeded(config.seed());
    this.traffic =
        new FleetTraffic(
            config,
            rows,
            progress,
            controller,
            this,
            log,
            chance.split("kills"),
            chance.split("victims"));
  }

  /** Begins; the result comes once each stream has ended. */
  public void begin() {
    traffic.begin();
    traffic.scheduleKills();
  }

  public CompletionStage<FleetResult> result() {
    return result;
  }

  /** Notes what an engine found cached of a request that it took on. */
  public void admitted(int row, int cachedTokens) {
    if (row >= 0 && row < log.size()) {
      observer.admitted(Integer.toString(row), cachedTokens, 0, 0);
    }
  }

  /** Ends a run that cannot go on. */
  public void fail(Throwable failure) {
    result.completeExceptionally(failure);
  }

  @Override
  public ResponseStream<LLMEngineOutput> answer(PreprocessedRequest request) {
    return gateway.migrator().migrate(request);
  }

  @Override
  public void kill(RandomSource victims, KillReport report) {
    engines.kill(victims.nextLong(), report);
  }

  @Override
  public void start(int position) {
    if (!result.isDone()) {
      engines.start(position);
    }
  }

  @Override
  public void isQuiet() {
    engines.flush(() -> result.complete(traffic.result(observer, traffic.delivered(), 0)));
  }

  /** Ends the gateway, but not the planes. */
  @Override
  public void close() {
    gateway.close();
  }
}
