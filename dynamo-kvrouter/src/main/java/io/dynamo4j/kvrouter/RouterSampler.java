// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.DurableSources;
import io.dynamo4j.indexer.EventOutcome;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.RankActivity;
import io.dynamo4j.plane.Subscription;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gathers what checks of health look at, from the router and what it was given.
 *
 * <p><b>Threads.</b> Any, without the router's lock.
 */
final class RouterSampler implements AutoCloseable {

  /** What of a router is looked at. */
  record Parts(
      int blockSize,
      @Nullable KvIndexer indexer,
      @Nullable KvEventFeed feed,
      @Nullable DurableSources durable,
      @Nullable ReplicaSync sync,
      int expectedPeers,
      Supplier<RemoteFigures> remote,
      NanoClock clock) {}

  private final Parts parts;
  private final ReentrantLock lock;
  private final FleetView fleet;
  private final RouterTraffic traffic;
  private final Runnable refresh;
  private final @Nullable Subscription refusals;
  private final ConcurrentNavigableMap<WorkerWithDpRank, AtomicLong> unknownParents =
      new ConcurrentSkipListMap<>();

  /**
   * Begins to count.
   *
   * @param lock guards {@code fleet} and {@code traffic}
   * @param refresh takes over the directory's snapshot, under the lock
   */
  RouterSampler(
      Parts parts,
      ReentrantLock lock,
      FleetView fleet,
      RouterTraffic traffic,
      Runnable refresh,
      Scheduler lane) {
    this.parts = parts;
    this.lock = lock;
    this.fleet = fleet;
    this.traffic = traffic;
    this.refresh = refresh;
    this.refusals =
        parts.indexer() == null || parts.feed() == null
            ? null
            : parts.indexer().watchRefusals(lane, this::refused);
  }

  private void refused(RouterEvent event, EventOutcome outcome) {
    if (outcome == EventOutcome.PARENT_NOT_FOUND) {
      unknownParents.computeIfAbsent(event.worker(), added -> new AtomicLong()).incrementAndGet();
    }
  }

  HealthSample sample() {
    KvEventFeed feed = parts.feed();
    Map<WorkerWithDpRank, RankActivity> heard = new LinkedHashMap<>();
    if (feed != null) {
      feed.ranks().forEach(rank -> heard.put(rank.worker(), rank));
    }
    lock.lock();
    try {
      refresh.run();
      long now = parts.clock().nanoTime();
      return new HealthSample(
          now,
          feed != null,
          parts.indexer() != null && parts.indexer().isApproximate(),
          parts.blockSize(),
          fleet.table().snapshot(),
          ranks(heard, now),
          traffic.lookups(),
          feed == null ? List.of() : feed.publishers(),
          feed == null ? List.of() : feed.status().conflicts(),
          feed == null ? List.of() : feed.sources(),
          parts.durable() == null ? List.of() : parts.durable().oneSided(),
          fleet.overloadedRanks(),
          peers(),
          parts.remote().get());
    } finally {
      lock.unlock();
    }
  }

  private Map<WorkerWithDpRank, RankFigures> ranks(
      Map<WorkerWithDpRank, RankActivity> heard, long nowNanos) {
    RankTable table = fleet.table();
    unknownParents.keySet().removeIf(rank -> table.indexOf(rank) < 0);
    Map<WorkerWithDpRank, RankFigures> figures = new LinkedHashMap<>();
    for (int i = 0; i < table.size(); i++) {
      WorkerWithDpRank rank = table.rank(i);
      RankActivity activity = heard.get(rank);
      AtomicLong refused = unknownParents.get(rank);
      figures.put(
          rank,
          traffic.figures(
              rank,
              table.instance(i).incarnation(),
              activity == null ? 0 : activity.events(),
              refused == null ? 0 : refused.get(),
              nowNanos));
    }
    return figures;
  }

  private PeerFigures peers() {
    ReplicaSync sync = parts.sync();
    return sync == null ? PeerFigures.NONE : sync.peers(parts.expectedPeers());
  }

  @Override
  public void close() {
    if (refusals != null) {
      refusals.close();
    }
  }
}
