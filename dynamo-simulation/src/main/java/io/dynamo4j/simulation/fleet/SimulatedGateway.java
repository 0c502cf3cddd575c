// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.kvrouter.KvDispatcher;
import io.dynamo4j.kvrouter.KvPolicy;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.KvRouterBuilder;
import io.dynamo4j.kvrouter.KvRouterConfig;
import io.dynamo4j.kvrouter.PoolDispatcher;
import io.dynamo4j.kvrouter.PoolPolicy;
import io.dynamo4j.migration.MigrationOptions;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.MigratorBuilder;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.migration.event.MigrationListener;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.WorkerHealth;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One process that takes requests: migration, and routing with an index of its own. */
final class SimulatedGateway {
  private final FleetConfig config;
  private final FleetSeams seams;
  private final GatewayPlanes planes;
  private final Environment gateway;
  private final WorkerHealth health;
  private final Migrator<PreprocessedRequest, LLMEngineOutput> migrator;
  private @Nullable KvIndexer indexer;
  private @Nullable KvRouter router;
  private @Nullable KvEventFeed feed;

  SimulatedGateway(
      Environment gateway,
      FleetConfig config,
      FleetSeams seams,
      GatewayPlanes planes,
      MigrationListener migrationListener) {
    this.config = config;
    this.seams = seams;
    this.planes = planes;
    this.gateway = gateway;
    this.health = WorkerHealth.create(gateway.lanes().lane("health").clock());
    RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher = dispatcher();
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

  Migrator<PreprocessedRequest, LLMEngineOutput> migrator() {
    return migrator;
  }

  @Nullable KvIndexer indexer() {
    return indexer;
  }

  @Nullable KvRouter router() {
    return router;
  }

  WorkerHealth health() {
    return health;
  }

  /** Leaves the other routers, whose timers would go on for ever. */
  void leave() {
    if (router != null) {
      router.close();
    }
  }

  /** Ends everything of its own, but not the planes. */
  void close() {
    migrator.close();
    leave();
    if (feed != null) {
      feed.close();
    }
    if (indexer != null) {
      indexer.close();
    }
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
      case KV, KV_PREDICTED -> kvDispatcher(KvRouterConfig.ofDefaults());
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
      feed = planes.connect(index, gateway);
    }
    KvRouterBuilder builder =
        KvRouter.builder()
            .environment(gateway)
            .config(routing)
            .policy(
                config.policy() == FleetPolicy.KV_PREDICTED ? KvPolicy.KV_PREDICTED : KvPolicy.KV)
            .indexer(index)
            .directory(planes.directory())
            .health(health)
            .tracker(seams.tracker(ActiveBlockTracker.create(config.seed())));
    FleetConditions conditions = config.conditions();
    if (conditions.routers() > 1 && conditions.syncDelayNanos() >= 0) {
      builder.replicaSync(planes.events(), FleetPlanes.SCOPE);
    }
    if (config.learnsSpeeds()) {
      builder.learnSpeeds();
    }
    KvRouter kvRouter = builder.build();
    this.indexer = index;
    this.router = kvRouter;
    return KvDispatcher.builder().router(kvRouter).requestPlane(planes.requests()).build();
  }
}
