// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.conformance.service;

import io.dynamo4j.conformance.plane.PublishedEvent;
import io.dynamo4j.conformance.router.SteeredSelector;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.KvCacheEventData.Stored;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.TieredOverlap;
import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.kvrouter.KvRouter;
import io.dynamo4j.kvrouter.KvRouterConfig;
import io.dynamo4j.kvrouter.QueueConfig;
import io.dynamo4j.kvrouter.RequestLease;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The router under test over the workers of one model and group, and its bookings by id. */
final class SelectionFleet {
  private static final long SEED = 7;

  private final Simulation simulation = Simulation.builder().seed(SEED).build();
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private final Map<String, RequestLease> leases = new LinkedHashMap<>();
  private final Map<WorkerWithDpRank, Long> lastEventIds = new LinkedHashMap<>();
  private final SteeredSelector selector;
  private final SlotTracker slots;
  private final KvIndexer indexer;
  private final KvRouter router;
  private final SelectionSessions sessions;
  private final RandomSource random = RandomSource.seeded(SEED);
  private final int blockSize;

  SelectionFleet(KvRouterConfig config, QueueConfig queue, int blockSize) {
    Environment environment = simulation.environment("router");
    this.blockSize = blockSize;
    this.selector = new SteeredSelector(config);
    this.sessions = new SelectionSessions(environment.lanes().lane("sessions"));
    ActiveBlockTracker tracker = ActiveBlockTracker.create(SEED);
    this.slots = new SlotTracker(tracker, blockSize);
    this.indexer = config.indexer().environment(environment).blockSize(blockSize).build();
    this.router =
        KvRouter.builder()
            .environment(environment)
            .directory(directory)
            .config(config)
            .selector(selector)
            .tracker(tracker)
            .queue(queue)
            .indexer(indexer)
            .build();
  }

  int blockSize() {
    return blockSize;
  }

  KvRouter router() {
    return router;
  }

  SelectionSessions sessions() {
    return sessions;
  }

  RandomSource random() {
    return random;
  }

  SteeredSelector selector() {
    return selector;
  }

  /** Returns bookings that no request was routed for. */
  SlotTracker slots() {
    return slots;
  }

  List<WorkerInstance> workers() {
    return directory.instances();
  }

  /** Lets everything that is due happen. */
  void settle() {
    simulation.runFor(0);
  }

  /* --------------- Workers and events --------------- */

  void register(WorkerInstance instance) {
    directory.register(instance);
    slots.register(instance.workerId(), instance.dpStart(), instance.dpSize());
    settle();
  }

  /** Takes a worker away, with all that was booked on it. */
  void unregister(long workerId) {
    directory.unregister(workerId);
    indexer.removeWorker(workerId);
    slots.unregister(workerId);
    leases.values().removeIf(lease -> lease.worker().workerId() == workerId);
    router.bookingCount();
    settle();
  }

  void publish(long workerId, PublishedEvent event) {
    WorkerWithDpRank rank = new WorkerWithDpRank(workerId, event.dpRank());
    long id = lastEventIds.merge(rank, 1L, Long::sum);
    indexer.submit(
        RouterEvent.of(
            workerId,
            StorageTier.valueOf(event.tier().toUpperCase(Locale.ROOT)),
            KvCacheEvent.of(id, event.dpRank(), data(event))));
    settle();
  }

  private static KvCacheEventData data(PublishedEvent event) {
    if (event.kind().equals("cleared")) {
      return KvCacheEventData.Cleared.instance();
    }
    if (event.kind().equals("removed")) {
      return KvCacheEventData.Removed.of(
          event.blocks().stream().mapToLong(Long::parseUnsignedLong).toArray());
    }
    long[] hashes = part(event, 0);
    long[] locals = part(event, 1);
    String parent = event.parent();
    return parent == null
        ? Stored.atRoot(hashes, locals)
        : Stored.under(Long.parseUnsignedLong(parent), hashes, locals);
  }

  private static long[] part(PublishedEvent event, int part) {
    return event.blocks().stream()
        .mapToLong(block -> Long.parseUnsignedLong(block.split(":", -1)[part]))
        .toArray();
  }

  /** Puts a prompt's first blocks into a rank's index, as if its engine had published them. */
  void store(WorkerWithDpRank rank, long[] localHashes, int blocks) {
    long[] locals = Arrays.copyOf(localHashes, blocks);
    long id = lastEventIds.merge(rank, 1L, Long::sum);
    KvCacheEvent event = KvCacheEvent.of(id, rank.dpRank(), Stored.atRoot(locals, locals));
    indexer.submit(RouterEvent.of(rank.workerId(), StorageTier.DEVICE, event));
    settle();
  }

  TieredOverlap find(long[] localHashes) {
    TieredOverlap overlap = TieredOverlap.create();
    indexer.findMatches(localHashes, localHashes.length, overlap);
    return overlap;
  }

  /* --------------- Bookings --------------- */

  boolean isBooked(String id) {
    return leases.containsKey(id) || slots.isBooked(id);
  }

  void keep(String id, RequestLease lease) {
    leases.put(id, lease);
  }

  void markPrefillCompleted(String id) {
    RequestLease lease = leases.get(id);
    if (lease != null) {
      lease.markPrefillCompleted();
    }
    slots.markPrefillCompleted(id);
    settle();
  }

  void free(String id) {
    RequestLease lease = leases.remove(id);
    if (lease != null) {
      lease.close();
    }
    slots.free(id);
    settle();
  }
}
