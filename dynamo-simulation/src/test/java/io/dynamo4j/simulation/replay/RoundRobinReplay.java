// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.replay;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.simulation.trace.PromptTokens;
import io.dynamo4j.simulation.trace.TraceReader;
import io.dynamo4j.simulation.trace.TraceRow;
import io.dynamo4j.testkit.engine.EngineListener;
import io.dynamo4j.testkit.engine.MockEngine;
import io.dynamo4j.testkit.engine.MockEngineConfig;
import io.dynamo4j.testkit.simulation.Mode;
import io.dynamo4j.testkit.simulation.SimulatedNode;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.List;

/** Engines driven directly, row {@code i} to engine {@code i mod n}: no planes, no router. */
final class RoundRobinReplay {
  private final List<TraceRow> rows;
  private final double speedup;
  private final Simulation simulation =
      Simulation.builder().mode(Mode.REFERENCE).maxEvents(Long.MAX_VALUE).build();
  private final Scheduler controller = simulation.controller();
  private final MockEngine[] engines;
  private final PromptTokens prompts = PromptTokens.of(TraceReader.MOONCAKE_BLOCK_SIZE);
  private int nextRow;

  final int[] reusedTokens;
  final long[] firstTokenNanos;
  final long[] lastTokenNanos;
  final int[] deliveredTokens;
  long completedStreams;

  RoundRobinReplay(List<TraceRow> rows, int workers, double speedup, MockEngineConfig config) {
    this.rows = rows;
    this.speedup = speedup;
    this.engines = new MockEngine[workers];
    this.reusedTokens = new int[rows.size()];
    this.firstTokenNanos = new long[rows.size()];
    this.lastTokenNanos = new long[rows.size()];
    this.deliveredTokens = new int[rows.size()];
    for (int i = 0; i < workers; i++) {
      SimulatedNode node = simulation.node("worker-" + i);
      engines[i] =
          MockEngine.builder()
              .lane(node.lane("engine"))
              .config(config)
              .stepStarter(node::atEndOfInstant)
              .listener(new Recorder())
              .build();
    }
  }

  void run() {
    scheduleArrival();
    simulation.run();
    for (MockEngine engine : engines) {
      engine.checkInvariants();
    }
  }

  long eventCount() {
    return simulation.eventCount();
  }

  double meanTimeToFirstTokenMillis() {
    double sum = 0;
    for (int i = 0; i < rows.size(); i++) {
      sum += (firstTokenNanos[i] - rows.get(i).arrivalNanos(speedup)) / 1e6;
    }
    return sum / rows.size();
  }

  /** One pending arrival at a time keeps the event queue as small as the fleet is busy. */
  private void scheduleArrival() {
    if (nextRow < rows.size()) {
      long due = rows.get(nextRow).arrivalNanos(speedup);
      controller.schedule(this::arrive, due - simulation.nowNanos());
    }
  }

  private void arrive() {
    int index = nextRow++;
    TraceRow row = rows.get(index);
    String requestId = Integer.toString(index);
    PreprocessedRequest request =
        PreprocessedRequest.builder(requestId, prompts.prompt(row, index))
            .samplingOptions(SamplingOptions.builder().seed(index).build())
            .stopConditions(StopConditions.builder().maxTokens(row.outputLength()).build())
            .build();
    engines[index % engines.length].handle(requestId, request, new Counter(index));
    scheduleArrival();
  }

  private final class Recorder implements EngineListener {
    @Override
    public void admitted(String requestId, int cachedTokens, int promptTokens, long nanos) {
      reusedTokens[Integer.parseInt(requestId)] = cachedTokens;
    }

    @Override
    public void firstToken(String requestId, long nanos) {
      firstTokenNanos[Integer.parseInt(requestId)] = nanos;
    }
  }

  /** Counts what one stream delivers. */
  private final class Counter implements ResponseSink<LLMEngineOutput> {
    private final int index;

    Counter(int index) {
      this.index = index;
    }

    @Override
    public void onCancel(Runnable action) {}

    @Override
    public void open() {}

    @Override
    public boolean next(LLMEngineOutput item) {
      deliveredTokens[index] += item.tokenIds().length();
      return true;
    }

    @Override
    public void complete() {
      completedStreams++;
      lastTokenNanos[index] = simulation.nowNanos();
    }

    @Override
    public void fail(DynamoException error) {
      throw error;
    }
  }
}
