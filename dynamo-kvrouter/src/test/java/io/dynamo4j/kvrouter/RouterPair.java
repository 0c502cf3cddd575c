// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Several routers over the same workers, each on a node of its own, in virtual time. */
final class RouterPair {
  static final long MILLI = 1_000_000L;
  static final long DELAY = 2 * MILLI;
  static final Duration LEASE = Duration.ofSeconds(3);
  static final EventScope SCOPE = new EventScope.Endpoint("ns", "backend", "generate");
  static final int BLOCK = 4;

  final Simulation simulation;
  final EventNetwork network;
  final List<WorkerWithDpRank> ranks = new ArrayList<>();
  final Map<String, KvRouter> routers = new LinkedHashMap<>();
  private final Map<String, InMemoryWorkerDirectory> directories = new LinkedHashMap<>();
  private final int workers;
  private final boolean synced;
  private int eventsPerMessage = 256;

  RouterPair(long seed, int workers, boolean synced) {
    this.simulation = Simulation.builder().seed(seed).build();
    this.network = new EventNetwork(simulation, DELAY);
    this.workers = workers;
    this.synced = synced;
    for (int id = 1; id <= workers; id++) {
      ranks.add(RouterFixture.worker(id));
    }
  }

  void sendSingleEvents() {
    eventsPerMessage = 1;
  }

  /** Starts a router on a new node or on a new life of one. */
  KvRouter start(String node) {
    return start(node, network.plane(node));
  }

  KvRouter start(String node, EventPlane plane) {
    InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
    for (int id = 1; id <= workers; id++) {
      directory.register(RouterFixture.instance(id).build());
    }
    directories.put(node, directory);
    LeaseConfig leases =
        LeaseConfig.builder().routerLease(LEASE).eventsPerMessage(eventsPerMessage).build();
    KvRouterBuilder builder =
        KvRouter.builder()
            .environment(simulation.environment(node))
            .directory(directory)
            .indexer(new FakeIndexer(BLOCK))
            .leases(leases);
    if (synced) {
      builder.replicaSync(plane, SCOPE);
    }
    KvRouter router = builder.build();
    routers.put(node, router);
    return router;
  }

  InMemoryWorkerDirectory directory(String node) {
    return Objects.requireNonNull(directories.get(node), node);
  }

  Scheduler lane(String node) {
    return simulation.node(node).lane("requests");
  }

  /** Lets requests of random length arrive at a node until then; each runs its course. */
  void load(String node, String prefix, long untilNanos, RandomSource random) {
    arrive(node, prefix, 0, untilNanos, random, lane(node));
  }

  private void arrive(
      String node, String prefix, int number, long until, RandomSource random, Scheduler lane) {
    lane.schedule(
        () -> {
          if (simulation.nowNanos() >= until) {
            return;
          }
          begin(node, prefix + number, random, lane);
          arrive(node, prefix, number + 1, until, random, lane);
        },
        random.nextInt(8) * MILLI);
  }

  private void begin(String node, String id, RandomSource random, Scheduler lane) {
    TokenSlice prompt = RouterFixture.tokens(random.nextInt(6) * 1000, random.nextInt(60));
    RequestLease lease = router(node).trySelect(RouterFixture.request(id, prompt));
    lane.schedule(lease::markPrefillCompleted, random.nextInt(40) * MILLI);
    lane.schedule(() -> lease.addOutputTokens(1), random.nextInt(80) * MILLI);
    lane.schedule(lease::close, random.nextInt(400) * MILLI);
  }

  KvRouter router(String node) {
    KvRouter router = routers.get(node);
    if (router == null) {
      throw new AssertionError("no router: node=" + node);
    }
    return router;
  }

  List<WorkerLoad> loads(String node) {
    KvRouter router = router(node);
    return ranks.stream().map(router::load).toList();
  }

  void checkInvariants() {
    routers.forEach((node, router) -> LeaseInvariant.check(router, ranks));
  }

  void runFor(long nanos) {
    simulation.runFor(nanos);
  }
}
