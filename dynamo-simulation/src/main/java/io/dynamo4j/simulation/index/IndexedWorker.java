// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.index;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.LLMEngineOutput;
import io.dynamo4j.core.model.PreprocessedRequest;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A place where a worker runs: life after life, engines with caches and their sources of events.
 */
final class IndexedWorker {
  static final EventScope SCOPE = new EventScope.Endpoint("dynamo", "backend", "generate");
  static final int BLOCK_SIZE = 4;
  private static final Duration NEVER = Duration.ofDays(1);

  /** What all workers meet on. */
  record Planes(
      EventPlane events,
      InMemoryRequestPlane<byte[], byte[]> recovery,
      InMemoryWorkerDirectory directory) {}

  private final int position;
  private final ScenarioSpec spec;
  private final SimulatedNode node;
  private final Planes planes;
  private final BlockLedger ledger;
  private long workerId;
  private long lives;
  private boolean isSuspended;
  private boolean isShrunk;
  private @Nullable Life life;

  IndexedWorker(
      int position, ScenarioSpec spec, Simulation simulation, Planes planes, BlockLedger ledger) {
    this.position = position;
    this.spec = spec;
    this.node = simulation.node("worker-" + position);
    this.planes = planes;
    this.ledger = ledger;
    this.workerId = position + 1L;
  }

  /** Returns the position of the worker that has this id, or had it. */
  static int position(long workerId) {
    return (int) (workerId % 1000) - 1;
  }

  boolean isAlive() {
    return life != null;
  }

  void start() {
    if (life == null) {
      life = new Life(++lives);
      register();
    }
  }

  /** Ends the present life as the end of a process does; the directory hears of it later. */
  void kill() {
    Life dead = life;
    if (dead != null) {
      life = null;
      node.crash();
      dead.sources.forEach(KvEventSource::close);
    }
  }

  /** The directory notices that nobody is alive here. */
  void noticeDeath() {
    if (life == null) {
      planes.directory().unregister(workerId);
    }
  }

  /** Has the next life another id. */
  void changeId() {
    if (life == null) {
      planes.directory().unregister(workerId);
      workerId += 1000;
    }
  }

  void clearCaches() {
    Life alive = life;
    if (alive != null) {
      alive.engines.forEach(MockEngine::clearCache);
    }
  }

  void suspend(boolean suspended) {
    isSuspended = suspended;
    if (life != null && suspended) {
      planes.directory().unregister(workerId);
    } else {
      register();
    }
  }

  void shrink(boolean shrunk) {
    isShrunk = shrunk;
    register();
  }

  private void register() {
    Life alive = life;
    if (alive != null && !isSuspended) {
      int ranks = alive.engines.size();
      planes.directory().register(alive.record(isShrunk && ranks > 1 ? ranks - 1 : ranks));
    }
  }

  void serve(int rank, PreprocessedRequest request) {
    Life alive = life;
    if (alive != null) {
      alive.engines.get(rank % alive.engines.size()).handle(request.requestId(), request, NOBODY);
    }
  }

  /** Returns the ranks that are alive and registered, with what their caches hold. */
  List<HeldByRank> caches() {
    List<HeldByRank> caches = new ArrayList<>();
    Life alive = life;
    if (alive != null) {
      for (int rank = 0; rank < alive.engines.size(); rank++) {
        caches.add(
            new HeldByRank(
                new WorkerWithDpRank(workerId, rank), alive.engines.get(rank).cachedBlockHashes()));
      }
    }
    return caches;
  }

  /** What one rank's cache holds. */
  static final class HeldByRank {
    final WorkerWithDpRank rank;
    final long[] hashes;

    HeldByRank(WorkerWithDpRank rank, long[] hashes) {
      this.rank = rank;
      this.hashes = hashes;
    }
  }

  /** What dies together. */
  private final class Life {
    final long number;
    final List<MockEngine> engines = new ArrayList<>();
    final List<KvEventSource> sources = new ArrayList<>();

    Life(long number) {
      this.number = number;
      int ranks = (int) spec.setting(IndexDraw.RANKS, 1);
      for (int rank = 0; rank < ranks; rank++) {
        addRank(rank, record(ranks));
      }
    }

    private void addRank(int dpRank, WorkerInstance record) {
      WorkerWithDpRank rank = new WorkerWithDpRank(workerId, dpRank);
      Environment environment = node.environment();
      boolean announcing = spec.setting(IndexDraw.ANNOUNCING, 1) > 0;
      KvEventSource source =
          KvEventSource.builder(rank, publisherId(dpRank))
              .eventPlane(planes.events(), SCOPE)
              .environment(environment)
              .ringEvents((int) spec.setting(IndexDraw.RING, 64))
              .partBlocks((int) spec.setting(IndexDraw.RING, 64)) // several of a cache
              .announcementInterval(announcing ? Duration.ofSeconds(1) : NEVER)
              .serveRecovery(planes.recovery(), RecoveryTargets.besideWorker(record, rank))
              .start();
      sources.add(source);
      engines.add(
          MockEngine.builder()
              .lane(node.lane("engine-" + dpRank))
              .config(
                  MockEngineConfig.builder()
                      .blockSize(BLOCK_SIZE)
                      .capacityBlocks((int) spec.setting(IndexDraw.BLOCKS, 60))
                      .dpRank(dpRank)
                      .build())
              .stepStarter(node::atEndOfInstant)
              .eventSink(
                  events -> {
                    ledger.note(events);
                    source.publish(events);
                  })
              .build());
    }

    private long publisherId(int dpRank) {
      boolean isSame = spec.setting(IndexDraw.SAME_PUBLISHER, 0) > 0;
      return workerId << 32 | (isSame ? 0 : number) << 8 | dpRank;
    }

    WorkerInstance record(int ranks) {
      String name = "worker-" + position + "/" + number;
      return WorkerInstance.builder(workerId, InMemoryRequestPlane.address(name))
          .incarnation(number)
          .dpRanks(0, ranks)
          .build();
    }
  }

  private static final ResponseSink<LLMEngineOutput> NOBODY =
      new ResponseSink<>() {
        @Override
        public void onCancel(Runnable action) {}

        @Override
        public void open() {}

        @Override
        public boolean next(LLMEngineOutput item) {
          return true;
        }

        @Override
        public void complete() {}

        @Override
        public void fail(DynamoException error) {}
      };
}
