// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.DecisionLease;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.KvIndexerStatus;
import io.dynamo4j.indexer.RefusalListener;
import io.dynamo4j.indexer.RoutingDecision;
import io.dynamo4j.indexer.TieredOverlap;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.Subscription;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An index that also writes to a durable log whatever it is told, in that order. Any source of
 * events that feeds an index feeds a log through it: a {@link io.dynamo4j.indexer.KvEventFeed},
 * with its recovery of what the event plane has lost, as well as an engine's own events. So fleets
 * that know nothing of the durable mode have it.
 *
 * <p>Of what the index does not hold behind a gap nothing is written when all is written anew.
 *
 * <p><b>Threads.</b> Any. What comes from one thread keeps its order.
 */
public final class DurableKvBridge implements KvIndexer {
  private final KvIndexer index;
  private final Scheduler lane;
  private final LogWriter writer;
  private volatile boolean closed;

  private DurableKvBridge(Builder builder, DurableEventLog log, KvIndexer index, Environment env) {
    this.index = index;
    this.lane = env.lanes().lane("durable-writer");
    long writerId =
        builder.writerId != 0
            ? builder.writerId
            : env.random().split("durable-writer-id").nextLong();
    this.writer = new LogWriter(log, index, lane, env, writerId, builder.maxPendingBlocks);
  }

  /** Starts a builder; log, index and environment are required. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns what became of the log's side. */
  public DurableWriterStatus writerStatus() {
    return writer.status();
  }

  /* --------------- Updates --------------- */

  @Override
  public boolean submit(RouterEvent event) {
    Objects.requireNonNull(event, "event");
    return onLane(
        () -> {
          index.submit(event);
          writer.add(event);
        });
  }

  @Override
  public void removeWorker(long workerId) {
    onLane(
        () -> {
          index.removeWorker(workerId);
          writer.clear(workerId);
        });
  }

  @Override
  public void removeWorkerDpRank(WorkerWithDpRank worker) {
    onLane(
        () -> {
          index.removeWorkerDpRank(worker);
          writer.add(RankNumbers.clear(worker));
        });
  }

  private boolean onLane(Runnable task) {
    if (closed) {
      return false;
    }
    try {
      lane.execute(task);
      return true;
    } catch (RejectedExecutionException ended) {
      return false;
    }
  }

  /** Runs something once everything before has been handed to the index. */
  private <T> CompletionStage<T> behindUpdates(
      java.util.function.Supplier<CompletionStage<T>> asked) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    boolean isTaken =
        onLane(
            () ->
                asked
                    .get()
                    .whenComplete(
                        (value, failure) -> {
                          if (failure != null) {
                            answer.completeExceptionally(failure);
                          } else {
                            answer.complete(value);
                          }
                        }));
    return isTaken ? answer.minimalCompletionStage() : asked.get();
  }

  @Override
  public CompletionStage<Void> flush() {
    return behindUpdates(index::flush);
  }

  @Override
  public CompletionStage<Void> dump(Consumer<RouterEvent> sink) {
    return behindUpdates(() -> index.dump(sink));
  }

  @Override
  public CompletionStage<Optional<long[]>> heldHashes(WorkerWithDpRank worker) {
    return behindUpdates(() -> index.heldHashes(worker));
  }

  /* --------------- What the index answers --------------- */

  @Override
  public int blockSize() {
    return index.blockSize();
  }

  @Override
  public void findMatches(long[] localHashes, int count, OverlapScores out) {
    index.findMatches(localHashes, count, out);
  }

  @Override
  public void findMatches(long[] localHashes, int count, LookupScope scope, OverlapScores out) {
    index.findMatches(localHashes, count, scope, out);
  }

  @Override
  public void findMatches(long[] localHashes, int count, TieredOverlap out) {
    index.findMatches(localHashes, count, out);
  }

  @Override
  public int depthOf(
      WorkerWithDpRank worker, long[] localHashes, int count, OverlapScores scratch) {
    return index.depthOf(worker, localHashes, count, scratch);
  }

  @Override
  public boolean isApproximate() {
    return index.isApproximate();
  }

  @Override
  public boolean learnsFromDecisions() {
    return index.learnsFromDecisions();
  }

  @Override
  public DecisionLease record(RoutingDecision decision) {
    return index.record(decision);
  }

  @Override
  public Subscription watchRefusals(Scheduler listenerLane, RefusalListener listener) {
    return index.watchRefusals(listenerLane, listener);
  }

  @Override
  public void markStale(WorkerWithDpRank worker, boolean stale) {
    index.markStale(worker, stale);
  }

  @Override
  public boolean isStale(WorkerWithDpRank worker) {
    return index.isStale(worker);
  }

  @Override
  public KvIndexerStatus status() {
    return index.status();
  }

  /** Ends writing: what has not reached the log is not written. The index stays open. */
  @Override
  public void close() {
    if (!closed) {
      onLane(writer::close);
      closed = true;
    }
  }

  /** Builds a {@link DurableKvBridge}. */
  public static final class Builder {
    /** Blocks that wait for the log unless set. */
    public static final long DEFAULT_MAX_PENDING_BLOCKS = 1L << 20;

    private @Nullable DurableEventLog log;
    private @Nullable KvIndexer index;
    private @Nullable Environment environment;
    private long writerId;
    private long maxPendingBlocks = DEFAULT_MAX_PENDING_BLOCKS;

    private Builder() {}

    /** Sets where events are written; the caller closes it after the bridge. */
    public Builder log(DurableEventLog log) {
      this.log = Objects.requireNonNull(log, "log");
      return this;
    }

    /** Sets what knows all that is held; the caller closes it after the bridge. */
    public Builder index(KvIndexer index) {
      this.index = Objects.requireNonNull(index, "index");
      return this;
    }

    public Builder environment(Environment environment) {
      this.environment = Objects.requireNonNull(environment, "environment");
      return this;
    }

    /**
     * Sets the writer's id, unsigned, another in each life; drawn by chance unless set, the same
     * for all of one environment.
     *
     * @throws IllegalArgumentException if 0
     */
    public Builder writerId(long id) {
      if (id == 0) {
        throw new IllegalArgumentException("writer's id must not be 0");
      }
      this.writerId = id;
      return this;
    }

    /**
     * Sets how many blocks wait while the log is away; beyond that all is dropped and later written
     * anew.
     *
     * @throws IllegalArgumentException if not positive
     */
    public Builder maxPendingBlocks(long blocks) {
      if (blocks < 1) {
        throw new IllegalArgumentException("blocks must be positive: blocks=" + blocks);
      }
      this.maxPendingBlocks = blocks;
      return this;
    }

    /**
     * Makes the bridge; the caller closes it before log and index.
     *
     * @throws IllegalStateException if a required setting is missing
     */
    public DurableKvBridge build() {
      if (log == null || index == null || environment == null) {
        throw new IllegalStateException(
            "bridge needs log, index and environment: log="
                + (log == null ? "missing" : "set")
                + ", index="
                + (index == null ? "missing" : "set")
                + ", environment="
                + (environment == null ? "missing" : "set"));
      }
      return new DurableKvBridge(this, log, index, environment);
    }
  }
}
