// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.remote;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.RoutingDecision;
import io.dynamo4j.indexer.TieredOverlap;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.wire.IndexAnswer;
import io.dynamo4j.wire.IndexDecision;
import io.dynamo4j.wire.IndexQuery;
import io.dynamo4j.wire.PeerError;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Asks indexes that other routers serve, for routers that keep none: no events are subscribed to,
 * nothing but hashes is sent.
 *
 * <p>Queries go to the servers in turn. One that fails is sent once more, to another server if
 * there is one; after that the lookup fails, and its caller decides by load alone. Where the served
 * indexes learn from decisions, {@link #recordingTo} lets them hear of this router's.
 *
 * <p><b>Threads.</b> Any. Stages complete on a lane of this object.
 */
public final class RemoteIndex {
  /** How long one server may take unless told otherwise. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofMillis(200);

  private static final int ATTEMPTS = 2;

  private final RequestPlane<byte[], byte[]> plane;
  private final WorkerDirectory servers;
  private final String modelName;
  private final Scheduler lane;
  private final long timeoutNanos;
  private final AtomicLong turn = new AtomicLong();
  private final AtomicLong queries = new AtomicLong();
  private final AtomicLong retries = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private final @Nullable WorkerDirectory recorders;
  private final AtomicLong recorded = new AtomicLong();
  private final AtomicLong recordFailures = new AtomicLong();
  private long told; // on the lane

  private RemoteIndex(
      RequestPlane<byte[], byte[]> plane,
      WorkerDirectory servers,
      String modelName,
      Scheduler lane,
      long timeoutNanos,
      @Nullable WorkerDirectory recorders) {
    this.plane = Objects.requireNonNull(plane, "plane");
    this.servers = Objects.requireNonNull(servers, "servers");
    this.modelName = Objects.requireNonNull(modelName, "modelName");
    this.lane = lane;
    this.timeoutNanos = timeoutNanos;
    this.recorders = recorders;
  }

  /**
   * Returns a client of some servers.
   *
   * @param plane carries messages as MessagePack
   * @param servers the query endpoints, as they come and go
   * @throws IllegalArgumentException if the time-out is not positive
   */
  public static RemoteIndex of(
      RequestPlane<byte[], byte[]> plane,
      WorkerDirectory servers,
      String modelName,
      Environment environment,
      Duration timeout) {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("time-out must be positive: timeout=" + timeout);
    }
    Scheduler lane = environment.lanes().lane("remote-index");
    return new RemoteIndex(plane, servers, modelName, lane, timeout.toNanos(), null);
  }

  /**
   * Returns a client of the same servers that tells decisions to all that take them: to one where
   * the served index is approximate, since it is the only one then.
   *
   * @param recorders endpoints {@code kv_indexer_record_routing_decision}, as they come and go
   */
  public RemoteIndex recordingTo(WorkerDirectory recorders) {
    Objects.requireNonNull(recorders, "recorders");
    return new RemoteIndex(plane, servers, modelName, lane, timeoutNanos, recorders);
  }

  /** Returns whether {@link #record} tells anybody. */
  public boolean recordsDecisions() {
    return recorders != null;
  }

  /**
   * Tells where a prompt goes, once and without waiting: what is lost is told again when the prompt
   * comes again.
   */
  public void record(RoutingDecision decision) {
    WorkerDirectory known = recorders;
    if (known == null) {
      return;
    }
    byte[] message =
        IndexDecision.of(
                modelName, decision.worker(), decision.localHashes(), decision.sequenceHashes())
            .encode();
    lane.execute(
        () -> {
          for (WorkerInstance recorder : known.instances()) {
            Attempt sent =
                Attempt.builder("kv-decision-" + told++, lane)
                    .deadlineNanos(lane.clock().nanoTime() + timeoutNanos)
                    .build();
            plane.send(recorder, message, sent).subscribe(new Telling());
          }
        });
  }

  /**
   * Asks who holds how much of a prompt, in all tiers.
   *
   * @param localHashes local hash of each block; not to be modified until the stage completes
   * @return the answer; exceptionally a {@link DynamoException} if two attempts failed, or one and
   *     there is no server: {@code UNAVAILABLE}
   */
  public CompletionStage<TieredOverlap> findMatches(long[] localHashes) {
    Objects.requireNonNull(localHashes, "localHashes");
    queries.incrementAndGet();
    Lookup lookup = new Lookup(IndexQuery.of(modelName, localHashes, false).encode());
    lane.execute(lookup::ask);
    return lookup.done.minimalCompletionStage();
  }

  /** Returns the lookups asked for. */
  public long queries() {
    return queries.get();
  }

  /** Returns the attempts that were made because another one had failed. */
  public long retries() {
    return retries.get();
  }

  /** Returns the lookups that failed: decided without knowing any prefix. */
  public long failures() {
    return failures.get();
  }

  /** Returns the decisions that a server has taken, each server counted. */
  public long recordedDecisions() {
    return recorded.get();
  }

  /** Returns the decisions that a server has refused, or not answered in time. */
  public long recordFailures() {
    return recordFailures.get();
  }

  /** One decision told to one server. On the lane. */
  private final class Telling implements Flow.Subscriber<byte[]> {
    private boolean isRecorded;

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(2);
    }

    @Override
    public void onNext(byte[] item) {
      try {
        isRecorded |= IndexDecision.readAnswer(item) == null;
      } catch (DynamoException unreadable) {
        isRecorded = false;
      }
    }

    @Override
    public void onError(Throwable failure) {
      recordFailures.incrementAndGet();
    }

    @Override
    public void onComplete() {
      (isRecorded ? recorded : recordFailures).incrementAndGet();
    }
  }

  /** One lookup. On the lane. */
  private final class Lookup implements Flow.Subscriber<byte[]> {
    final CompletableFuture<TieredOverlap> done = new CompletableFuture<>();
    private final byte[] query;
    private final String requestId;
    private int attempt;
    private long failedServer;
    private byte @Nullable [] answer;

    Lookup(byte[] query) {
      this.query = query;
      this.requestId = "kv-index-" + queries.get();
    }

    void ask() {
      WorkerInstance server = server();
      if (server == null) {
        fail(new DynamoException(ErrorType.UNAVAILABLE, "no index is served: model=" + modelName));
        return;
      }
      failedServer = server.workerId();
      answer = null;
      Attempt sent =
          Attempt.builder(requestId, lane)
              .number(attempt)
              .deadlineNanos(lane.clock().nanoTime() + timeoutNanos)
              .build();
      plane.send(server, query, sent).subscribe(this);
    }

    /** Returns the next server in turn, after a failure another one if there is one. */
    private @Nullable WorkerInstance server() {
      List<WorkerInstance> known = servers.instances();
      if (known.isEmpty()) {
        return null;
      }
      int at = (int) Long.remainderUnsigned(turn.getAndIncrement(), known.size());
      WorkerInstance next = known.get(at);
      if (attempt > 0 && next.workerId() == failedServer) {
        next = known.get((at + 1) % known.size());
      }
      return next;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(2);
    }

    @Override
    public void onNext(byte[] item) {
      if (answer == null) {
        answer = item;
      }
    }

    @Override
    public void onError(Throwable failure) {
      retry(
          failure instanceof DynamoException typed
              ? typed
              : new DynamoException(ErrorType.UNAVAILABLE, "query failed: cause=" + failure));
    }

    @Override
    public void onComplete() {
      byte[] whole = answer;
      if (whole == null) {
        retry(new DynamoException(ErrorType.BACKEND_PROTOCOL, "server sent no answer"));
        return;
      }
      IndexAnswer read;
      try {
        read = IndexAnswer.decode(whole);
      } catch (DynamoException e) {
        retry(e);
        return;
      }
      String error = read.error();
      if (error != null) {
        retry(
            new DynamoException(
                ErrorType.UNAVAILABLE, "server refused: error=" + PeerError.safe(error)));
      } else {
        done.complete(overlap(read));
      }
    }

    private void retry(DynamoException failure) {
      if (++attempt == ATTEMPTS) {
        fail(failure);
      } else {
        retries.incrementAndGet();
        ask();
      }
    }

    private void fail(DynamoException failure) {
      failures.incrementAndGet();
      done.completeExceptionally(failure);
    }
  }

  private static TieredOverlap overlap(IndexAnswer answer) {
    TieredOverlap overlap = TieredOverlap.create();
    for (StorageTier tier : StorageTier.values()) {
      if (!answer.hits(tier).isEmpty()) {
        answer.hits(tier).forEach(overlap.of(tier)::add);
      }
    }
    return overlap;
  }
}
