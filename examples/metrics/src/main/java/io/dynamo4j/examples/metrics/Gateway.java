// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.metrics;

import io.dynamo4j.blocking.BlockingResponses;
import io.dynamo4j.blocking.Gate;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.kvrouter.KvDispatcher;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.KvRouterConfig;
import io.dynamo4j.kvrouter.LoadMonitor;
import io.dynamo4j.micrometer.IndexerMetrics;
import io.dynamo4j.micrometer.MigrationMetrics;
import io.dynamo4j.micrometer.RouterMetrics;
import io.dynamo4j.micrometer.WorkerMetrics;
import io.dynamo4j.migration.MigrationOptions;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;

/** A migrator and a router over five workers in this process, metered. */
final class Gateway implements AutoCloseable {
  private static final int WORKERS = 5;
  private static final int BLOCK_SIZE = 2;
  private static final TokenSlice PROMPT = TokenSlice.of(1, 2, 3, 4);

  private final RealEnvironment threads = RealEnvironment.create();
  private final MortalWorkers workers = new MortalWorkers();
  private final MigrationOptions options;
  private final Migrator<PreprocessedRequest, LLMEngineOutput> migrator;
  private final LoadMonitor loadMonitor;
  private final KvIndexer indexer;
  private final KvRouter router;
  private final WorkerMetrics workerMetrics;
  private int requests;

  /**
   * Starts the workers.
   *
   * @param metrics hears the migrator
   * @param registry shows router, index and workers
   * @param model that the workers serve
   */
  Gateway(
      MigrationOptions options, MigrationMetrics metrics, MeterRegistry registry, String model) {
    Environment environment = threads.environment();
    var directory = InMemoryWorkerDirectory.create();
    var plane = InMemoryRequestPlane.<PreprocessedRequest, LLMEngineOutput>create(environment);
    for (long id = 1; id <= WORKERS; id++) {
      WorkerInstance worker =
          WorkerInstance.builder(id, InMemoryRequestPlane.address("worker-" + id)).build();
      plane.serve(worker, workers);
      directory.register(worker);
    }
    this.options = options;
    this.loadMonitor = LoadMonitor.create(threads.environment().lanes().lane("loads").clock());
    KvRouterConfig routing = KvRouterConfig.builder().useKvEvents(false).build();
    this.indexer = routing.indexer().environment(environment).blockSize(BLOCK_SIZE).build();
    RouterMetrics routerMetrics = RouterMetrics.builder(registry).model(model).build();
    this.router =
        KvRouter.builder()
            .environment(environment)
            .directory(directory)
            .config(routing)
            .indexer(indexer)
            .loadMonitor(loadMonitor)
            .listener(routerMetrics)
            .build();
    routerMetrics.observe(router);
    IndexerMetrics.bind(registry, indexer);
    this.workerMetrics =
        routerMetrics.observeWorkers(router, directory, environment.lanes().lane("metrics"));
    this.migrator =
        Migrator.builder()
            .limit(options.limit())
            .adapter(ReplayAdapter.preprocessed())
            .dispatcher(KvDispatcher.builder().router(router).requestPlane(plane).build())
            .environment(environment)
            .listener(metrics)
            .build();
    metrics.observe(migrator);
  }

  MortalWorkers workers() {
    return workers;
  }

  /** Returns who knows which workers are too busy. */
  LoadMonitor loadMonitor() {
    return loadMonitor;
  }

  /** Asks for an answer, waits for its end and returns its tokens. */
  List<Integer> ask(String model, int maxTokens) {
    PreprocessedRequest request =
        PreprocessedRequest.builder("request-" + ++requests, PROMPT)
            .model(model)
            .stopConditions(StopConditions.builder().maxTokens(maxTokens).build())
            .build();
    List<Integer> tokens = new ArrayList<>();
    Gate gate = Gate.over(threads.environment());
    try (var answer = BlockingResponses.builder(migrator.migrate(request, options), gate).open()) {
      answer.forEachRemaining(
          item -> {
            for (int i = 0; i < item.tokenIds().length(); i++) {
              tokens.add(item.tokenIds().get(i));
            }
          });
    }
    return tokens;
  }

  @Override
  public void close() {
    migrator.close();
    workerMetrics.close();
    router.close();
    indexer.close();
    threads.close();
  }
}
