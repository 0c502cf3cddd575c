// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.WorkerDirectory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
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
public final class KvRouter implements AutoCloseable {
  private static final long[] NO_HASHES = {};

  private final KvRouterConfig config;
  private final int blockSize;
  private final PromptLookup prompts;
  private final @Nullable KvIndexer ownIndexer;
  private final NanoClock clock;

  // Everything below belongs to the lock.
  private final ReentrantLock lock = new ReentrantLock();
  private final Eligibility eligibility;
  private final ActiveBlockTracker tracker;
  private final RouterBookings bookings;
  private final PrefillLoadModel prefillLoadModel;
  private final WorkerSelector selector;
  private final @Nullable WorkerSpeeds speeds;
  private final RandomSource selectionRandom;
  private final RandomSource blockRandom;
  private final WorkerCandidates candidates = WorkerCandidates.create();
  private RankTable table = RankTable.EMPTY;
  private int[] depths = new int[0];

  KvRouter(KvRouterBuilder builder, RandomSource random, WorkerDirectory directory) {
    this.config = builder.config();
    this.blockSize = builder.blockSize();
    this.prompts = new PromptLookup(config, builder.indexer(), blockSize);
    this.ownIndexer = builder.ownIndexer();
    this.speeds = builder.speeds();
    this.clock = builder.clock();
    this.selectionRandom = random.split("selection");
    this.blockRandom = random.split("blocks");
    ActiveBlockTracker ownTracker = builder.tracker();
    this.tracker =
        ownTracker != null
            ? ownTracker
            : ActiveBlockTracker.create(random.split("tracker").nextLong(), clock);
    this.bookings = new RouterBookings(tracker, clock, builder.leases().activeRequestExpiry());
    this.prefillLoadModel = builder.prefillLoadModel();
    this.eligibility =
        new Eligibility(directory, builder.health(), builder.loadMonitor(), tracker::load);
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
    Prompt prompt = prompts.lookUp(request);
    lock.lock();
    try {
      return selectAndBook(request, prompt, trackedHashes(request, prompt));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Says which rank {@link #trySelect} would choose now, and books nothing.
   *
   * @throws NoEligibleWorkerException if no registered rank may take the request
   * @throws IllegalStateException if a policy of the host breaks its contract
   */
  public WorkerSelectionResult query(SchedulingRequest request) {
    Prompt prompt = prompts.lookUp(request);
    lock.lock();
    try {
      refreshTable();
      return choose(request, prompt, trackedHashes(request, prompt));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Says what each registered rank would carry with the request on it, eligible or not, in the
   * directory's order; books nothing.
   */
  public List<PotentialLoad> potentialLoads(SchedulingRequest request) {
    Prompt prompt = prompts.lookUp(request);
    lock.lock();
    try {
      refreshTable();
      fillCandidates(request, prompt, trackedHashes(request, prompt), eligibility.collectAll());
      List<PotentialLoad> loads = new ArrayList<>(candidates.size());
      for (int row = 0; row < candidates.size(); row++) {
        loads.add(potentialLoad(row, prompt.config()));
      }
      return Collections.unmodifiableList(loads);
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

  void markPrefillCompleted(RequestLease lease) {
    lock.lock();
    try {
      bookings.markPrefillCompleted(lease);
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
  boolean addOutputBlock(RequestLease lease, double remaining) {
    if (!config.routerTrackOutputBlocks()) {
      return false;
    }
    lock.lock();
    try {
      return bookings.addOutputBlock(lease, remaining);
    } finally {
      lock.unlock();
    }
  }

  void free(RequestLease lease) {
    lock.lock();
    try {
      bookings.close(lease);
    } finally {
      lock.unlock();
    }
  }

  void revive(RequestLease lease) {
    lock.lock();
    try {
      refreshTable();
      bookings.revive(lease);
    } finally {
      lock.unlock();
    }
  }

  long nanoTime() {
    return clock.nanoTime();
  }

  /** Returns what a booking counts: the prompt's own hashes, hashes of nobody else, or nothing. */
  private long[] trackedHashes(SchedulingRequest request, Prompt prompt) {
    if (!prompt.config().routerTrackActiveBlocks()) {
      return NO_HASHES;
    }
    if (prompt.config().routerAssumeKvReuse()) {
      return prompt.sequenceHashes();
    }
    long[] unique = new long[request.tokenIds().length() / blockSize];
    for (int i = 0; i < unique.length; i++) {
      unique[i] = blockRandom.nextLong();
    }
    return unique;
  }

  private RequestLease selectAndBook(SchedulingRequest request, Prompt prompt, long[] hashes) {
    refreshTable();
    while (true) {
      WorkerSelectionResult selection = choose(request, prompt, hashes);
      int index = requireEligible(selection.worker());
      Booking booking = booking(request, prompt, hashes, selection);
      bookings.book(booking);
      if (eligibility.admit(selection.worker())) {
        return lease(request, prompt, booking, selection, index);
      }
      bookings.withdraw(booking);
    }
  }

  private WorkerSelectionResult choose(SchedulingRequest request, Prompt prompt, long[] hashes) {
    int count = eligibility.collect(request.routing(), request.excludedWorkers());
    if (count == 0) {
      throw explain(request, false);
    }
    fillCandidates(request, prompt, hashes, count);
    WorkerSelectionResult selection = selector.select(request, candidates, selectionRandom);
    if (selection == null) {
      throw explain(request, true);
    }
    return selection;
  }

  private void fillCandidates(SchedulingRequest request, Prompt prompt, long[] hashes, int count) {
    candidates.reset(
        request.tokenIds().length(),
        blockSize,
        hashes.length,
        prompt.config().routerTrackPrefillTokens());
    spreadDepths(prompt.scores(), 1);
    for (int i = 0; i < count; i++) {
      int index = eligibility.eligible(i);
      weigh(request, candidates.add(table.rank(index), depths[index], 0, 0), index);
    }
    spreadDepths(prompt.scores(), 0);
    tracker.project(hashes, hashes.length, candidates);
  }

  /** Sets what multiplies a row's cost; a pinned request has nothing to compare. */
  private void weigh(SchedulingRequest request, int row, int index) {
    RoutingHints hints = request.routing();
    if (!hints.constraints().preferredTaints().isEmpty() && !hints.isPinned()) {
      candidates.setCostFactor(row, hints.constraints().costFactor(table.instance(index).taints()));
    }
    if (speeds != null) {
      WorkerWithDpRank rank = table.rank(index);
      candidates.setSpeeds(row, speeds.prefill(rank), speeds.decode(rank));
    }
  }

  private PotentialLoad potentialLoad(int row, KvRouterConfig effective) {
    double overlap = KvWorkerScorer.of(effective).effectiveOverlapBlocks(candidates, row);
    int cached = WorkerSelectionResult.cachedTokens(overlap, blockSize);
    long own =
        candidates.tracksPrefillTokens() ? Math.max(0, candidates.promptTokens() - cached) : 0;
    return new PotentialLoad(
        candidates.worker(row),
        candidates.activePrefillTokens(row) + own,
        candidates.activeBlocks(row) + candidates.addedBlocks(row),
        candidates.activeRequests(row));
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
      SchedulingRequest request, Prompt prompt, long[] hashes, WorkerSelectionResult selection) {
    int promptTokens = request.tokenIds().length();
    int uncached = promptTokens - Math.min(selection.cachedTokens(), promptTokens);
    boolean counts = prompt.config().routerTrackPrefillTokens() && uncached > 0;
    return Booking.of(
        request.key(),
        selection.worker(),
        hashes,
        hashes.length,
        counts ? uncached : 0,
        counts
            ? prefillLoadModel.expectedPrefillNanos(selection.worker(), promptTokens, uncached)
            : -1);
  }

  private RequestLease lease(
      SchedulingRequest request,
      Prompt prompt,
      Booking booking,
      WorkerSelectionResult selection,
      int index) {
    int promptTokens = request.tokenIds().length();
    long tokensToNextBlock = (long) candidates.promptBlocks() * blockSize - promptTokens;
    RequestLease lease =
        new RequestLease(
            this, booking, table.instance(index), selection, tokensToNextBlock, request.routing());
    bookings.open(lease);
    lease.learned(prompts.teach(prompt, selection.worker(), table.instance(index)));
    return lease;
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

  /** Takes over the directory's snapshot if it is another one than last time; ends old leases. */
  private void refreshTable() {
    bookings.expire();
    RankTable next = eligibility.refresh();
    if (next == table) {
      return;
    }
    bookings.tableChanged(next);
    prompts.tableChanged(table, next);
    table = next;
    depths = new int[table.size()];
  }

  /** Ends the index that the router made for itself, if it did. Idempotent. */
  @Override
  public void close() {
    if (ownIndexer != null) {
      ownIndexer.close();
    }
  }
}
