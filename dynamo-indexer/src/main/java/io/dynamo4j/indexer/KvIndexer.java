// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Subscription;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Knows which rank holds which prefix of KV blocks, from the events of the ranks.
 *
 * <p>The score of a rank is a function of that rank's own events: exact after any order of stores,
 * removals and clears, whatever other ranks hold. A lookup beside an update never waits for it and
 * never scores above what was held at some moment of the call. An update is visible to lookups some
 * time after it was handed in; {@link #flush} says when.
 *
 * <p><b>Threads.</b> Every method may be called from any thread and never waits for another
 * component. One caller's updates of one worker are applied in the order handed in, on that
 * worker's lane; lookups run on the caller's thread.
 */
public interface KvIndexer extends AutoCloseable {

  /** Returns a builder for the index of this library. */
  static KvIndexerBuilder builder() {
    return new KvIndexerBuilder();
  }

  /** Returns tokens per block: what queries and events must have been hashed with. */
  int blockSize();

  /**
   * Replaces {@code out} by the ranks that hold at least the first block of the query, each once,
   * with its number of leading blocks.
   *
   * @param localHashes local hash of each block of the prompt, from its first
   * @param count how many of them form the query; 0 gives an empty result
   * @throws IndexOutOfBoundsException if {@code count} is negative or beyond the array
   */
  void findMatches(long[] localHashes, int count, OverlapScores out);

  /**
   * As {@link #findMatches(long[], int, OverlapScores)}, within a scope: some ranks only, or only
   * as far as it takes to know the best one. Costs less than to drop ranks afterwards.
   *
   * @throws IndexOutOfBoundsException if {@code count} is negative or beyond the array
   */
  default void findMatches(long[] localHashes, int count, LookupScope scope, OverlapScores out) {
    findMatches(localHashes, count, out);
    for (int i = out.size() - 1; i >= 0; i--) {
      if (!scope.includes(out.worker(i))) {
        out.lower(i, 0);
      }
    }
  }

  /**
   * As {@link #findMatches(long[], int, OverlapScores)}, over all storage tiers: the device first,
   * then what each tier below adds behind it. An index of devices alone adds nothing.
   *
   * @throws IndexOutOfBoundsException if {@code count} is negative or beyond the array
   */
  default void findMatches(long[] localHashes, int count, TieredOverlap out) {
    findMatches(localHashes, count, out.device());
    out.clearLowerTiers();
  }

  /**
   * Returns the score of one rank, 0 if it holds nothing of the query.
   *
   * @param scratch overwritten
   * @throws IndexOutOfBoundsException if {@code count} is negative or beyond the array
   */
  default int depthOf(
      WorkerWithDpRank worker, long[] localHashes, int count, OverlapScores scratch) {
    findMatches(localHashes, count, scratch);
    return scratch.depthOf(worker);
  }

  /**
   * Hands in one event. If the queue of pending updates is full the event is dropped and counted as
   * {@link EventOutcome#QUEUE_FULL}: the scores of its rank may be stale from then on.
   *
   * @return whether the event was taken
   */
  boolean submit(RouterEvent event);

  /**
   * Returns whether this index knows prefixes from routing decisions alone: whoever decides then
   * also says, by {@link #removeWorker}, which workers are gone.
   */
  default boolean isApproximate() {
    return false;
  }

  /** Returns whether {@link #record} makes a difference. */
  default boolean learnsFromDecisions() {
    return false;
  }

  /**
   * Learns that a prompt was sent to a rank, which is believed to hold its blocks for a while. If
   * the queue of pending updates is full the decision is dropped and counted.
   *
   * @return to be closed when the request has ended
   */
  default DecisionLease record(RoutingDecision decision) {
    return DecisionLease.none();
  }

  /**
   * Says how many blocks a rank is about to hold on the device in all, in order with its events, so
   * that they are stored faster. No more than a hint.
   */
  default void expect(WorkerWithDpRank worker, long blocks) {}

  /**
   * Begins to load what was held before; empty if this index cannot keep it apart from what it
   * holds. Whoever begins commits or abandons.
   */
  default Optional<IndexLoad> beginLoad() {
    return Optional.empty();
  }

  /** Forgets every rank of a worker, in order with its events; never refused for want of room. */
  void removeWorker(long workerId);

  /** Forgets one rank, in order with its events; never refused for want of room. */
  void removeWorkerDpRank(WorkerWithDpRank worker);

  /**
   * Reports every store that is refused from now on, soon after. An index that never refuses, or
   * cannot tell, reports nothing.
   *
   * @param lane where {@code listener} runs; never inline
   */
  default Subscription watchRefusals(Scheduler lane, RefusalListener listener) {
    return () -> {};
  }

  /**
   * Marks a rank whose events are not all here, so that its scores may be out of date, or takes the
   * mark away. Whoever feeds the index does this; the index itself never does.
   */
  default void markStale(WorkerWithDpRank worker, boolean stale) {}

  /** Returns whether scores of this rank may be out of date; see {@link #markStale}. */
  default boolean isStale(WorkerWithDpRank worker) {
    return false;
  }

  /**
   * Returns the hashes that a rank holds on the device once everything handed in before is applied,
   * in no order, once for each place of a hash; empty if this index cannot tell. O(blocks of the
   * rank) on a lane of the index.
   */
  default CompletionStage<Optional<long[]>> heldHashes(WorkerWithDpRank worker) {
    return CompletableFuture.completedStage(Optional.empty());
  }

  /**
   * Returns a stage that completes, on a lane of the index, when every update handed in before is
   * visible to lookups; exceptionally with {@code CLOSED} if the index closes first.
   */
  CompletionStage<Void> flush();

  /**
   * Hands out, as stores in order of parents, what ranks hold of every tier and a query can find;
   * not what decisions make expect beside events. Each worker's part is of one moment.
   *
   * @param sink runs on lanes of the index, one call at a time; their updates wait meanwhile
   * @return completes after the last store; exceptionally if the sink throws or the index closes
   */
  default CompletionStage<Void> dump(Consumer<RouterEvent> sink) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException("index cannot be dumped: index=" + this));
  }

  /** Returns counters and health as of now. */
  KvIndexerStatus status();

  /** Ends the index: pending updates are dropped, lookups find nothing. Idempotent. */
  @Override
  void close();
}
