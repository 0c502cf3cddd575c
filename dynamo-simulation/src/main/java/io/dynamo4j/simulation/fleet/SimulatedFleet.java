// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.kvrouter.KvDispatcher;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.KvRouterConfig;
import io.dynamo4j.kvrouter.PoolDispatcher;
import io.dynamo4j.kvrouter.PoolPolicy;
import io.dynamo4j.migration.MigrationOptions;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.MigratorBuilder;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.migration.event.MigrationListener;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.WorkerHealth;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.engine.EngineListener;
import io.dynamo4j.testkit.engine.MockEngineConfig;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The library's own classes, from migrator to index, between simulated clients and simulated
 * workers.
 */
public final class SimulatedFleet {
  private final FleetConfig config;
  private final FleetSeams seams;
  private final FleetPlanes planes;
  private final Environment gateway;
  private final WorkerHealth health;
  private final List<SimulatedWorker> workers = new ArrayList<>();
  private final Migrator<PreprocessedRequest, LLMEngineOutput> migrator;
  private @Nullable KvIndexer indexer;
  private @Nullable KvRouter router;

  /**
   * Wires a fleet and starts every worker.
   *
   * @param engineListener what hears the engine at each position
   * @param migrationListener hears the gateway's migrator
   */
  public SimulatedFleet(
      Simulation simulation,
      FleetConfig config,
      FleetSeams seams,
      IntFunction<EngineListener> engineListener,
      MigrationListener migrationListener) {
    this.config = config;
    this.seams = seams;
    this.gateway = seams.gateway(simulation.environment("gateway"));
    InMemoryRequestPlane<PreprocessedRequest, LLMEngineOutput> serving =
        InMemoryRequestPlane.create(simulation.environment("network"));
    this.planes =
        new FleetPlanes(
            serving,
            seams.requests(serving),
            seams.events(InMemoryEventPlane.create(simulation.environment("network"))),
            InMemoryWorkerDirectory.create());
    Scheduler clockLane = gateway.lanes().lane("health");
    this.health = WorkerHealth.create(clockLane.clock());
    MockEngineConfig engineConfig =
        MockEngineConfig.builder()
            .blockSize(config.blockSize())
            .capacityBlocks(config.blocks())
            .build();
    for (int position = 0; position < config.workers(); position++) {
      workers.add(
          new SimulatedWorker(
              position, simulation, planes, engineConfig, engineListener.apply(position)));
    }
    RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher = dispatcher();
    workers.forEach(SimulatedWorker::start);
    this.migrator =
        migratorOptions()
            .adapter(seams.adapter(ReplayAdapter.preprocessed()))
            .dispatcher(seams.dispatcher(dispatcher))
            .environment(gateway)
            .health(health)
            .directory(planes.directory())
            .listener(migrationListener)
            .build();
  }

  private MigratorBuilder migratorOptions() {
    MigrationOptions.Builder options =
        MigrationOptions.builder()
            .limit(config.migrationLimit())
            .stallTimeout(Duration.ofNanos(config.stallTimeoutNanos()));
    if (config.migrationMaxSeqLen() != FleetConfig.UNLIMITED) {
      options.maxSeqLen(config.migrationMaxSeqLen());
    }
    config.patience().applyTo(options);
    return Migrator.builder().options(options.build()).policy(config.patience().policy());
  }

  private RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher() {
    return switch (config.policy()) {
      case KV -> kvDispatcher(KvRouterConfig.ofDefaults());
      case KV_APPROXIMATE -> kvDispatcher(KvRouterConfig.builder().useKvEvents(false).build());
      case ROUND_ROBIN -> poolDispatcher(PoolPolicy.ROUND_ROBIN);
      case RANDOM -> poolDispatcher(PoolPolicy.RANDOM);
      case LEAST_LOADED -> poolDispatcher(PoolPolicy.LEAST_LOADED);
    };
  }

  private RequestDispatcher<PreprocessedRequest, LLMEngineOutput> poolDispatcher(
      PoolPolicy policy) {
    return PoolDispatcher.builder()
        .policy(policy)
        .directory(planes.directory())
        .health(health)
        .requestPlane(planes.requests())
        .environment(gateway)
        .build();
  }

  private RequestDispatcher<PreprocessedRequest, LLMEngineOutput> kvDispatcher(
      KvRouterConfig routing) {
    KvIndexer index =
        seams.indexer(routing.indexer().environment(gateway).blockSize(config.blockSize()).build());
    if (routing.useKvEvents()) {
      KvEventFeed.connect(planes.events(), FleetPlanes.SCOPE, planes.directory(), index, gateway);
    }
    KvRouter kvRouter =
        KvRouter.builder()
            .environment(gateway)
            .config(routing)
            .indexer(index)
            .directory(planes.directory())
            .health(health)
            .tracker(seams.tracker(ActiveBlockTracker.create(config.seed())))
            .build();
    this.indexer = index;
    this.router = kvRouter;
    return KvDispatcher.builder().router(kvRouter).requestPlane(planes.requests()).build();
  }

  /** Returns the answer to one request as a client of the gateway gets it. */
  public ResponseStream<LLMEngineOutput> answer(PreprocessedRequest request) {
    return seams.answer(request, migrator.migrate(request));
  }

  public Migrator<PreprocessedRequest, LLMEngineOutput> migrator() {
    return migrator;
  }

  /** Returns every place in the fleet, alive or dead. */
  public List<SimulatedWorker> workers() {
    return Collections.unmodifiableList(workers);
  }

  /** Returns the index, or null where the policy needs none. */
  public @Nullable KvIndexer indexer() {
    return indexer;
  }

  /** Returns the router, or null where the policy needs none. */
  public @Nullable KvRouter router() {
    return router;
  }

  public WorkerHealth health() {
    return health;
  }
}
