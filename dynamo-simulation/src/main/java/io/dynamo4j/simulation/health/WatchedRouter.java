// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.health;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.DurableSources;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvEventFeedBuilder;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.KvIndexerStatus;
import io.dynamo4j.indexer.RecoveryTargets;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.KvRouterBuilder;
import io.dynamo4j.kvrouter.KvRouterConfig;
import io.dynamo4j.kvrouter.LeaseConfig;
import io.dynamo4j.kvrouter.LoadMonitor;
import io.dynamo4j.kvrouter.LoadThresholds;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.testkit.fault.FaultyRequestPlane;
import io.dynamo4j.testkit.fault.StreamFault;
import io.dynamo4j.testkit.search.ScenarioSpec;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** One router with index, feed and, if the fleet has two, the other router's bookings. */
final class WatchedRouter {
  private static final int ROOMY_BLOCKS = 512;
  private static final Duration LEASE = Duration.ofSeconds(6);

  private final KvRouter router;
  private final LoadMonitor monitor;
  private final DurableSources durable = DurableSources.create(false);

  WatchedRouter(
      String name,
      ScenarioSpec spec,
      Plan plan,
      Simulation simulation,
      WatchedWorker.Planes planes) {
    Environment environment = simulation.environment(name);
    boolean hasEvents = !plan.is(HealthPlant.NO_EVENT_MODE);
    KvRouterConfig config = KvRouterConfig.builder().useKvEvents(hasEvents).build();
    KvIndexer index =
        config.indexer().environment(environment).blockSize(WatchedWorker.BLOCK_SIZE).build();
    EventPlane events =
        new PlantedEvents(
            planes.events(), plan, (long) (spec.setting(HealthDraw.DELAY_MILLIS, 1) * 1_000_000));
    KvEventFeedBuilder feed =
        KvEventFeed.builder()
            .eventPlane(events, WatchedWorker.SCOPE)
            .directory(planes.directory())
            .indexer(index)
            .environment(environment);
    if (spec.setting(HealthDraw.RECOVERY, 0) > 0) {
      feed.recovery(
          FaultyRequestPlane.over(
              planes.recovery(),
              (target, attempt) ->
                  plan.is(HealthPlant.NO_RECOVERY, (int) target.workerId() - 1)
                      ? StreamFault.refused(ErrorType.CANNOT_CONNECT)
                      : StreamFault.none(),
              simulation.random("recovery-" + name)),
          RecoveryTargets.besideWorker());
    }
    this.monitor = LoadMonitor.create(environment.lanes().lane("load").clock());
    if (spec.setting(HealthDraw.BLOCKS, 64) >= ROOMY_BLOCKS) {
      // A small cache is full at times, which is what the threshold is for.
      monitor.thresholds(LoadThresholds.builder().activeDecodeBlocks(0.95).build());
    }
    KvRouterBuilder builder =
        KvRouter.builder()
            .environment(environment)
            .directory(planes.directory())
            .config(config)
            .loadMonitor(monitor)
            .durableSources(durable)
            .leases(LeaseConfig.builder().routerLease(LEASE).build())
            .indexer(plan.is(HealthPlant.BLIND_INDEX) ? new BlindIndex(index) : index);
    if (hasEvents) {
      builder.eventFeed(feed.connect());
    }
    if (spec.setting(HealthDraw.PEER, 0) > 0) {
      builder.replicaSync(events, WatchedWorker.SCOPE).expectedPeers(1);
    }
    this.router = builder.build();
  }

  KvRouter router() {
    return router;
  }

  DurableSources durable() {
    return durable;
  }

  LoadMonitor monitor() {
    return monitor;
  }

  /** Takes every event and finds nothing. */
  private record BlindIndex(KvIndexer index) implements KvIndexer {

    @Override
    public int blockSize() {
      return index.blockSize();
    }

    @Override
    public void findMatches(long[] localHashes, int count, OverlapScores out) {
      index.findMatches(localHashes, 0, out);
    }

    @Override
    public boolean submit(RouterEvent event) {
      return index.submit(event);
    }

    @Override
    public void removeWorker(long workerId) {
      index.removeWorker(workerId);
    }

    @Override
    public void removeWorkerDpRank(WorkerWithDpRank worker) {
      index.removeWorkerDpRank(worker);
    }

    @Override
    public CompletionStage<Void> flush() {
      return index.flush();
    }

    @Override
    public KvIndexerStatus status() {
      return index.status();
    }

    @Override
    public void close() {
      index.close();
    }
  }
}
