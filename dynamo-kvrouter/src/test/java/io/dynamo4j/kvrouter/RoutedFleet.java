// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.CompletionUsage;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.engine.EngineListener;
import io.dynamo4j.testkit.engine.MockEngine;
import io.dynamo4j.testkit.engine.MockEngineConfig;
import io.dynamo4j.testkit.simulation.Mode;
import io.dynamo4j.testkit.simulation.SimulatedNode;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Flow;

/** Mock engines behind a dispatcher, in virtual time, with their events fed into a real index. */
final class RoutedFleet {
  final Simulation simulation;
  final InMemoryRequestPlane<PreprocessedRequest, LLMEngineOutput> plane;
  final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  final KvIndexer indexer;
  final Environment gateway;
  private final List<MockEngine> engines = new ArrayList<>();
  private final Map<String, CompletionUsage> usages = new LinkedHashMap<>();
  private long cachedTokens;
  private long promptTokens;
  private double firstTokenMillis;
  private int completed;
  private int submitted;

  RoutedFleet(int workers, MockEngineConfig config, long seed) {
    this.simulation =
        Simulation.builder().seed(seed).mode(Mode.REFERENCE).maxEvents(Long.MAX_VALUE).build();
    this.gateway = simulation.environment("gateway");
    this.plane = InMemoryRequestPlane.create(gateway);
    this.indexer = KvIndexer.builder().environment(gateway).blockSize(config.blockSize()).build();
    for (int id = 1; id <= workers; id++) {
      engines.add(start(id, config));
    }
  }

  private MockEngine start(long id, MockEngineConfig config) {
    SimulatedNode node = simulation.node("worker-" + id);
    MockEngine engine =
        MockEngine.builder()
            .lane(node.lane("engine"))
            .config(config)
            .stepStarter(node::atEndOfInstant)
            .eventSink(events -> submit(id, events))
            .listener(new Recorder())
            .build();
    WorkerInstance instance = RouterFixture.instance(id).kvBlockSize(config.blockSize()).build();
    plane.serve(instance, node.lane("serve"), reporting(engine));
    directory.register(instance);
    return engine;
  }

  /** Adds to the last item what the engine found in its cache, as engines do. */
  private RequestHandler<PreprocessedRequest, LLMEngineOutput> reporting(MockEngine engine) {
    return (requestId, request, sink) ->
        engine.handle(
            requestId,
            request,
            new ItemSink(
                sink, item -> item.finishReason() == null ? item : reported(requestId, item)));
  }

  private LLMEngineOutput reported(String requestId, LLMEngineOutput item) {
    return item.withUsage(Objects.requireNonNull(usages.get(requestId)));
  }

  MockEngine engine(int position) {
    return engines.get(position);
  }

  private void submit(long workerId, List<KvCacheEvent> events) {
    for (KvCacheEvent event : events) {
      indexer.submit(RouterEvent.of(workerId, StorageTier.DEVICE, event));
    }
  }

  KvRouter router(KvRouterConfig config) {
    return KvRouter.builder()
        .environment(gateway)
        .directory(directory)
        .indexer(indexer)
        .config(config)
        .build();
  }

  KvRouter router(KvPolicy policy) {
    return KvRouter.builder()
        .environment(gateway)
        .directory(directory)
        .indexer(indexer)
        .policy(policy)
        .build();
  }

  RequestDispatcher<PreprocessedRequest, LLMEngineOutput> kv(KvRouter router) {
    return KvDispatcher.builder().router(router).requestPlane(plane).build();
  }

  RequestDispatcher<PreprocessedRequest, LLMEngineOutput> pool(PoolPolicy policy) {
    return PoolDispatcher.builder()
        .policy(policy)
        .directory(directory)
        .requestPlane(plane)
        .environment(gateway)
        .build();
  }

  /** Dispatches a request at a point of virtual time. */
  void arrive(
      long nanos,
      PreprocessedRequest request,
      RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher) {
    submitted++;
    simulation
        .controller()
        .schedule(
            () -> {
              Attempt attempt =
                  Attempt.builder(request.requestId(), simulation.node("gateway").lane("request"))
                      .build();
              dispatcher.dispatch(request, attempt).subscribe(new Reader(nanos));
            },
            nanos - simulation.nowNanos());
  }

  void run() {
    simulation.run();
    engines.forEach(MockEngine::checkInvariants);
  }

  /** Returns prompt tokens found in cache, of all prompt tokens. */
  double hitRate() {
    return (double) cachedTokens / promptTokens;
  }

  double meanTimeToFirstTokenMillis() {
    return firstTokenMillis / completed;
  }

  boolean isEverythingCompleted() {
    return completed == submitted;
  }

  private final class Recorder implements EngineListener {
    @Override
    public void admitted(String requestId, int cached, int prompt, long nanos) {
      cachedTokens += cached;
      usages.put(requestId, new CompletionUsage(prompt, 1, cached));
      promptTokens += prompt;
    }
  }

  private final class Reader implements Flow.Subscriber<LLMEngineOutput> {
    private final long arrival;
    private boolean started;

    Reader(long arrival) {
      this.arrival = arrival;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(LLMEngineOutput item) {
      if (!started) {
        started = true;
        firstTokenMillis += (simulation.nowNanos() - arrival) / 1e6;
      }
    }

    @Override
    public void onError(Throwable failure) {
      throw new AssertionError("request failed", failure);
    }

    @Override
    public void onComplete() {
      completed++;
    }
  }
}
