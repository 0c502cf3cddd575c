// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.tree.ApplyResult;
import io.dynamo4j.core.tree.RadixTree;
import io.dynamo4j.plane.Subscription;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Index over one tree: a queue of updates drained on one lane, lookups on the callers' threads.
 *
 * <p>The tree lets lookups run beside its one writer, which is the lane.
 */
final class TreeIndexer implements KvIndexer {
  private static final int BATCH = 64;

  private final RadixTree tree;
  private final Scheduler lane;
  private final int blockSize;
  private final int maxPendingUpdates;

  private final Queue<Update> updates = new ConcurrentLinkedQueue<>();
  private final AtomicInteger pending = new AtomicInteger();
  private final AtomicBoolean drainRequested = new AtomicBoolean();
  private final Map<EventOutcome, AtomicLong> eventsByOutcome = new EnumMap<>(EventOutcome.class);
  private final AtomicLong rejectedBlocks = new AtomicLong();
  private final AtomicLong unknownBlocks = new AtomicLong();
  private final Refusals refusals = new Refusals();
  private final StaleRanks staleRanks = new StaleRanks();
  private volatile long blocks;
  private volatile boolean closed;

  TreeIndexer(RadixTree tree, Scheduler lane, int blockSize, int maxPendingUpdates) {
    this.tree = tree;
    this.lane = lane;
    this.blockSize = blockSize;
    this.maxPendingUpdates = maxPendingUpdates;
    for (EventOutcome outcome : EventOutcome.values()) {
      eventsByOutcome.put(outcome, new AtomicLong());
    }
  }

  /** One entry of the queue, run on the lane. */
  private sealed interface Update {
    record Event(RouterEvent event) implements Update {}

    record WorkerGone(long workerId) implements Update {}

    record RankGone(WorkerWithDpRank worker) implements Update {}

    record Barrier(CompletableFuture<Void> passed) implements Update {}
  }

  @Override
  public int blockSize() {
    return blockSize;
  }

  @Override
  public void findMatches(long[] localHashes, int count, OverlapScores out) {
    if (closed) {
      Objects.checkFromIndexSize(0, count, localHashes.length);
      out.clear();
      return;
    }
    tree.findMatches(localHashes, count, out);
  }

  @Override
  public void findMatches(long[] localHashes, int count, LookupScope scope, OverlapScores out) {
    if (closed) {
      findMatches(localHashes, count, out);
    } else {
      tree.findMatches(localHashes, count, scope, out);
    }
  }

  @Override
  public int depthOf(
      WorkerWithDpRank worker, long[] localHashes, int count, OverlapScores scratch) {
    return closed
        ? KvIndexer.super.depthOf(worker, localHashes, count, scratch)
        : tree.depthOf(worker, localHashes, count, scratch);
  }

  @Override
  public boolean submit(RouterEvent event) {
    Objects.requireNonNull(event, "event");
    if (closed) {
      return false;
    }
    if (event.tier() != StorageTier.DEVICE) {
      count(EventOutcome.OTHER_TIER);
      return true;
    }
    if (pending.incrementAndGet() > maxPendingUpdates) {
      pending.decrementAndGet();
      count(EventOutcome.QUEUE_FULL);
      return false;
    }
    enqueue(new Update.Event(event));
    return true;
  }

  @Override
  public void removeWorker(long workerId) {
    pending.incrementAndGet();
    enqueue(new Update.WorkerGone(workerId));
  }

  @Override
  public void removeWorkerDpRank(WorkerWithDpRank worker) {
    pending.incrementAndGet();
    enqueue(new Update.RankGone(Objects.requireNonNull(worker, "worker")));
  }

  @Override
  public Subscription watchRefusals(Scheduler listenerLane, RefusalListener listener) {
    return refusals.watch(listenerLane, listener);
  }

  @Override
  public void markStale(WorkerWithDpRank worker, boolean stale) {
    staleRanks.mark(worker, stale);
  }

  @Override
  public boolean isStale(WorkerWithDpRank worker) {
    return staleRanks.contains(worker);
  }

  @Override
  public CompletionStage<Void> flush() {
    CompletableFuture<Void> passed = new CompletableFuture<>();
    pending.incrementAndGet();
    enqueue(new Update.Barrier(passed));
    return passed.minimalCompletionStage();
  }

  private void enqueue(Update update) {
    updates.add(update);
    requestDrain();
  }

  private void requestDrain() {
    if (!drainRequested.compareAndSet(false, true)) {
      return;
    }
    try {
      lane.execute(this::drain);
    } catch (RejectedExecutionException e) {
      // The environment is gone and with it every later turn: nobody may wait for one.
      closed = true;
      drain();
    }
  }

  /** Applies one batch and asks for another turn if more is there, so that the lane stays fair. */
  private void drain() {
    try {
      Update last = applyBatch();
      blocks = closed ? 0 : tree.blockCount();
      if (last instanceof Update.Barrier barrier) {
        release(barrier);
      }
    } finally {
      drainRequested.set(false);
      if (!updates.isEmpty()) {
        requestDrain();
      }
    }
  }

  /** Returns the last update taken: a barrier ends a batch. */
  private @Nullable Update applyBatch() {
    Update update = null;
    for (int i = 0; i < BATCH && (update = updates.poll()) != null; i++) {
      pending.decrementAndGet();
      if (update instanceof Update.Barrier) {
        return update;
      }
      apply(update);
    }
    return update;
  }

  private void apply(Update update) {
    if (closed) {
      return;
    }
    if (update instanceof Update.Event event) {
      record(event.event(), tree.apply(event.event()));
    } else if (update instanceof Update.WorkerGone gone) {
      tree.removeWorker(gone.workerId());
    } else if (update instanceof Update.RankGone gone) {
      tree.removeWorkerDpRank(gone.worker());
    }
  }

  private void release(Update.Barrier barrier) {
    if (closed) {
      barrier
          .passed()
          .completeExceptionally(new DynamoException(ErrorType.CLOSED, "index is closed"));
    } else {
      barrier.passed().complete(null);
    }
  }

  private void record(RouterEvent event, ApplyResult result) {
    EventOutcome outcome =
        switch (result.outcome()) {
          case APPLIED -> EventOutcome.APPLIED;
          case DUPLICATE -> EventOutcome.DUPLICATE;
          case PARENT_NOT_FOUND -> EventOutcome.PARENT_NOT_FOUND;
          case SELF_REFERENCE -> EventOutcome.SELF_REFERENCE;
          case UNKNOWN_BLOCKS -> EventOutcome.UNKNOWN_BLOCKS;
          case OUT_OF_CAPACITY -> EventOutcome.OUT_OF_CAPACITY;
        };
    count(outcome);
    if (result.isRejected()) {
      refusals.report(event, outcome);
    }
    rejectedBlocks.addAndGet(result.rejectedBlocks());
    unknownBlocks.addAndGet(result.unknownBlocks());
  }

  private void count(EventOutcome outcome) {
    counter(outcome).incrementAndGet();
  }

  private AtomicLong counter(EventOutcome outcome) {
    return Objects.requireNonNull(eventsByOutcome.get(outcome), "counter");
  }

  @Override
  public KvIndexerStatus status() {
    Map<EventOutcome, Long> events = new EnumMap<>(EventOutcome.class);
    eventsByOutcome.forEach((outcome, count) -> events.put(outcome, count.get()));
    return new KvIndexerStatus(
        health(),
        events,
        rejectedBlocks.get(),
        unknownBlocks.get(),
        blocks,
        pending.get(),
        staleRanks.count());
  }

  private KvIndexerStatus.Health health() {
    if (closed) {
      return KvIndexerStatus.Health.CLOSED;
    }
    if (staleRanks.count() > 0) {
      return KvIndexerStatus.Health.STALE;
    }
    return counter(EventOutcome.QUEUE_FULL).get() > 0
        ? KvIndexerStatus.Health.LOSSY
        : KvIndexerStatus.Health.EXACT;
  }

  @Override
  public void close() {
    closed = true;
    requestDrain();
  }
}
