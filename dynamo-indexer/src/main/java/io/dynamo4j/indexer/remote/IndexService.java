// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.remote;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.RoutingDecision;
import io.dynamo4j.indexer.TieredOverlap;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.ServedEndpoint;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.wire.IndexAnswer;
import io.dynamo4j.wire.IndexDecision;
import io.dynamo4j.wire.IndexQuery;
import io.dynamo4j.wire.WireFormatException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Serves indexes, by model, to routers that keep none: endpoint {@code kv_indexer_query} in
 * Dynamo's shapes. The indexes stay the caller's, with their own ingest and recovery.
 *
 * <p>Indexes of one service either all learn from events or all from decisions: which of two
 * approximate ones has heard of a decision would be chance. With {@link #recordDecisions} those
 * that ask also tell what they decided, which an approximate index, or one with predictions beside
 * events, learns from.
 *
 * <p><b>Threads.</b> Any; queries run on the plane's.
 */
public final class IndexService implements AutoCloseable {
  private final WorkerDirectory servers;
  private final WorkerInstance endpoint;
  private final Map<String, KvIndexer> indexes = new ConcurrentSkipListMap<>();
  private final AtomicLong answered = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong recorded = new AtomicLong();
  private final RequestPlane<byte[], byte[]> plane;
  private final ServedEndpoint served;
  private volatile @Nullable WorkerDirectory recorders;
  private volatile @Nullable ServedEndpoint recording;

  private IndexService(
      RequestPlane<byte[], byte[]> plane, WorkerInstance endpoint, WorkerDirectory servers) {
    this.plane = plane;
    this.servers = Objects.requireNonNull(servers, "servers");
    this.endpoint = Objects.requireNonNull(endpoint, "endpoint");
    this.served = plane.serve(endpoint, (requestId, query, sink) -> handle(query, sink));
  }

  /**
   * Starts answering; there is no model yet.
   *
   * @param plane carries messages as MessagePack
   * @param endpoint the record of this server's query endpoint; announcing it is the caller's
   * @param servers query endpoints of the same component, this one perhaps among them
   * @throws IllegalStateException if the address is already served
   */
  public static IndexService serve(
      RequestPlane<byte[], byte[]> plane, WorkerInstance endpoint, WorkerDirectory servers) {
    return new IndexService(plane, endpoint, servers);
  }

  /**
   * Serves one more model.
   *
   * @throws IllegalArgumentException if the model is served already
   * @throws IllegalStateException if an approximate index would not be the only server of its
   *     component, or kinds of indexes would be mixed
   */
  public IndexService add(String modelName, KvIndexer index) {
    if (index.isApproximate()) {
      requireNoOther(modelName, servers);
      WorkerDirectory known = recorders;
      if (known != null) {
        requireNoOther(modelName, known);
      }
    }
    for (KvIndexer other : indexes.values()) {
      if (other.isApproximate() != index.isApproximate()) {
        throw new IllegalStateException(
            "indexes of events and of decisions cannot be served together: model=" + modelName);
      }
    }
    if (indexes.putIfAbsent(Objects.requireNonNull(modelName, "modelName"), index) != null) {
      throw new IllegalArgumentException("model is served already: model=" + modelName);
    }
    return this;
  }

  private void requireNoOther(String modelName, WorkerDirectory endpoints) {
    for (WorkerInstance other : endpoints.instances()) {
      if (other.workerId() != endpoint.workerId()) {
        throw new IllegalStateException(
            "an approximate index must be the only one served: model="
                + modelName
                + ", other="
                + Long.toUnsignedString(other.workerId()));
      }
    }
  }

  /**
   * Also takes the decisions of routers that ask here, endpoint {@code
   * kv_indexer_record_routing_decision}; before models are added, so that {@link #add} sees who
   * else does.
   *
   * @param endpoint the record of this server's endpoint for decisions; announcing it is the
   *     caller's
   * @param recorders endpoints for decisions of the same component, this one perhaps among them
   * @throws IllegalStateException if this service does so already, has a model, or the address is
   *     already served
   */
  public IndexService recordDecisions(WorkerInstance endpoint, WorkerDirectory recorders) {
    if (recording != null || !indexes.isEmpty()) {
      throw new IllegalStateException(
          "decisions are taken once, and before models are added: models=" + indexes.keySet());
    }
    this.recorders = Objects.requireNonNull(recorders, "recorders");
    this.recording =
        plane.serve(
            endpoint,
            (requestId, message, sink) -> {
              sink.next(record(message));
              sink.complete();
            });
    return this;
  }

  private byte[] record(byte[] message) {
    IndexDecision decision;
    try {
      decision = IndexDecision.decode(message);
    } catch (WireFormatException e) {
      refused.incrementAndGet();
      return IndexDecision.refused("unreadable decision: " + e.reason());
    }
    KvIndexer index = indexes.get(decision.modelName());
    if (index == null) {
      refused.incrementAndGet();
      return IndexDecision.refused(unknown(decision.modelName()));
    }
    if (!index.learnsFromDecisions()) {
      refused.incrementAndGet();
      return IndexDecision.refused(
          "served indexer model " + decision.modelName() + " learns from events alone");
    }
    // Whoever decided does not say when the request ends, nor how much the worker has room for.
    index
        .record(
            RoutingDecision.of(
                decision.worker(), 0, decision.localHashes(), decision.sequenceHashes()))
        .close();
    recorded.incrementAndGet();
    return IndexDecision.recorded();
  }

  private static String unknown(String modelName) {
    return "served indexer model " + modelName + " is not registered";
  }

  private void handle(byte[] message, ResponseSink<byte[]> sink) {
    sink.next(answer(message).encode());
    sink.complete();
  }

  private IndexAnswer answer(byte[] message) {
    IndexQuery query;
    try {
      query = IndexQuery.decode(message);
    } catch (WireFormatException e) {
      refused.incrementAndGet();
      return IndexAnswer.ofError("unreadable query: " + e.reason());
    }
    KvIndexer index = indexes.get(query.modelName());
    if (index == null) {
      refused.incrementAndGet();
      return IndexAnswer.ofError(unknown(query.modelName()));
    }
    answered.incrementAndGet();
    return lookUp(index, query);
  }

  private static IndexAnswer lookUp(KvIndexer index, IndexQuery query) {
    long[] hashes = query.blockHashes();
    TieredOverlap found = TieredOverlap.create();
    if (query.deviceOnly()) {
      index.findMatches(hashes, hashes.length, found.device());
    } else {
      index.findMatches(hashes, hashes.length, found);
    }
    Map<StorageTier, Map<WorkerWithDpRank, Integer>> tiers = new EnumMap<>(StorageTier.class);
    for (StorageTier tier : StorageTier.values()) {
      if (tier == StorageTier.DEVICE || found.hasLowerTiers()) {
        tiers.put(tier, hits(found.of(tier)));
      }
    }
    return IndexAnswer.of(tiers);
  }

  private static Map<WorkerWithDpRank, Integer> hits(OverlapScores scores) {
    Map<WorkerWithDpRank, Integer> hits = new LinkedHashMap<>();
    for (int i = 0; i < scores.size(); i++) {
      hits.put(scores.worker(i), scores.depth(i));
    }
    return hits;
  }

  /** Returns the queries answered from an index. */
  public long answeredQueries() {
    return answered.get();
  }

  /** Returns the decisions of others that an index here was told. */
  public long recordedDecisions() {
    return recorded.get();
  }

  /** Returns the queries and decisions answered with an error. */
  public long refusedQueries() {
    return refused.get();
  }

  /** Ends the endpoints; queries under way go on to their end. Idempotent. */
  @Override
  public void close() {
    served.close();
    ServedEndpoint decisions = recording;
    if (decisions != null) {
      decisions.close();
    }
  }
}
