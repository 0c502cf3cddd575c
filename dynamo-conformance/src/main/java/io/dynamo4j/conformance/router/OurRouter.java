// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.router;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.KvRouterBuilder;
import io.dynamo4j.kvrouter.LoadMonitor;
import io.dynamo4j.kvrouter.RequestLease;
import io.dynamo4j.kvrouter.SchedulingRequest;
import io.dynamo4j.kvrouter.WorkerSelectionResult;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The router under test in virtual time, and its bookings by request id. */
final class OurRouter {
  private static final long SEED = 7;

  private final Simulation simulation = Simulation.builder().seed(SEED).build();
  private final Map<String, RequestLease> leases = new LinkedHashMap<>();
  private final SteeredSelector selector;
  private final KvIndexer indexer;
  private final KvRouter router;

  OurRouter(RouterSetup setup) {
    Environment environment = simulation.environment("router");
    this.selector = new SteeredSelector(setup.config());
    this.indexer =
        setup
            .config()
            .indexer()
            .environment(environment)
            .blockSize(setup.blockSize())
            .eventLanes(setup.content().path("router_config").path("router_event_threads").asInt(1))
            .build();
    KvRouterBuilder builder =
        KvRouter.builder()
            .environment(environment)
            .directory(setup.directory())
            .config(setup.config())
            .selector(selector)
            .loadMonitor(
                LoadMonitor.builder(environment.lanes().lane("monitor").clock())
                    .thresholds(setup.thresholds())
                    .build())
            .queue(setup.queue())
            .blockSize(setup.blockSize());
    if (setup.config().overlapScoreCredit() > 0) {
      builder.indexer(indexer);
    }
    this.router = builder.build();
  }

  KvRouter router() {
    return router;
  }

  KvIndexer indexer() {
    return indexer;
  }

  SteeredSelector selector() {
    return selector;
  }

  /** Lets everything that is due happen. */
  void settle() {
    simulation.runFor(0);
  }

  long nowNanos() {
    return simulation.nowNanos();
  }

  void sleep(double seconds) {
    simulation.runFor((long) (seconds * 1e9));
  }

  WorkerSelectionResult query(SchedulingRequest request) {
    selector.want(null);
    return router.query(request);
  }

  /** Books on the wanted rank if chance could ever fall on it. */
  RequestLease book(SchedulingRequest request, @Nullable WorkerWithDpRank wanted) {
    selector.want(wanted);
    return router.trySelect(request);
  }

  CompletionStage<RequestLease> select(SchedulingRequest request) {
    selector.want(null);
    return router.select(request);
  }

  void keep(String id, RequestLease lease) {
    leases.put(id, lease);
  }

  boolean isBooked(String id) {
    return leases.containsKey(id);
  }

  void markPrefillCompleted(String id) {
    RequestLease lease = leases.get(id);
    if (lease != null) {
      lease.markPrefillCompleted();
    }
  }

  void free(String id) {
    RequestLease lease = leases.remove(id);
    if (lease != null) {
      lease.close();
    }
  }

  int leaseCount() {
    return leases.size();
  }
}
