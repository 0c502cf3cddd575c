// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.hash.BlockHasher;
import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.token.TokenSlice;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Chooses a worker by cached prefix and live load, and books the choice in the same step.
 *
 * <p>Because selecting and booking are one step, concurrent selections see each other's bookings: a
 * burst of equal prompts spreads instead of running to the one worker that looked best. Hashing the
 * prompt and asking the index happen before that step, without the lock.
 *
 * <p>Workers are those that the directory names at the time of the choice; bookings of a worker
 * that left, or came back as another incarnation, are dropped with the next operation.
 *
 * <p><b>Threads.</b> Any. A call never waits for another component; it may wait for another
 * decision.
 */
public final class KvRouter {
  private static final long[] NO_HASHES = {};

  private final KvRouterConfig config;
  private final int blockSize;
  private final PromptHasher hasher;
  private final @Nullable KvIndexer indexer;

  // Everything below belongs to the lock.
  private final ReentrantLock lock = new ReentrantLock();
  private final Eligibility eligibility;
  private final ActiveBlockTracker tracker;
  private final WorkerSelector selector;
  private final RandomSource selectionRandom;
  private final RandomSource blockRandom;
  private final WorkerCandidates candidates = WorkerCandidates.create();
  private RankTable table = RankTable.EMPTY;
  private int[] depths = new int[0];

  KvRouter(KvRouterBuilder builder, RandomSource random, WorkerDirectory directory) {
    this.config = builder.config();
    this.indexer = config.needsOverlap() ? builder.indexer() : null;
    this.blockSize = builder.blockSize();
    this.hasher = new PromptHasher(blockSize);
    this.eligibility = new Eligibility(directory, builder.health());
    this.selectionRandom = random.split("selection");
    this.blockRandom = random.split("blocks");
    ActiveBlockTracker ownTracker = builder.tracker();
    this.tracker =
        ownTracker != null
            ? ownTracker
            : ActiveBlockTracker.create(random.split("tracker").nextLong());
    WorkerSelector ownSelector = builder.selector();
    this.selector = ownSelector != null ? ownSelector : DefaultWorkerSelector.of(config);
  }

  public static KvRouterBuilder builder() {
    return new KvRouterBuilder();
  }

  public KvRouterConfig config() {
    return config;
  }

  /** Returns tokens per block. */
  public int blockSize() {
    return blockSize;
  }

  /**
   * Chooses a rank for the request and books it there.
   *
   * @return the booking; the caller closes it when the request has ended, however it ended
   * @throws NoEligibleWorkerException if no registered rank may take the request
   * @throws io.dynamo4j.core.model.DynamoException of type {@code DUPLICATE_REQUEST} if the same
   *     attempt is booked
   * @throws IllegalStateException if a policy of the host breaks its contract; nothing is booked
   */
  public RequestLease trySelect(SchedulingRequest request) {
    TokenSlice tokens = request.tokenIds();
    long[] hashes = NO_HASHES;
    @Nullable OverlapScores scores = null;
    boolean sharesBlocks = config.routerTrackActiveBlocks() && config.routerAssumeKvReuse();
    if (indexer != null || sharesBlocks) {
      BlockHasher blockHasher = hasher.of(request.routing());
      hashes = new long[blockHasher.blockCount(tokens.length())];
      blockHasher.hash(tokens, hashes);
      scores = lookUp(hashes);
      SequenceHasher.hash(hashes, hashes.length, hashes);
    }
    lock.lock();
    try {
      return selectAndBook(request, trackedHashes(tokens, hashes), scores);
    } finally {
      lock.unlock();
    }
  }

  /** Returns what the bookings of one rank add up to. */
  public WorkerLoad load(WorkerWithDpRank worker) {
    lock.lock();
    try {
      refreshTable();
      return tracker.load(worker);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of living bookings. */
  public int bookingCount() {
    lock.lock();
    try {
      refreshTable();
      return tracker.bookingCount();
    } finally {
      lock.unlock();
    }
  }

  void markPrefillCompleted(Booking booking) {
    lock.lock();
    try {
      tracker.markPrefillCompleted(booking);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds a block.
   *
   * @param remaining part of the answer still to come, NaN if unknown
   * @return false where output blocks do not count, or the booking is gone
   */
  boolean addOutputBlock(Booking booking, double remaining) {
    if (!config.routerTrackOutputBlocks()) {
      return false;
    }
    lock.lock();
    try {
      return Double.isNaN(remaining)
          ? tracker.addOutputBlock(booking)
          : tracker.addOutputBlock(booking, remaining);
    } finally {
      lock.unlock();
    }
  }

  void free(Booking booking) {
    lock.lock();
    try {
      tracker.free(booking);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable OverlapScores lookUp(long[] localHashes) {
    if (indexer == null || localHashes.length == 0) {
      return null;
    }
    OverlapScores scores = OverlapScores.create();
    indexer.findMatches(localHashes, localHashes.length, scores);
    return scores;
  }

  /** Returns what a booking counts: the prompt's own hashes, hashes of nobody else, or nothing. */
  private long[] trackedHashes(TokenSlice tokens, long[] sequenceHashes) {
    if (!config.routerTrackActiveBlocks()) {
      return NO_HASHES;
    }
    if (config.routerAssumeKvReuse()) {
      return sequenceHashes;
    }
    long[] unique = new long[tokens.length() / blockSize];
    for (int i = 0; i < unique.length; i++) {
      unique[i] = blockRandom.nextLong();
    }
    return unique;
  }

  private RequestLease selectAndBook(
      SchedulingRequest request, long[] hashes, @Nullable OverlapScores scores) {
    refreshTable();
    while (true) {
      int count = eligibility.collect(request.routing(), request.excludedWorkers());
      if (count == 0) {
        throw explain(request, false);
      }
      fillCandidates(request, hashes, scores, count);
      WorkerSelectionResult selection = selector.select(request, candidates, selectionRandom);
      if (selection == null) {
        throw explain(request, true);
      }
      int index = requireEligible(selection.worker());
      Booking booking = booking(request, hashes, selection);
      tracker.book(booking);
      if (eligibility.admit(selection.worker())) {
        return lease(request, booking, selection, index);
      }
      tracker.free(booking);
    }
  }

  private void fillCandidates(
      SchedulingRequest request, long[] hashes, @Nullable OverlapScores scores, int count) {
    candidates.reset(
        request.tokenIds().length(), blockSize, hashes.length, config.routerTrackPrefillTokens());
    spreadDepths(scores, 1);
    for (int i = 0; i < count; i++) {
      int index = eligibility.eligible(i);
      candidates.add(table.rank(index), depths[index], 0, 0);
    }
    spreadDepths(scores, 0);
    tracker.project(hashes, hashes.length, candidates);
  }

  /** Writes each rank's matched depth, times 1 or 0, to where the table has the rank. */
  private void spreadDepths(@Nullable OverlapScores scores, int factor) {
    if (scores == null) {
      return;
    }
    for (int i = 0; i < scores.size(); i++) {
      int index = table.indexOf(scores.worker(i));
      if (index >= 0) {
        depths[index] = scores.depth(i) * factor;
      }
    }
  }

  private Booking booking(
      SchedulingRequest request, long[] hashes, WorkerSelectionResult selection) {
    int promptTokens = request.tokenIds().length();
    int uncached = promptTokens - Math.min(selection.cachedTokens(), promptTokens);
    return Booking.of(
        request.key(),
        selection.worker(),
        hashes,
        hashes.length,
        config.routerTrackPrefillTokens() ? uncached : 0);
  }

  private RequestLease lease(
      SchedulingRequest request, Booking booking, WorkerSelectionResult selection, int index) {
    int promptTokens = request.tokenIds().length();
    long tokensToNextBlock = (long) candidates.promptBlocks() * blockSize - promptTokens;
    return new RequestLease(
        this,
        booking,
        table.instance(index),
        selection,
        tokensToNextBlock,
        request.routing().expectedOutputTokens());
  }

  private int requireEligible(WorkerWithDpRank worker) {
    int index = table.indexOf(worker);
    if (!eligibility.isEligible(index)) {
      throw new IllegalStateException(
          "selector chose a worker that was no candidate: worker=" + worker);
    }
    return index;
  }

  private NoEligibleWorkerException explain(SchedulingRequest request, boolean filtered) {
    return eligibility.explain(
        request.key(), request.routing(), request.excludedWorkers(), filtered);
  }

  /** Takes over the directory's snapshot if it is another one than last time. */
  private void refreshTable() {
    RankTable next = eligibility.refresh();
    if (next == table) {
      return;
    }
    for (WorkerInstance before : table.snapshot()) {
      int index = next.indexOf(before.rank(0));
      if (index < 0 || next.instance(index).incarnation() != before.incarnation()) {
        tracker.removeWorker(before.workerId());
      }
    }
    table = next;
    depths = new int[table.size()];
  }
}
