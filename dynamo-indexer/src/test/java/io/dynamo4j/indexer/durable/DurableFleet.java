// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.durable.ModelCache;
import io.dynamo4j.testkit.durable.SimulatedLogServer;
import io.dynamo4j.testkit.durable.SimulatedLogSettings;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Workers, routers and a log in virtual time, with everything that may befall them. */
final class DurableFleet {
  static final long SECOND = 1_000_000_000L;
  static final int BLOCK_SIZE = 16;
  private static final int WORKERS = 3;
  private static final int ROUTERS = 3;

  final Simulation simulation;
  final SimulatedLogServer server;
  final RandomSource random;
  final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  final List<Worker> workers = new ArrayList<>();
  final List<Router> routers = new ArrayList<>();
  final Map<DurableFeedCounter, Long> feedCounts = new EnumMap<>(DurableFeedCounter.class);
  final Map<DurableWriterCounter, Long> writerCounts = new EnumMap<>(DurableWriterCounter.class);
  private final UnaryOperator<DurableEventLog> planted;
  private String component = "backend";
  private boolean working = true;

  DurableFleet(long seed, SimulatedLogSettings settings, UnaryOperator<DurableEventLog> planted) {
    this.planted = planted;
    this.simulation = Simulation.builder().seed(seed).maxExecuteJitterNanos(500_000).build();
    this.random = simulation.random("fleet");
    this.server = SimulatedLogServer.start(simulation, "log", settings);
    for (int i = 0; i < WORKERS; i++) {
      workers.add(new Worker(i + 1));
    }
    for (int i = 0; i < ROUTERS; i++) {
      routers.add(new Router("router-" + i));
    }
  }

  static SimulatedLogSettings settings() {
    return SimulatedLogSettings.builder()
        .retention(Duration.ofSeconds(40))
        .dedupeWindow(Duration.ofSeconds(8))
        .maxLatency(Duration.ofMillis(2))
        .requestTimeout(Duration.ofMillis(700))
        .build();
  }

  static DurableConfig config() {
    return DurableConfig.builder()
        .snapshotThreshold(80)
        .checkInterval(Duration.ofSeconds(1))
        .lease(Duration.ofSeconds(5))
        .orphanGrace(Duration.ofSeconds(6))
        .forgetAfter(Duration.ofSeconds(8))
        .build();
  }

  void runFor(long nanos) {
    simulation.runFor(nanos);
  }

  /** Returns how many live engines write. */
  int writerCount() {
    return workers.stream().mapToInt(worker -> worker.publishers.size()).sum();
  }

  /** Has an operator force a reset, again and again until it is done. */
  void forceReset() {
    Environment operator = simulation.environment("operator");
    DurableReset.reset(server.log(operator), server.snapshots(operator), operator, true)
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                operator.lanes().lane("operator").execute(this::forceReset);
              }
            });
  }

  void stopWork() {
    working = false;
  }

  void resumeWork() {
    working = true;
    workers.forEach(Worker::work);
  }

  /** Has routers that start from now on belong to another component. */
  void scope(String component) {
    this.component = component;
  }

  /** Compares an index with what the engines of living workers hold. */
  void check(Router router, String when) {
    OverlapScores out = OverlapScores.create();
    KvIndexer index = router.index();
    long blocks = 0;
    for (Worker worker : workers) {
      for (ModelCache engine : worker.engines) {
        if (!worker.isAlive()) {
          continue;
        }
        blocks += engine.size();
        for (long[] path : engine.paths()) {
          assertThat(index.depthOf(engine.rank(), path, path.length, out))
              .as("%s: %s holds all of a path: %s", when, engine.rank(), router.feed().status())
              .isEqualTo(path.length);
        }
      }
    }
    assertThat(index.status().blocks())
        .as("%s: nothing else is held: %s", when, router.feed().status())
        .isEqualTo(blocks);
  }

  /** Checks that no rank of which something is missing passes for whole. */
  void checkStale(Router router) {
    OverlapScores out = OverlapScores.create();
    for (Worker worker : workers) {
      for (ModelCache engine : worker.engines) {
        for (long[] path : engine.paths()) {
          assertThat(router.index().isStale(engine.rank()) || holds(router, engine, path, out))
              .as("behind a hole: %s is whole or stale", engine.rank())
              .isTrue();
        }
      }
    }
  }

  private static boolean holds(Router router, ModelCache engine, long[] path, OverlapScores out) {
    return router.index().depthOf(engine.rank(), path, path.length, out) == path.length;
  }

  /** One worker of some lives. */
  final class Worker {
    final long id;
    final List<ModelCache> engines = new ArrayList<>();
    private final List<DurableKvPublisher> publishers = new ArrayList<>();
    private final String node;
    private @Nullable WorkerInstance registration;
    private @Nullable Scheduler lane;
    private long life;

    Worker(long id) {
      this.id = id;
      this.node = "worker-" + id;
      start();
    }

    boolean isAlive() {
      return registration != null;
    }

    void start() {
      life++;
      int ranks = 1 + (int) (id % 2);
      Environment environment = simulation.environment(node);
      WorkerInstance instance =
          WorkerInstance.builder(id, new Address("memory", node))
              .incarnation(life)
              .dpRanks(0, ranks)
              .build();
      for (int i = 0; i < ranks; i++) {
        WorkerWithDpRank rank = instance.rank(i);
        engines.add(ModelCache.of(rank));
        publishers.add(
            DurableKvPublisher.start(
                rank, planted.apply(server.log(environment)), environment, 150));
      }
      directory.register(instance);
      registration = instance;
      lane = environment.lanes().lane("engine");
      work();
    }

    void work() {
      work(Objects.requireNonNull(lane), life);
    }

    private void work(Scheduler lane, long of) {
      lane.schedule(
          () -> {
            if (working && of == life && isAlive()) {
              int which = random.nextInt(engines.size());
              publishers
                  .get(which)
                  .publish(StorageTier.DEVICE, List.of(engines.get(which).change(random)));
              work(lane, of);
            }
          },
          (long) (random.nextDouble() * SECOND / 4));
    }

    void kill() {
      if (registration != null) {
        directory.unregister(registration);
        registration = null;
      }
      count();
      engines.clear();
      publishers.clear();
      simulation.node(node).crash();
    }

    void count() {
      for (DurableKvPublisher publisher : publishers) {
        publisher
            .status()
            .counts()
            .forEach((key, value) -> writerCounts.merge(key, value, Long::sum));
      }
    }
  }

  /** One router of some lives. */
  final class Router {
    final String node;
    @Nullable KvIndexer index;
    @Nullable DurableKvFeed feed;

    Router(String node) {
      this.node = node;
      start();
    }

    boolean isAlive() {
      return feed != null;
    }

    KvIndexer index() {
      return Objects.requireNonNull(index);
    }

    DurableKvFeed feed() {
      return Objects.requireNonNull(feed);
    }

    void start() {
      Environment environment = simulation.environment(node);
      KvIndexer fresh = KvIndexer.builder().environment(environment).blockSize(BLOCK_SIZE).build();
      index = fresh;
      feed =
          DurableKvFeed.builder()
              .log(planted.apply(server.log(environment)))
              .snapshots(server.snapshots(environment))
              .scope("ns", component)
              .index(fresh)
              .environment(environment)
              .directory(directory)
              .config(config())
              .start();
    }

    void kill() {
      if (feed != null) {
        feed.status().counts().forEach((key, value) -> feedCounts.merge(key, value, Long::sum));
        simulation.node(node).crash();
        feed = null;
      }
    }
  }
}
