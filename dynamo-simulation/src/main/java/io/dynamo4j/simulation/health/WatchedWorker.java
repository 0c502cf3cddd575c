// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.health;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.RecoveryTargets;
import io.dynamo4j.indexer.source.KvEventSource;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.engine.MockEngine;
import io.dynamo4j.testkit.engine.MockEngineConfig;
import io.dynamo4j.testkit.search.ScenarioSpec;
import io.dynamo4j.testkit.simulation.SimulatedNode;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A worker of one or two ranks, life after life. */
final class WatchedWorker {
  static final EventScope SCOPE = new EventScope.Endpoint("dynamo", "backend", "generate");
  static final int BLOCK_SIZE = 16;

  private static final int WORKER_SHIFT = 32;
  private static final int LIFE_SHIFT = 8;
  private static final int RANK_BITS = 0xff;

  /** What workers and routers meet on. */
  record Planes(
      EventPlane events,
      InMemoryRequestPlane<byte[], byte[]> recovery,
      InMemoryWorkerDirectory directory) {}

  private final int position;
  private final ScenarioSpec spec;
  private final Plan plan;
  private final SimulatedNode node;
  private final Planes planes;
  private long lives;
  private @Nullable Life life;

  WatchedWorker(int position, ScenarioSpec spec, Plan plan, Simulation simulation, Planes planes) {
    this.position = position;
    this.spec = spec;
    this.plan = plan;
    this.node = simulation.node("worker-" + position);
    this.planes = planes;
  }

  static long workerId(int position) {
    return position + 1L;
  }

  /** Returns whether a publisher is a worker's; routers draw ids with more bits. */
  static boolean isWorkers(long publisherId) {
    long workerId = publisherId >>> WORKER_SHIFT;
    return workerId > 0 && workerId < 100;
  }

  static int positionOf(long publisherId) {
    return (int) (publisherId >>> WORKER_SHIFT) - 1;
  }

  static int dpRankOf(long publisherId) {
    return (int) publisherId & RANK_BITS;
  }

  void start() {
    if (life == null) {
      life = new Life(++lives);
    }
  }

  /** Leaves as a worker that is shut down does. */
  void stop() {
    Life ended = life;
    if (ended != null) {
      life = null;
      planes.directory().unregister(workerId(position));
      ended.sources.forEach(KvEventSource::close);
      ended.engines.forEach(MockEngine::crash);
      node.crash();
    }
  }

  /** Computes a request; false if nobody lives here, or another life does. */
  boolean serve(
      WorkerInstance chosen,
      int dpRank,
      PreprocessedRequest request,
      ResponseSink<LLMEngineOutput> sink) {
    Life alive = life;
    if (alive == null || alive.number != chosen.incarnation()) {
      return false;
    }
    alive.engines.get(dpRank).handle(request.requestId(), misread(request), sink);
    return true;
  }

  private PreprocessedRequest misread(PreprocessedRequest request) {
    RoutingHints routing = request.routing();
    if (plan.is(HealthPlant.SALT, position)) {
      routing = routing.toBuilder().cacheNamespace("salt").build();
    } else if (plan.is(HealthPlant.LORA, position)) {
      routing = routing.toBuilder().loraName("").build();
    } else if (!plan.is(HealthPlant.TOKENIZER, position)) {
      return request;
    }
    TokenSlice tokens = request.tokenIds();
    if (plan.is(HealthPlant.TOKENIZER, position)) {
      int[] others = new int[tokens.length()];
      for (int i = 0; i < others.length; i++) {
        others[i] = tokens.get(i) + 1;
      }
      tokens = TokenSlice.wrap(others);
    }
    return PreprocessedRequest.builder(request.requestId(), tokens)
        .routing(routing)
        .samplingOptions(request.samplingOptions())
        .stopConditions(request.stopConditions())
        .build();
  }

  /** What dies together. */
  private final class Life {
    final long number;
    final List<MockEngine> engines = new ArrayList<>();
    final List<KvEventSource> sources = new ArrayList<>();

    Life(long number) {
      this.number = number;
      WorkerInstance record = record();
      for (int i = 0; i < record.dpSize(); i++) {
        addRank(record.rank(i), record);
      }
      planes.directory().register(record);
    }

    private int blockSize() {
      return plan.is(HealthPlant.BLOCK_SIZE, position) ? 2 * BLOCK_SIZE : BLOCK_SIZE;
    }

    private WorkerInstance record() {
      return WorkerInstance.builder(
              workerId(position), InMemoryRequestPlane.address("worker-" + position + "/" + number))
          .incarnation(number)
          .dpRanks(0, (int) spec.setting(HealthDraw.RANKS, 1))
          .kvBlockSize(blockSize())
          .totalKvBlocks((long) spec.setting(HealthDraw.BLOCKS, 64))
          .build();
    }

    private void addRank(WorkerWithDpRank rank, WorkerInstance record) {
      long publisherId = workerId(position) << WORKER_SHIFT | number << LIFE_SHIFT | rank.dpRank();
      KvEventSource source =
          KvEventSource.builder(rank, publisherId)
              .eventPlane(planes.events(), SCOPE)
              .environment(node.environment())
              .serveRecovery(planes.recovery(), RecoveryTargets.besideWorker(record, rank))
              .start();
      sources.add(source);
      engines.add(
          MockEngine.builder()
              .lane(node.lane("engine-" + rank.dpRank()))
              .config(
                  MockEngineConfig.builder()
                      .blockSize(blockSize())
                      .capacityBlocks((int) spec.setting(HealthDraw.BLOCKS, 64))
                      .dpRank(rank.dpRank())
                      .build())
              .stepStarter(node::atEndOfInstant)
              .eventSink(events -> source.publish(StorageTier.DEVICE, changes(events)))
              .build());
    }

    private List<KvCacheEventData> changes(List<KvCacheEvent> events) {
      List<KvCacheEventData> changes = new ArrayList<>(events.size());
      for (KvCacheEvent event : events) {
        changes.add(
            plan.is(HealthPlant.EAGLE, position) ? hashedOtherwise(event.data()) : event.data());
      }
      return changes;
    }

    private static KvCacheEventData hashedOtherwise(KvCacheEventData data) {
      if (!(data instanceof KvCacheEventData.Stored stored)) {
        return data;
      }
      long[] others = stored.tokensHashes().clone();
      for (int i = 0; i < others.length; i++) {
        others[i] = Long.rotateLeft(others[i], 17);
      }
      return stored.hasParent()
          ? KvCacheEventData.Stored.under(stored.parentHash(), stored.blockHashes(), others)
          : KvCacheEventData.Stored.atRoot(stored.blockHashes(), others);
    }
  }
}
