// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
 * <p>Several routers over the same workers see each other's bookings if they share an event plane;
 * see {@link KvRouterBuilder#replicaSync}.
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
  private final @Nullable AdmissionQueue queue;
  private final @Nullable Subscription directoryWatch;
  private final RoutingReports reports;
  private final RouterSampler sampler;
  private final HealthWatch health;

  // Everything below belongs to the lock.
  private final ReentrantLock lock = new ReentrantLock();
  private final FleetView fleet;
  private final ActiveBlockTracker tracker;
  private final RouterBookings bookings;
  private final PrefillLoadModel prefillLoadModel;
  private final DecisionRecorder decisions;
  private final RouterTraffic traffic;
  private final CacheReports cacheReports = new CacheReports();
  private final @Nullable ReplicaSync sync;
  private final RandomSource selectionRandom;
  private final RandomSource blockRandom;
  private boolean alwaysExplain;

  KvRouter(KvRouterBuilder builder, RandomSource random, WorkerDirectory directory) {
    this.config = builder.config();
    this.blockSize = builder.blockSize();
    this.prompts =
        new PromptLookup(
            config, builder.indexer(), builder.remoteIndex(), builder.remoteFallback(), blockSize);
    this.ownIndexer = builder.ownIndexer();
    this.clock = builder.clock();
    this.reports = new RoutingReports(builder.listener(), clock);
    this.selectionRandom = random.split("selection");
    this.blockRandom = random.split("blocks");
    this.tracker = builder.tracker(random, clock);
    this.bookings = new RouterBookings(tracker, clock, builder.leases().activeRequestExpiry());
    this.prefillLoadModel = builder.prefillLoadModel();
    Eligibility eligibility =
        new Eligibility(directory, builder.health(), builder.loadMonitor(), tracker::load);
    this.fleet =
        new FleetView(eligibility, tracker, builder.speeds(), blockSize, builder.asksCapacity());
    this.traffic = new RouterTraffic(prompts.indexer() == null ? null : builder.eventFeed());
    this.decisions =
        new DecisionRecorder(builder.selector(), builder.explainRate(), builder.shadow());
    this.queue =
        builder.queue().waits()
            ? new AdmissionQueue(
                new QueueAdmissions(
                    lock,
                    fleet,
                    bookings,
                    this::refreshTable,
                    (request, prompt) ->
                        selectAndBook(request, prompt, trackedHashes(request, prompt)),
                    reports),
                builder.queue(),
                builder.lane("kv-router-queue"),
                prompts::lookUp)
            : null;
    this.directoryWatch = queue == null ? null : watch(directory, builder, queue);
    ReplicaSyncOptions syncOptions = builder.syncOptions(random.split("replica-sync"));
    this.sync =
        syncOptions == null
            ? null
            : new ReplicaSync(
                lock,
                bookings,
                syncOptions,
                builder.leases(),
                config.routerTrackPrefillTokens(),
                this::capacityFreed);
    Scheduler healthLane = builder.lane("kv-router-health");
    this.sampler =
        new RouterSampler(
            new RouterSampler.Parts(
                blockSize,
                prompts.indexer(),
                builder.eventFeed(),
                sync,
                builder.expectedPeers(),
                healthLane.clock()),
            lock,
            fleet,
            traffic,
            this::refreshTable,
            healthLane);
    this.health = new HealthWatch(sampler::sample, healthLane, builder.wallClock());
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
    long startNanos = reports.nanoTime();
    return trySelect(request, prompts.lookUp(request), startNanos);
  }

  private RequestLease trySelect(SchedulingRequest request, Prompt prompt, long startNanos) {
    health.requestCame(clock.nanoTime());
    long lookedUpNanos = reports.nanoTime();
    RequestLease lease;
    lock.lock();
    try {
      lease = selectAndBook(request, prompt, trackedHashes(request, prompt));
    } finally {
      lock.unlock();
    }
    reports.booked(lease, prompt, startNanos, lookedUpNanos);
    return lease;
  }

  /**
   * As {@link #trySelect}, but where the router has a queue and every rank that may take the
   * request has enough in work, waits for capacity. The choice then falls on the load of that
   * moment.
   *
   * <p>Cancelling the stage's future, or {@link #cancel}, gives a waiting request up. A lease that
   * comes too late for that is freed.
   *
   * @return completes on the queue's lane, or at once where there is no queue; exceptionally with
   *     what {@link #trySelect} throws, with {@link QueueRejectedException}, or with {@code CLOSED}
   */
  public CompletionStage<RequestLease> select(SchedulingRequest request) {
    long startNanos = reports.nanoTime();
    if (prompts.isRemote()) {
      return prompts
          .lookUpRemotely(request)
          .thenCompose(prompt -> select(request, prompt, startNanos));
    }
    return select(request, prompts.lookUp(request), startNanos);
  }

  private CompletionStage<RequestLease> select(
      SchedulingRequest request, Prompt prompt, long startNanos) {
    if (queue != null) {
      health.requestCame(clock.nanoTime());
      return reports.watched(queue.select(request, prompt));
    }
    try {
      return CompletableFuture.completedFuture(trySelect(request, prompt, startNanos));
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  /** Gives up a request that waits for {@link #select}; does nothing if it does not wait. */
  public void cancel(BookingKey key) {
    if (queue != null) {
      queue.cancel(key);
    }
  }

  /**
   * Returns how many lookups in an index elsewhere failed and were answered by the router's own
   * predictions; {@link io.dynamo4j.indexer.remote.RemoteIndex#failures} counts all that failed.
   */
  public long remoteFallbacks() {
    return prompts.fallbacks();
  }

  /** Returns who waits for {@link #select}. */
  public QueueStatus queueStatus() {
    return queue == null ? QueueStatus.EMPTY : queue.status();
  }

  /** Returns whether {@link #select} may wait. */
  boolean queues() {
    return queue != null || prompts.isRemote();
  }

  /**
   * Ends the queue, so that whoever waits fails, the sharing of bookings, so that this router's end
   * at the others, and the index that the router made for itself, if it did. Bookings stay until
   * their leases are closed. Idempotent.
   */
  @Override
  public void close() {
    if (directoryWatch != null) {
      directoryWatch.close();
    }
    if (queue != null) {
      queue.close();
    }
    if (sync != null) {
      sync.close();
    }
    sampler.close();
    if (ownIndexer != null) {
      ownIndexer.close();
    }
  }

  /**
   * Says what is wrong around this router, with the figures that show it. A fault shows within a
   * minute of requests that it concerns, and is logged once when it appears.
   *
   * <p>What events do is seen only with {@link KvRouterBuilder#eventFeed}. The router looks every
   * five seconds while requests come, and when this is called; between two looks this returns the
   * last one. Costs O(ranks) for a look.
   */
  public RouterHealth health() {
    return health.health();
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
      return fleet.potentialLoads(request, prompt, trackedHashes(request, prompt));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Says how {@link #trySelect} would choose now, and books nothing.
   *
   * @throws NoEligibleWorkerException if no registered rank may take the request
   * @throws IllegalStateException if a policy of the host breaks its contract
   */
  public DecisionRecord explain(SchedulingRequest request) {
    Prompt prompt = prompts.lookUp(request);
    lock.lock();
    try {
      refreshTable();
      alwaysExplain = true;
      choose(request, prompt, trackedHashes(request, prompt));
      return Objects.requireNonNull(decisions.last());
    } finally {
      alwaysExplain = false;
      lock.unlock();
    }
  }

  /**
   * Returns how the shadow policy compares with the active one.
   *
   * @throws IllegalStateException if there is none
   */
  public ShadowReport shadow() {
    lock.lock();
    try {
      ShadowPolicy shadow = decisions.shadow();
      if (shadow == null) {
        throw new IllegalStateException("router has no shadow policy");
      }
      return shadow.report();
    } finally {
      lock.unlock();
    }
  }

  /** Returns how well predictions of cached tokens agree with what engines reported. */
  public CacheAccuracy cacheAccuracy() {
    return cacheReports.sum();
  }

  void reportCachedTokens(long predicted, long reported) {
    cacheReports.add(predicted, reported);
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

  /**
   * Returns what is known of other routers.
   *
   * @throws IllegalStateException if this router does not sync
   */
  public ReplicaSyncStatus replicaSync() {
    if (sync == null) {
      throw new IllegalStateException("router does not sync with others");
    }
    return sync.status();
  }

  /** Returns every booking that counts; of the lock. */
  RouterBookings bookings() {
    return bookings;
  }

  void markPrefillCompleted(RequestLease lease) {
    lock.lock();
    try {
      bookings.markPrefillCompleted(lease);
      traffic.computed(lease, clock.nanoTime());
    } finally {
      lock.unlock();
    }
    capacityFreed();
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
      traffic.ended(lease, clock.nanoTime());
    } finally {
      lock.unlock();
    }
    reports.ended(lease);
    capacityFreed();
  }

  /** Lets the queue look again; to be called without the lock, cheap where nobody waits. */
  void capacityFreed() {
    if (queue != null) {
      queue.wake();
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
      WorkerInstance instance = fleet.requireEligible(selection.worker());
      Booking booking = booking(request, prompt, hashes, selection);
      bookings.book(booking);
      if (fleet.admit(selection.worker())) {
        return lease(request, prompt, booking, selection, instance);
      }
      bookings.withdraw(booking);
    }
  }

  private WorkerSelectionResult choose(SchedulingRequest request, Prompt prompt, long[] hashes) {
    int count = fleet.collect(request);
    if (count == 0) {
      throw fleet.explain(request, false);
    }
    WorkerCandidates candidates = fleet.fill(request, prompt, hashes, count);
    long seed = selectionRandom.nextLong();
    WorkerSelectionResult selection =
        decisions.select(
            request,
            candidates,
            seed,
            alwaysExplain || decisions.isSampled(seed) ? fleet.ineligible(request) : null);
    if (selection == null) {
      throw fleet.explain(request, true);
    }
    return selection;
  }

  private Booking booking(
      SchedulingRequest request, Prompt prompt, long[] hashes, WorkerSelectionResult selection) {
    int promptTokens = request.tokenIds().length();
    int uncached = promptTokens - Math.min(selection.cachedTokens(), promptTokens);
    boolean computes = prompt.config().routerTrackPrefillTokens();
    boolean counts = computes && uncached > 0;
    return Booking.of(
            request.key(),
            selection.worker(),
            hashes,
            hashes.length,
            counts ? uncached : 0,
            counts
                ? prefillLoadModel.expectedPrefillNanos(selection.worker(), promptTokens, uncached)
                : -1)
        .ofOwnRequest(
            promptTokens,
            computes
                ? PredictedWorkerScorer.missTokens(
                    promptTokens, selection.cachedTokens(), blockSize)
                : -1);
  }

  private RequestLease lease(
      SchedulingRequest request,
      Prompt prompt,
      Booking booking,
      WorkerSelectionResult selection,
      WorkerInstance instance) {
    long tokensToNextBlock = Math.floorMod(-(long) request.tokenIds().length(), blockSize);
    RequestLease lease =
        new RequestLease(
            this,
            booking,
            instance,
            selection,
            tokensToNextBlock,
            request.routing(),
            decisions.last(),
            request.tokenIds().length());
    bookings.open(lease);
    traffic.booked(lease, prompt, clock.nanoTime());
    lease.learned(prompts.teach(prompt, selection.worker(), instance));
    return lease;
  }

  /** Takes over the directory's snapshot if it is another one than last time; ends old leases. */
  private void refreshTable() {
    bookings.expire();
    RankTable before = fleet.table();
    if (fleet.refresh()) {
      bookings.tableChanged(fleet.table());
      prompts.tableChanged(before, fleet.table());
      traffic.tableChanged(before, fleet.table());
    }
  }

  private static Subscription watch(
      WorkerDirectory directory, KvRouterBuilder builder, AdmissionQueue queue) {
    return directory.watch(
        builder.lane("kv-router-queue-workers"),
        new WorkerDirectory.Listener() {
          @Override
          public void added(WorkerInstance instance) {
            queue.wake();
          }

          @Override
          public void removed(WorkerInstance instance) {
            queue.wake();
          }
        });
  }
}
