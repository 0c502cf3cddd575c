// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.source.LocalKvIndexer;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.RequestHandler;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import io.dynamo4j.wire.ProofQuery;
import io.dynamo4j.wire.RecoveryQuery;
import io.dynamo4j.wire.SourceHead;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A router's feed, and workers whose envelopes the test delivers or loses. */
final class RecoveryFixture {
  static final EventScope SCOPE = new EventScope.Endpoint("ns", "backend", "generate");

  final Simulation simulation = Simulation.builder().seed(1).build();
  final ScriptedEventPlane plane = new ScriptedEventPlane();
  final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  final InMemoryRequestPlane<byte[], byte[]> requests =
      InMemoryRequestPlane.create(simulation.environment("network"));
  final Environment router = simulation.environment("router");
  final KvIndexer indexer;
  final KvEventFeed feed;

  RecoveryFixture() {
    this(RecoveryConfig.ofDefaults(), KvIndexerBuilder.DEFAULT_MAX_PENDING_UPDATES);
  }

  RecoveryFixture(RecoveryConfig config, int maxPendingUpdates) {
    this(config, maxPendingUpdates, Long.MAX_VALUE);
  }

  RecoveryFixture(RecoveryConfig config, int maxPendingUpdates, long maxBlocksPerRank) {
    indexer =
        KvIndexer.builder()
            .environment(router)
            .blockSize(16)
            .maxPendingUpdates(maxPendingUpdates)
            .maxBlocksPerRank(maxBlocksPerRank)
            .build();
    feed =
        KvEventFeed.builder()
            .eventPlane(plane, SCOPE)
            .directory(directory)
            .indexer(indexer)
            .environment(router)
            .recovery(requests, RecoveryTargets.besideWorker())
            .recoveryConfig(config)
            .connect();
  }

  void runMillis(long millis) {
    simulation.runFor(millis * 1_000_000);
  }

  void settle() {
    runMillis(20);
  }

  long count(FeedCounter counter) {
    return feed.status().count(counter);
  }

  Map<WorkerWithDpRank, Integer> scores(long... query) {
    return IndexerFixture.scores(indexer, query);
  }

  SourceStatus source(WorkerWithDpRank rank) {
    return feed.sources().stream()
        .filter(source -> source.worker().equals(rank))
        .findFirst()
        .orElseThrow();
  }

  static KvCacheEventData store(long... hashes) {
    return KvCacheEventData.Stored.atRoot(hashes, hashes);
  }

  static KvCacheEventData under(long parent, long... hashes) {
    return KvCacheEventData.Stored.under(parent, hashes, hashes);
  }

  static KvCacheEventData remove(long... hashes) {
    return KvCacheEventData.Removed.of(hashes);
  }

  static KvCacheEventData clear() {
    return KvCacheEventData.Cleared.instance();
  }

  /** Another number for the same event. */
  static RouterEvent renumbered(RouterEvent event, long id) {
    return RouterEvent.of(
        event.workerId(),
        event.tier(),
        KvCacheEvent.of(id, event.event().dpRank(), event.event().data()));
  }

  /** One life of one rank: its record, and what it published. */
  final class Worker implements RequestHandler<byte[], byte[]> {
    final WorkerInstance instance;
    final WorkerWithDpRank rank;
    final long publisherId;
    final LocalKvIndexer local;
    final Map<Long, RecoveryQuery> queriesByNanos = new TreeMap<>();
    final List<RouterEvent> recorded = new ArrayList<>();
    boolean isBroken;
    boolean isSilent;
    long sequence;
    long bytesAsked;
    long bytesAnswered;
    int itemsAnswered;
    private @Nullable ServedEndpoint endpoint;

    Worker(long workerId, long incarnation, int ringEvents) {
      this(IndexerFixture.instance(workerId, incarnation), 0, ringEvents);
    }

    /** A worker whose dumps come in parts of some blocks. */
    Worker(long workerId, int partBlocks) {
      this(IndexerFixture.instance(workerId, 1), 0, LocalKvIndexer.DEFAULT_RING_EVENTS, partBlocks);
    }

    Worker(WorkerInstance instance, int dpRank, int ringEvents) {
      this(instance, dpRank, ringEvents, LocalKvIndexer.DEFAULT_PART_BLOCKS);
    }

    private Worker(WorkerInstance instance, int dpRank, int ringEvents, int partBlocks) {
      this.instance = instance;
      this.rank = new WorkerWithDpRank(instance.workerId(), dpRank);
      this.publisherId = instance.workerId() * 100 + instance.incarnation() * 10 + dpRank;
      this.local =
          LocalKvIndexer.builder(rank).ringEvents(ringEvents).partBlocks(partBlocks).build();
    }

    Worker serve() {
      endpoint = requests.serve(RecoveryTargets.besideWorker(instance, rank), this);
      return this;
    }

    /** Serves answers of others' making. */
    Worker served(UnaryOperator<byte[]> answers) {
      endpoint =
          requests.serve(
              RecoveryTargets.besideWorker(instance, rank),
              (requestId, query, sink) -> {
                sink.next(answers.apply(query));
                sink.complete();
              });
      return this;
    }

    Worker register() {
      directory.register(instance);
      return this;
    }

    void die() {
      if (endpoint != null) {
        endpoint.abort();
        endpoint = null;
      }
    }

    @Override
    public void handle(String requestId, byte[] query, ResponseSink<byte[]> sink) {
      bytesAsked += query.length;
      if (ProofQuery.tryDecode(query) == null) {
        queriesByNanos.put(simulation.nowNanos(), RecoveryQuery.decode(query));
      }
      if (isBroken) {
        throw new DynamoException(ErrorType.WORKER_UNAVAILABLE, "broken on purpose");
      }
      if (!isSilent) {
        local.answer(
            query,
            item -> {
              bytesAnswered += item.length;
              itemsAnswered++;
              sink.next(item);
            });
        sink.complete();
      }
    }

    /** Records changes and delivers them in one envelope. */
    Worker publish(KvCacheEventData... changes) {
      deliver(record(changes));
      return this;
    }

    /** Records changes and loses their envelope. */
    Worker lose(KvCacheEventData... changes) {
      record(changes);
      sequence++;
      return this;
    }

    RouterEvent[] record(KvCacheEventData... changes) {
      List<RouterEvent> events = new ArrayList<>();
      for (KvCacheEventData change : changes) {
        local.record(StorageTier.DEVICE, change).ifPresent(events::add);
      }
      recorded.addAll(events);
      return events.toArray(RouterEvent[]::new);
    }

    void deliver(RouterEvent... events) {
      plane.deliver(publisherId, sequence++, events);
    }

    void announce() {
      plane.deliver(
          KvEventFeed.HEADS_TOPIC,
          publisherId,
          0,
          new SourceHead(
                  rank,
                  local.lastEventId(),
                  local.blockCount(),
                  OptionalLong.of(local.digest().total()))
              .encode());
    }
  }

  Worker worker(long workerId) {
    return new Worker(workerId, 1, LocalKvIndexer.DEFAULT_RING_EVENTS);
  }
}
