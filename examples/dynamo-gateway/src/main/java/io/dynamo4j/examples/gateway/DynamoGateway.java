// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.gateway;

import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.discovery.FileDiscovery;
import io.dynamo4j.indexer.DurableSources;
import io.dynamo4j.indexer.IndexReadiness;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.Readiness;
import io.dynamo4j.indexer.ReadinessPolicy;
import io.dynamo4j.indexer.durable.DurableLogWatch;
import io.dynamo4j.kvrouter.KvDispatcher;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.LoadMonitor;
import io.dynamo4j.kvrouter.RouterHealth;
import io.dynamo4j.kvrouter.WorkerLoadFeed;
import io.dynamo4j.migration.Migrator;
import io.dynamo4j.migration.ReplayAdapter;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.PlaneSelection;
import io.dynamo4j.plane.RequestDispatcher;
import io.dynamo4j.plane.ResponseStream;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerHealth;
import io.dynamo4j.transport.nats.DurableStreamConfig;
import io.dynamo4j.transport.nats.NatsDurableLog;
import io.dynamo4j.transport.nats.NatsTransport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A KV-aware gateway in front of a Dynamo fleet that stays as it is: workers are found through
 * files, their caches are restored and followed over ZMQ or NATS, requests go out to the worker
 * that holds most of their prefix, and a stream goes on elsewhere when its worker dies.
 */
public final class DynamoGateway implements AutoCloseable {
  private static final double ENOUGH_SOURCES = 0.8;
  private static final Duration LONGEST_START = Duration.ofSeconds(10);

  private final RealEnvironment threads = RealEnvironment.create();
  private final Environment environment = threads.environment();
  private final FileDiscovery discovery;
  private final Planes planes;
  private final KvIndexer indexer;
  private final KvEventFeed feed;
  private final IndexReadiness readiness;
  private final WorkerLoadFeed loads;
  private final DurableSources durable = DurableSources.create(false);
  private final @Nullable NatsDurableLog log;
  private final @Nullable DurableLogWatch watch;
  private final KvRouter router;
  private final RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher;
  private final Migrator<PreprocessedRequest, LLMEngineOutput> migrator;

  private DynamoGateway(
      PlaneSelection selection,
      Map<String, String> variables,
      Path root,
      EventScope.Endpoint endpoint,
      int blockSize) {
    discovery =
        FileDiscovery.builder(environment, root)
            .namespace(endpoint.namespace())
            .component(endpoint.component())
            .endpoint(endpoint.endpoint())
            .build();
    planes = new Planes(selection, variables, environment, discovery.eventChannels());
    indexer = KvIndexer.builder().environment(environment).blockSize(blockSize).build();
    feed =
        KvEventFeed.builder()
            .eventPlane(planes.events(), endpoint)
            .directory(discovery.workers())
            .indexer(indexer)
            .environment(environment)
            .recovery(planes.queries(), discovery::recoveryTarget)
            .connect();
    readiness =
        IndexReadiness.watch(
            feed, ReadinessPolicy.fraction(ENOUGH_SOURCES, LONGEST_START), environment);
    // Who writes to a durable stream and is not heard live is named by the router's health.
    NatsTransport nats = planes.nats();
    log =
        nats == null
            ? null
            : NatsDurableLog.observe(
                nats,
                DurableStreamConfig.builder(endpoint.namespace(), endpoint.component()).build());
    watch =
        log == null
            ? null
            : DurableLogWatch.start(
                log, planes.events(), endpoint, discovery.workers(), durable, environment);
    LoadMonitor monitor = LoadMonitor.create(environment.lanes().lane("load").clock());
    loads =
        WorkerLoadFeed.connect(
            monitor,
            discovery.workers(),
            planes.events(),
            endpoint,
            environment.lanes().lane("worker-loads"));
    WorkerHealth health = WorkerHealth.create(environment.lanes().lane("health").clock());
    router =
        KvRouter.builder()
            .environment(environment)
            .directory(discovery.workers())
            .indexer(indexer)
            .loadMonitor(monitor)
            .health(health)
            .durableSources(durable)
            .build();
    dispatcher = KvDispatcher.builder().router(router).requestPlane(planes.requests()).build();
    migrator =
        Migrator.builder()
            .limit(3)
            .maxSeqLen(8192)
            .adapter(ReplayAdapter.preprocessed())
            .dispatcher(dispatcher)
            .health(health)
            .environment(environment)
            .build();
  }

  /**
   * Joins a fleet over Dynamo's default planes.
   *
   * @param root the folder of its file backend, {@code DYN_FILE_KV}
   * @param endpoint what its workers serve, such as {@code dynamo.backend.generate}
   * @param blockSize tokens a KV block, as the workers have it
   */
  public static DynamoGateway join(Path root, EventScope.Endpoint endpoint, int blockSize) {
    return join(PlaneSelection.ofDefaults(), Map.of(), root, endpoint, blockSize);
  }

  /**
   * Joins a fleet over the planes that it uses.
   *
   * @param variables those of the process, {@code NATS_SERVER} among them
   */
  public static DynamoGateway join(
      PlaneSelection selection,
      Map<String, String> variables,
      Path root,
      EventScope.Endpoint endpoint,
      int blockSize) {
    return new DynamoGateway(selection, variables, root, endpoint, blockSize);
  }

  /**
   * Returns when enough of the workers' caches is known to take traffic, or is not to be had within
   * ten seconds.
   */
  public CompletionStage<Readiness> whenReady() {
    return readiness.whenReady();
  }

  /** Returns the answer to a request, whichever workers it takes. */
  public ResponseStream<LLMEngineOutput> answer(PreprocessedRequest request) {
    return migrator.migrate(request);
  }

  /** Returns the dispatcher below the migrator: one attempt, on one worker. */
  public RequestDispatcher<PreprocessedRequest, LLMEngineOutput> dispatcher() {
    return dispatcher;
  }

  public Environment environment() {
    return environment;
  }

  public WorkerDirectory workers() {
    return discovery.workers();
  }

  /** Returns how many blocks the workers are known to hold. */
  public long knownBlocks() {
    return indexer.status().blocks();
  }

  /** Returns what is wrong around the router, ranks that write to a stream unheard among it. */
  public RouterHealth health() {
    return router.health();
  }

  @Override
  public void close() {
    migrator.close();
    router.close();
    loads.close();
    if (watch != null && log != null) {
      watch.close();
      log.close();
    }
    readiness.close();
    feed.close();
    indexer.close();
    planes.close();
    discovery.close();
    threads.close();
  }
}
