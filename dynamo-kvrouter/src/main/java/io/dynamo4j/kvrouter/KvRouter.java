// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
  private final KvRouterConfig config;
  private final int blockSize;
  private final PromptLookup prompts;
  private final RemoteSelections remoteSelections = new RemoteSelections();
  private final @Nullable KvIndexer ownIndexer;
  private final NanoClock clock;
  private final @Nullable AdmissionQueue queue;
  private final @Nullable Subscription directoryWatch;
  private final RoutingReports reports;
  private final RouterSampler sampler;
  private final HealthWatch health;
  private final Cancellable environmentWatch;

  // Everything below belongs to the lock.
  private final RouterLock lock = new RouterLock();
  private final StepClock stepClock;
  private final ActiveBlockTracker tracker;
  private final RouterBookings bookings;
  private final RouterDecisions decisions;
  private final RouterTraffic traffic;
  private final CacheReports cacheReports = new CacheReports();
  private final @Nullable ReplicaSync sync;

  KvRouter(KvRouterBuilder builder, RandomSource random, WorkerDirectory directory) {
    this.config = builder.config();
    this.blockSize = builder.blockSize();
    this.clock = builder.clock();
    this.stepClock = new StepClock(clock);
    this.prompts =
        new PromptLookup(
            config,
            builder.indexer(),
            builder.remoteIndex(),
            builder.remoteFallback(),
            blockSize,
            builder.listener() == null ? null : clock);
    this.ownIndexer = builder.ownIndexer();
    this.reports = new RoutingReports(builder.listener(), clock, builder.log());
    this.tracker = builder.tracker(random, stepClock);
    this.bookings = new RouterBookings(tracker, stepClock, builder.leases().activeRequestExpiry());
    FleetView fleet =
        new FleetView(
            new Eligibility(directory, builder.health(), builder.loadMonitor(), tracker::load),
            tracker,
            builder.speeds(),
            blockSize,
            builder.asksCapacity());
    this.traffic = new RouterTraffic(prompts.indexer() == null ? null : builder.eventFeed());
    this.decisions =
        new RouterDecisions(
            this,
            new RouterDecisions.Parts(
                blockSize,
                fleet,
                bookings,
                new DecisionRecorder(builder.selector(), builder.explainRate(), builder.shadow()),
                traffic,
                prompts,
                builder.prefillLoadModel(),
                stepClock),
            random);
    this.queue =
        builder.queue().waits()
            ? new AdmissionQueue(
                new QueueAdmissions(lock, fleet, bookings, decisions, reports),
                builder.queue(),
                builder.lane("kv-router-queue"),
                prompts::lookUp)
            : null;
    this.directoryWatch =
        queue == null ? null : queue.follow(directory, builder.lane("kv-router-queue-workers"));
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
                builder.durableSources(),
                sync,
                builder.expectedPeers(),
                prompts::remoteFigures,
                healthLane.clock()),
            lock,
            fleet,
            traffic,
            decisions::refresh,
            healthLane);
    this.health = new HealthWatch(sampler::sample, healthLane, builder.wallClock(), builder.log());
    this.environmentWatch = builder.lanes().onClose(this::environmentClosed);
  }

  public static KvRouterBuilder builder() {
    return new KvRouterBuilder();
  }

  public KvRouterConfig config() {
    return config;
  }

  /** Returns the index that this router asks; empty where overlap has no credit, or elsewhere. */
  public Optional<KvIndexer> indexer() {
    return Optional.ofNullable(prompts.indexer());
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
    try {
      return trySelect(request, prompts.lookUp(request), startNanos);
    } catch (RuntimeException refused) {
      throw reports.refused(refused);
    }
  }

  private RequestLease trySelect(SchedulingRequest request, Prompt prompt, long startNanos) {
    long lookedUpNanos = reports.nanoTime();
    long nowNanos = 0;
    RequestLease lease;
    lock.lock();
    try {
      nowNanos = stepClock.begin();
      lease = decisions.selectAndBook(request, prompt);
    } finally {
      stepClock.end();
      lock.unlock();
      health.requestCame(nowNanos);
    }
    reports.booked(lease, prompt, startNanos, lookedUpNanos);
    prompts.done(prompt);
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
    try {
      if (prompts.isRemote()) {
        return remoteSelections.select(
            request.key(),
            prompts.lookUpRemotely(request),
            prompt -> select(request, prompt, startNanos));
      }
      return select(request, prompts.lookUp(request), startNanos);
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(reports.refused(failure));
    }
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
      return CompletableFuture.failedFuture(reports.refused(failure));
    }
  }

  /** Gives up a request that waits for {@link #select}; does nothing if it does not wait. */
  public void cancel(BookingKey key) {
    remoteSelections.cancel(key);
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

  /** Returns how often this router refused something, by why. */
  public RouterRefusals refusals() {
    return reports.refusals();
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
   * their leases are closed. Idempotent. What a part of the host's throws keeps no other part from
   * being closed, and is thrown in the end.
   *
   * <p>A host closes its routers before their environment. Where it does not, whoever waits fails
   * with {@code CLOSED} all the same.
   */
  @Override
  public void close() {
    ClosingSteps steps = new ClosingSteps();
    steps.run(environmentWatch::cancel);
    if (queue != null) {
      steps.run(queue::close);
    }
    if (sync != null) {
      steps.run(sync::close);
    }
    if (directoryWatch != null) {
      steps.run(directoryWatch::close);
    }
    steps.run(sampler::close);
    if (ownIndexer != null) {
      steps.run(ownIndexer::close);
    }
    steps.finish();
  }

  /** Nothing runs on any lane of this router any more: whoever waits for one is told. */
  private void environmentClosed() {
    remoteSelections.abandon();
    if (queue != null) {
      queue.abandon();
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
      return decisions.choose(request, prompt);
    } finally {
      lock.unlock();
      prompts.done(prompt);
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
      return decisions.potentialLoads(request, prompt);
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
      return decisions.explain(request, prompt);
    } finally {
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
      decisions.refresh();
      return tracker.load(worker);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the registered worker of a rank.
   *
   * @throws NoSuchElementException if it left
   */
  WorkerInstance instance(WorkerWithDpRank worker) {
    lock.lock();
    try {
      return decisions.instance(worker);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of living bookings. */
  public int bookingCount() {
    lock.lock();
    try {
      decisions.refresh();
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
      long nowNanos = stepClock.begin();
      bookings.markPrefillCompleted(lease);
      traffic.computed(lease, nowNanos);
    } finally {
      stepClock.end();
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
      long nowNanos = stepClock.begin();
      bookings.close(lease);
      traffic.ended(lease, nowNanos);
    } finally {
      stepClock.end();
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
      decisions.refresh();
      bookings.revive(lease);
    } finally {
      lock.unlock();
    }
  }

  long nanoTime() {
    return clock.nanoTime();
  }
}
