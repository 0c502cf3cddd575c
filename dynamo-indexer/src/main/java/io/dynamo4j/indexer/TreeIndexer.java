// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Subscription;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Index over the trees of one or several lanes: updates are queued for the lane of their worker,
 * lookups run on the callers' threads over all trees.
 */
final class TreeIndexer implements KvIndexer {
  private final LaneTable lanes;
  private final IndexCounters counters;
  private final Refusals refusals;
  private final StaleRanks staleRanks = new StaleRanks();
  private final IndexKind kind;
  private final int blockSize;

  TreeIndexer(
      LaneTable lanes, IndexCounters counters, Refusals refusals, IndexKind kind, int blockSize) {
    this.kind = kind;
    this.lanes = lanes;
    this.counters = counters;
    this.refusals = refusals;
    this.blockSize = blockSize;
  }

  @Override
  public int blockSize() {
    return blockSize;
  }

  private boolean isClosed() {
    for (int i = 0; i < lanes.size(); i++) {
      if (lanes.lane(i).isClosed()) {
        return true;
      }
    }
    return false;
  }

  /* --------------- Lookups --------------- */

  @Override
  public void findMatches(long[] localHashes, int count, OverlapScores out) {
    findMatches(localHashes, count, LookupScope.all(), out);
  }

  @Override
  public void findMatches(long[] localHashes, int count, LookupScope scope, OverlapScores out) {
    if (isClosed()) {
      Objects.checkFromIndexSize(0, count, localHashes.length);
      out.clear();
    } else if (lanes.size() == 1 && lanes.lane(0).predictions() == null) {
      lanes.lane(0).tree().findMatches(localHashes, count, scope, out);
    } else {
      LaneLookup.of(lanes, out).find(localHashes, count, scope, out);
    }
  }

  @Override
  public void findMatches(long[] localHashes, int count, TieredOverlap out) {
    if (!isClosed() && holdsLowerTiers()) {
      // Kept apart from the scores of lookups on devices alone.
      LaneLookup.of(lanes, out.of(StorageTier.EXTERNAL)).findTiered(localHashes, count, out);
    } else {
      findMatches(localHashes, count, out.device());
      out.clearLowerTiers();
    }
  }

  private boolean holdsLowerTiers() {
    for (int i = 0; i < lanes.size(); i++) {
      if (lanes.lane(i).lowerTiers().ranks().length > 0) {
        return true;
      }
    }
    return false;
  }

  @Override
  public int depthOf(
      WorkerWithDpRank worker, long[] localHashes, int count, OverlapScores scratch) {
    return isClosed()
        ? KvIndexer.super.depthOf(worker, localHashes, count, scratch)
        : LaneLookup.of(lanes, scratch).depthOf(worker, localHashes, count);
  }

  /* --------------- Updates --------------- */

  @Override
  public boolean submit(RouterEvent event) {
    Objects.requireNonNull(event, "event");
    if (isClosed()) {
      return false;
    }
    if (kind == IndexKind.DECISIONS) {
      counters.count(EventOutcome.EVENTS_OFF);
      return false;
    }
    boolean isTaken = lanes.of(event.workerId()).offer(new IndexUpdate.Event(event));
    if (!isTaken) {
      counters.count(EventOutcome.QUEUE_FULL);
    }
    return isTaken;
  }

  @Override
  public boolean isApproximate() {
    return kind == IndexKind.DECISIONS;
  }

  @Override
  public boolean learnsFromDecisions() {
    return kind != IndexKind.EVENTS;
  }

  @Override
  public DecisionLease record(RoutingDecision decision) {
    if (kind == IndexKind.EVENTS || isClosed()) {
      return DecisionLease.none();
    }
    IndexLane lane = lanes.of(decision.worker().workerId());
    QueuedLease lease = new QueuedLease(lane);
    if (!lane.offer(new IndexUpdate.Decided(decision, lease))) {
      counters.count(EventOutcome.QUEUE_FULL);
      return DecisionLease.none();
    }
    return lease;
  }

  @Override
  public void expect(WorkerWithDpRank worker, long blocks) {
    lanes.of(worker.workerId()).add(new IndexUpdate.Expected(worker, blocks));
  }

  @Override
  public Optional<IndexLoad> beginLoad() {
    return kind == IndexKind.DECISIONS || isClosed()
        ? Optional.empty()
        : Optional.of(new LanesLoad(this, lanes));
  }

  @Override
  public void removeWorker(long workerId) {
    lanes.of(workerId).add(new IndexUpdate.WorkerGone(workerId));
  }

  @Override
  public void removeWorkerDpRank(WorkerWithDpRank worker) {
    lanes.of(worker.workerId()).add(new IndexUpdate.RankGone(worker));
  }

  @Override
  public CompletionStage<Optional<long[]>> heldHashes(WorkerWithDpRank worker) {
    CompletableFuture<Optional<long[]>> hashes = new CompletableFuture<>();
    lanes.of(worker.workerId()).add(new IndexUpdate.Held(worker, hashes));
    return hashes.minimalCompletionStage();
  }

  @Override
  public CompletionStage<Void> flush() {
    FlushBarrier barrier = new FlushBarrier(lanes.size());
    for (int i = 0; i < lanes.size(); i++) {
      lanes.lane(i).add(new IndexUpdate.Barrier(barrier));
    }
    return barrier.stage();
  }

  @Override
  public CompletionStage<Void> dump(Consumer<RouterEvent> sink) {
    Objects.requireNonNull(sink, "sink");
    CompletionStage<Void> written = CompletableFuture.completedFuture(null);
    for (int i = 0; i < lanes.size(); i++) {
      IndexLane lane = lanes.lane(i);
      written = written.thenCompose(before -> dump(lane, sink));
    }
    return written;
  }

  private static CompletionStage<Void> dump(IndexLane lane, Consumer<RouterEvent> sink) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    lane.add(new IndexUpdate.Dump(sink, done));
    return done;
  }

  /* --------------- Health --------------- */

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
  public KvIndexerStatus status() {
    long blocks = 0;
    long decided = 0;
    long lower = 0;
    long pending = 0;
    for (int i = 0; i < lanes.size(); i++) {
      blocks += lanes.lane(i).blocks();
      lower += lanes.lane(i).lowerTierBlocks();
      decided += lanes.lane(i).decidedBlocks();
      pending += lanes.lane(i).pendingUpdates();
    }
    return counters.status(health(), blocks, lower, decided, pending, staleRanks.count());
  }

  private KvIndexerStatus.Health health() {
    if (isClosed()) {
      return KvIndexerStatus.Health.CLOSED;
    }
    if (isApproximate()) {
      return KvIndexerStatus.Health.APPROXIMATE;
    }
    if (staleRanks.count() > 0) {
      return KvIndexerStatus.Health.STALE;
    }
    return counters.events(EventOutcome.QUEUE_FULL) > 0
        ? KvIndexerStatus.Health.LOSSY
        : KvIndexerStatus.Health.EXACT;
  }

  @Override
  public void close() {
    for (int i = 0; i < lanes.size(); i++) {
      lanes.lane(i).close();
    }
  }
}
