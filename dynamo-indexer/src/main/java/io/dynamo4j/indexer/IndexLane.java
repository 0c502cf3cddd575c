// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.core.tree.ApplyResult;
import io.dynamo4j.core.tree.RadixTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * One tree and the queue of its updates, drained on one lane.
 *
 * <p><b>Threads.</b> Updates and lookups from anywhere; {@link #tree} lets lookups run beside its
 * one writer, which is the lane.
 */
final class IndexLane {
  private static final int BATCH = 64;

  private final Supplier<LaneContent> contents;
  private final @Nullable DecisionMemory decisions;
  private final Scheduler lane;
  private final int maxPendingUpdates;
  private final IndexCounters counters;
  private final Refusals refusals;

  private final Queue<IndexUpdate> updates = new ConcurrentLinkedQueue<>();
  private final AtomicInteger pending = new AtomicInteger();
  private final AtomicBoolean drainRequested = new AtomicBoolean();
  // What the lane has taken and not applied yet; its own.
  private final @Nullable IndexUpdate[] turn = new IndexUpdate[BATCH];
  private int turnSize;
  private int turnAt;
  private final List<LaneLoad> loads = new ArrayList<>();
  private volatile LaneContent content;
  private volatile long blocks;
  private volatile long decidedBlocks;
  private volatile long lowerTierBlocks;
  private volatile boolean closed;

  /**
   * Makes an empty lane.
   *
   * @param content answers lookups; its tree is that of events, or that of {@code decisions}
   * @param contents makes what a load comes into
   * @param decisions what is learned from decisions, null if nothing is
   */
  IndexLane(
      LaneContent content,
      Supplier<LaneContent> contents,
      @Nullable DecisionMemory decisions,
      Scheduler lane,
      int maxPendingUpdates,
      IndexCounters counters,
      Refusals refusals) {
    this.content = content;
    this.contents = contents;
    this.decisions = decisions;
    this.lane = lane;
    this.maxPendingUpdates = maxPendingUpdates;
    this.counters = counters;
    this.refusals = refusals;
    if (decisions != null) {
      decisions.whenExpired(this::publishSizes);
    }
  }

  RadixTree tree() {
    return content.tree();
  }

  /** Returns something empty that a load may come into. */
  LaneContent newContent() {
    return contents.get();
  }

  /** Returns the tree of predictions beside events, null if there is none. */
  @Nullable RadixTree predictions() {
    return decisions == null || decisions.tree() == content.tree() ? null : decisions.tree();
  }

  LowerTiers lowerTiers() {
    return content.lowerTiers();
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns the pairs held as of the last turn of the lane. */
  long blocks() {
    return blocks;
  }

  /** Returns the (hash, tier) pairs below devices as of the last turn of the lane. */
  long lowerTierBlocks() {
    return lowerTierBlocks;
  }

  /** Returns the blocks believed for decisions alone as of the last turn of the lane. */
  long decidedBlocks() {
    return decidedBlocks;
  }

  long pendingUpdates() {
    return pending.get();
  }

  /** Queues an event or a decision unless too many are pending; returns whether there was room. */
  boolean offer(IndexUpdate update) {
    if (pending.incrementAndGet() > maxPendingUpdates) {
      pending.decrementAndGet();
      return false;
    }
    enqueue(update);
    return true;
  }

  /** Queues another update, however many are pending. */
  void add(IndexUpdate update) {
    enqueue(update);
  }

  private void enqueue(IndexUpdate update) {
    updates.add(update);
    requestDrain();
  }

  private void requestDrain() {
    if (drainRequested.get() || !drainRequested.compareAndSet(false, true)) {
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

  /**
   * Applies one turn's updates and asks for another turn if more is there, so that the lane stays
   * fair.
   */
  private void drain() {
    try {
      IndexUpdate last = applyTurn();
      publishSizes();
      if (last instanceof IndexUpdate.Barrier barrier) {
        release(barrier.barrier());
      }
    } finally {
      drainRequested.set(false);
      if (turnAt < turnSize || !updates.isEmpty()) {
        requestDrain();
      }
    }
  }

  private void publishSizes() {
    if (closed && decisions != null) {
      decisions.close();
    }
    blocks = closed ? 0 : content.tree().blockCount();
    lowerTierBlocks = closed ? 0 : content.lowerTiers().pairCount();
    decidedBlocks = closed || decisions == null ? 0 : decisions.tree().blockCount();
  }

  /** Returns the last update applied: a barrier ends a turn. */
  private @Nullable IndexUpdate applyTurn() {
    if (turnAt == turnSize) {
      takeTurn();
    }
    IndexUpdate update = null;
    while (turnAt < turnSize) {
      update = Objects.requireNonNull(turn[turnAt], "update");
      turn[turnAt++] = null;
      if (!closed) {
        apply(update);
      } else if (update instanceof IndexUpdate.Held held) {
        held.hashes().complete(Optional.empty());
      } else if (update instanceof IndexUpdate.Dump dump) {
        dump.done().completeExceptionally(FlushBarrier.closedFailure());
      }
    }
    return update;
  }

  /** Takes updates up to a barrier and has the tree fetch what they are about. */
  private void takeTurn() {
    turnAt = 0;
    turnSize = 0;
    int madeRoom = 0;
    IndexUpdate update = null;
    while (turnSize < BATCH
        && !(update instanceof IndexUpdate.Barrier)
        && (update = updates.poll()) != null) {
      turn[turnSize++] = update;
      madeRoom += update.takesRoom() ? 1 : 0;
    }
    pending.addAndGet(-madeRoom);
    for (int i = 0; i < turnSize && turnSize > 1; i++) {
      if (turn[i] instanceof IndexUpdate.Event event) {
        content.tree().fetch(event.event());
      } else if (turn[i] instanceof IndexUpdate.Loaded loaded) {
        loaded.load().content().tree().fetch(loaded.event());
      }
    }
  }

  private void apply(IndexUpdate update) {
    if (update instanceof IndexUpdate.Event event) {
      apply(event.event());
    } else if (update instanceof IndexUpdate.Dump dump) {
      write(dump);
    } else if (update instanceof IndexUpdate.WorkerGone gone) {
      content.removeWorker(gone.workerId());
      loads.forEach(load -> load.content().removeWorker(gone.workerId()));
    } else if (update instanceof IndexUpdate.RankGone gone) {
      content.removeRank(gone.worker());
      loads.forEach(load -> load.content().removeRank(gone.worker()));
    } else if (update instanceof IndexUpdate.Expected expected) {
      content.tree().expect(expected.worker(), expected.blocks());
    } else if (update instanceof IndexUpdate.Loaded loaded) {
      count(
          loaded.event(), loaded.load().content().apply(loaded.event()), loaded.load().counters());
    } else if (update instanceof IndexUpdate.LoadExpected expected) {
      expected.load().content().tree().expect(expected.worker(), expected.blocks());
    } else if (update instanceof IndexUpdate.LoadBegun begun) {
      loads.add(begun.load());
    } else if (update instanceof IndexUpdate.LoadEnded ended) {
      loads.remove(ended.load());
      if (ended.isRight()) {
        commit(ended.load());
      }
    } else if (update instanceof IndexUpdate.Held held) {
      LongStream.Builder hashes = LongStream.builder();
      content.tree().forEachHash(held.worker(), hashes::add);
      held.hashes().complete(Optional.of(hashes.build().toArray()));
    }
    if (decisions != null) {
      apply(update, decisions);
    }
  }

  private void write(IndexUpdate.Dump dump) {
    try {
      content.dump(dump.sink());
    } catch (RuntimeException e) {
      dump.done().completeExceptionally(e);
      return;
    }
    dump.done().complete(null);
  }

  private void apply(RouterEvent event) {
    count(event, content.apply(event), counters);
    if (!(event.event().data() instanceof KvCacheEventData.Stored)) {
      loads.forEach(load -> load.content().apply(event));
    }
  }

  private void count(RouterEvent event, ApplyResult result, IndexCounters of) {
    EventOutcome outcome = of.count(result);
    if (result.isRejected()) {
      refusals.report(event, outcome);
    }
  }

  /** Has lookups see a load: instead of nothing, or added to what other events have brought. */
  private void commit(LaneLoad load) {
    counters.addAll(load.counters());
    if (content.isEmpty()) {
      content = load.content();
    } else {
      load.content().dump(this::addLoaded);
    }
  }

  private void addLoaded(RouterEvent event) {
    ApplyResult result = content.apply(event);
    if (result.isRejected()) {
      count(event, result, counters);
    }
  }

  private static void apply(IndexUpdate update, DecisionMemory decisions) {
    if (update instanceof IndexUpdate.Decided decided) {
      decisions.record(decided.decision(), decided.lease());
    } else if (update instanceof IndexUpdate.LeaseGrown grown) {
      grown.lease().grow(decisions);
    } else if (update instanceof IndexUpdate.LeaseEnded ended) {
      ended.lease().end(decisions);
    } else if (update instanceof IndexUpdate.WorkerGone gone) {
      decisions.removeWorker(gone.workerId());
    } else if (update instanceof IndexUpdate.RankGone gone) {
      decisions.removeRank(gone.worker());
    } else if (update instanceof IndexUpdate.Event event
        && event.event().event().data() instanceof KvCacheEventData.Cleared) {
      // The engine has nothing left, whatever was expected of it.
      decisions.removeRank(event.event().worker());
    }
  }

  private void release(FlushBarrier barrier) {
    if (closed) {
      barrier.closed();
    } else {
      barrier.reached();
    }
  }

  void close() {
    closed = true;
    requestDrain();
  }
}
