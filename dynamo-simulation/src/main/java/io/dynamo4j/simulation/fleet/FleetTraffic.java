// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.simulation.oracle.TokenChecker;
import io.dynamo4j.simulation.trace.PromptTokens;
import io.dynamo4j.simulation.trace.TraceReader;
import io.dynamo4j.simulation.trace.TraceRow;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Clients and killer of one run: sends each row of a trace at its time, checks every token that
 * comes back, and lets workers die meanwhile.
 *
 * <p>A prompt's tokens are made when its request arrives and belong to nobody once it has ended.
 *
 * <p><b>Lanes.</b> Everything on the controller's, and streams' ends on whichever lane they come:
 * one thread runs all of them.
 */
final class FleetTraffic {
  private static final long AFTER_ARRIVAL_NANOS = 10_000_000;

  private final FleetConfig config;
  private final List<TraceRow> rows;
  private final IntConsumer progress;
  private final Scheduler controller;
  private final LoadedFleet fleet;
  private final RequestLog log;
  private final TokenSums sums = new TokenSums();
  private final List<FleetResult.Kill> kills = new ArrayList<>();
  private final KillPlan killPlan;
  private final RandomSource victims;
  private final PromptTokens prompts = PromptTokens.of(TraceReader.MOONCAKE_BLOCK_SIZE);
  private int openRequests;
  private int arrived;
  private int next;
  private int waitingKills;

  /**
   * Prepares the traffic of a run.
   *
   * @param controller its clock begins at 0
   * @param killTimes when workers die is drawn from it
   * @param victims which ones
   */
  FleetTraffic(
      FleetConfig config,
      List<TraceRow> rows,
      IntConsumer progress,
      Scheduler controller,
      LoadedFleet fleet,
      RequestLog log,
      RandomSource killTimes,
      RandomSource victims) {
    this.config = config;
    this.rows = rows;
    this.progress = progress;
    this.controller = controller;
    this.fleet = fleet;
    this.log = log;
    this.victims = victims;
    long[] arrivals =
        rows.stream().mapToLong(row -> row.arrivalNanos(config.arrivalSpeedup())).toArray();
    this.killPlan = KillPlan.of(arrivals, config.killEvery(), config.arrivalSpeedup(), killTimes);
  }

  /** Schedules the first arrivals. */
  void begin() {
    int together = Math.max(1, Math.min(config.conditions().concurrency(), rows.size()));
    for (next = 0; next < together; next++) {
      scheduleArrival(next);
    }
  }

  /** Schedules every kill. */
  void scheduleKills() {
    for (int i = 0; i < killPlan.size(); i++) {
      controller.schedule(this::kill, killPlan.atNanos(i) - controller.clock().nanoTime());
    }
  }

  int openRequests() {
    return openRequests;
  }

  /** Returns how many tokens have been delivered. */
  long delivered() {
    return sums.totals().delivered();
  }

  /**
   * Returns what the run came to.
   *
   * @param observer what was seen between clients and engines
   * @param events what the run counts as such
   * @param traceHash of the order of what happened, 0 where chance has a part in it
   */
  FleetResult result(FleetObserver observer, long events, long traceHash) {
    return new FleetResult(
        config,
        log,
        kills,
        observer.migrations(),
        sums.totals(),
        observer.newRequestMigrations(),
        observer.ongoingMigrations(),
        observer.continuationReusedTokens(),
        events,
        controller.clock().nanoTime(),
        traceHash);
  }

  /** Notes a death that was not drawn. */
  void died(int position, int openStreams) {
    kills.add(new FleetResult.Kill(controller.clock().nanoTime(), position, openStreams));
  }

  private void scheduleArrival(int row) {
    if (row < rows.size()) {
      long delay =
          isClosedLoop()
              ? 0
              : rows.get(row).arrivalNanos(config.arrivalSpeedup()) - controller.clock().nanoTime();
      controller.schedule(() -> arrive(row), delay);
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
      fleet.isQuiet();
    }
  }

  private void arrive(int row) {
    TraceRow arriving = rows.get(row);
    TokenSlice tokens = prompts.prompt(arriving, row);
    int outputLength = Math.max(1, arriving.outputLength());
    long seed = config.seed() + row;
    log.arrived(row, controller.clock().nanoTime(), tokens.length());
    TokenChecker checker = TokenChecker.create(seed, tokens, outputLength);
    openRequests++;
    fleet
        .answer(request(row, tokens, outputLength, seed))
        .subscribe(new ClientStream(row, checker, log, controller.clock(), sums, this::ended));
    progress.accept(++arrived);
    for (; waitingKills > 0; waitingKills--) {
      controller.schedule(this::kill, AFTER_ARRIVAL_NANOS);
    }
    if (!isClosedLoop()) {
      scheduleArrival(row + 1);
    }
  }

  private static PreprocessedRequest request(
      int row, TokenSlice tokens, int outputLength, long seed) {
    return PreprocessedRequest.builder(Integer.toString(row), tokens)
        .model("mock")
        .stopConditions(StopConditions.builder().maxTokens(outputLength).ignoreEos(true).build())
        .samplingOptions(SamplingOptions.builder().seed(seed).build())
        .build();
  }

  /** Kills a worker that has an open stream; without one the kill waits for the next arrival. */
  private void kill() {
    fleet.kill(
        victims,
        new KillReport() {
          @Override
          public void killed(int position, int openStreams) {
            died(position, openStreams);
            controller.schedule(() -> fleet.start(position), config.downNanos());
          }

          @Override
          public void spared() {
            waitingKills++;
          }
        });
  }
}
