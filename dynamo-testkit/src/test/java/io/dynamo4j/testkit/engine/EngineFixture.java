// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.SamplingOptions;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.testkit.simulation.Mode;
import io.dynamo4j.testkit.simulation.SimulatedNode;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;

/** One engine on one simulated node, everything it says written down, invariants always checked. */
final class EngineFixture {
  final Simulation simulation;
  final SimulatedNode node;
  final MockEngine engine;
  final List<KvCacheEvent> events = new ArrayList<>();
  final List<String> log = new ArrayList<>();

  EngineFixture(MockEngineConfig config) {
    this(config, 1, Mode.REFERENCE);
  }

  EngineFixture(MockEngineConfig config, long seed, Mode mode) {
    simulation = Simulation.builder().seed(seed).mode(mode).build();
    node = simulation.node("worker");
    engine =
        MockEngine.builder()
            .lane(node.lane("engine"))
            .config(config)
            .stepStarter(node::atEndOfInstant)
            .eventSink(events::addAll)
            .listener(new Log())
            .build();
    simulation.afterEachEvent(engine::checkInvariants);
  }

  static MockEngineConfig.Builder smallConfig() {
    return MockEngineConfig.builder().blockSize(4).capacityBlocks(64).maxBatchedTokens(64);
  }

  static PreprocessedRequest request(String id, int[] prompt, long seed, int maxTokens) {
    return PreprocessedRequest.builder(id, TokenSlice.of(prompt))
        .samplingOptions(SamplingOptions.builder().seed(seed).build())
        .stopConditions(StopConditions.builder().maxTokens(maxTokens).build())
        .build();
  }

  /** A prompt whose tokens tell where it came from. */
  static int[] prompt(int first, int length) {
    int[] tokens = new int[length];
    for (int i = 0; i < length; i++) {
      tokens[i] = first + i;
    }
    return tokens;
  }

  RecordingSink send(PreprocessedRequest request) {
    RecordingSink sink = new RecordingSink();
    engine.handle(request.requestId(), request, sink);
    return sink;
  }

  /** Sends one request and runs until nothing is left to do. */
  RecordingSink serve(PreprocessedRequest request) {
    RecordingSink sink = send(request);
    simulation.run();
    return sink;
  }

  private final class Log implements EngineListener {
    @Override
    public void admitted(String requestId, int cachedTokens, int promptTokens, long nanos) {
      log.add("admitted " + requestId + " " + cachedTokens + "/" + promptTokens);
    }

    @Override
    public void firstToken(String requestId, long nanos) {
      log.add("first " + requestId);
    }

    @Override
    public void preempted(String requestId, int generatedTokens, long nanos) {
      log.add("preempted " + requestId + " " + generatedTokens);
    }

    @Override
    public void resumed(String requestId, int cachedTokens, int contextTokens, long nanos) {
      log.add("resumed " + requestId + " " + cachedTokens + "/" + contextTokens);
    }

    @Override
    public void finished(String requestId, FinishReason reason, int generatedTokens, long nanos) {
      log.add("finished " + requestId + " " + reason + " " + generatedTokens);
    }
  }
}
