// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.wire.RouterEventBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all ranks of a feed share while each keeps its own events complete. Belongs to the feed's
 * lane, except for {@link #progress} and {@link #sources}.
 */
final class FeedRecovery {
  /** How long the second restore that a rank asks for by itself waits; doubles from then on. */
  static final long FIRST_FILL_PAUSE_NANOS = 1_000_000_000L;

  /** The longest pause between restores that a rank asks for by itself. */
  static final long MAX_FILL_PAUSE_NANOS = 64_000_000_000L;

  private static final Logger LOG = LoggerFactory.getLogger(KvEventFeed.class);
  private static final int START_JITTER_NANOS = 3_000_000;

  private final KvIndexer indexer;
  private final Scheduler lane;
  private final RandomSource random;
  private final RecoveryConfig config;
  private final RecoveryTargets targets;
  private final RecoveryCalls calls;
  private final FeedCounters counters;
  private final ConcurrentNavigableMap<WorkerWithDpRank, RankFeed> ranks =
      new ConcurrentSkipListMap<>();
  private final AtomicLong restoredBlocks = new AtomicLong();
  private @Nullable Cancellable sweep;
  private boolean isClosed;

  FeedRecovery(
      KvIndexer indexer,
      Scheduler lane,
      RandomSource random,
      KvEventFeedBuilder settings,
      FeedCounters counters) {
    this.indexer = indexer;
    this.lane = lane;
    this.random = random;
    this.config = settings.recoveryConfig();
    this.targets = Objects.requireNonNull(settings.targets());
    this.calls =
        new RecoveryCalls(
            Objects.requireNonNull(settings.recoveryPlane()),
            lane,
            random.split("requests"),
            config);
    this.counters = counters;
    armSweep();
  }

  /* --------------- Ranks --------------- */

  /** A rank is registered, perhaps again. */
  void opened(WorkerInstance worker, WorkerWithDpRank rank) {
    RankFeed before = ranks.get(rank);
    WorkerInstance target = targets.targetOf(worker, rank);
    if (before != null) {
      if (isSame(before.target(), target)) {
        return;
      }
      before.close();
    }
    RankFeed opened = new RankFeed(this, rank, target);
    ranks.put(rank, opened);
    opened.open();
  }

  private static boolean isSame(@Nullable WorkerInstance a, @Nullable WorkerInstance b) {
    if (a == null || b == null) {
      return a == null && b == null;
    }
    return a.address().equals(b.address()) && a.workerId() == b.workerId();
  }

  /** A rank is gone. */
  void closed(WorkerWithDpRank rank) {
    RankFeed gone = ranks.remove(rank);
    if (gone != null) {
      gone.close();
    }
  }

  /** A rank is written by another publisher from now on. */
  void rewritten(WorkerWithDpRank rank) {
    RankFeed feed = ranks.get(rank);
    if (feed != null) {
      feed.reset();
    }
  }

  void onEvent(RouterEvent event, boolean overtaken) {
    RankFeed feed = ranks.get(event.worker());
    if (feed != null) {
      feed.onEvent(event, overtaken);
    }
  }

  void onClaimed(RouterEvent event) {
    RankFeed feed = ranks.get(event.worker());
    if (feed != null) {
      feed.onClaimed(event);
    }
  }

  void onHead(WorkerWithDpRank rank, long lastId, OptionalLong digest) {
    RankFeed feed = ranks.get(rank);
    if (feed != null) {
      feed.onHead(lastId, digest);
    }
  }

  void onRefused(RouterEvent event, EventOutcome outcome) {
    RankFeed feed = isClosed ? null : ranks.get(event.worker());
    if (feed != null) {
      feed.onRefused(event, outcome);
    }
  }

  private void armSweep() {
    sweep = lane.schedule(this::sweep, jittered(config.checkIntervalNanos()));
  }

  private void sweep() {
    long before = nowNanos() - config.checkIntervalNanos();
    for (RankFeed feed : ranks.values()) {
      feed.checkIfSilent(before);
    }
    armSweep();
  }

  void close() {
    isClosed = true;
    if (sweep != null) {
      sweep.cancel();
    }
    ranks.values().forEach(RankFeed::close);
    ranks.clear();
  }

  /* --------------- Any thread --------------- */

  RecoveryProgress progress() {
    int total = 0;
    int done = 0;
    int failed = 0;
    for (RankFeed feed : ranks.values()) {
      SourceStatus.State state = feed.status().state();
      total++;
      done += state.isStale() ? 0 : 1;
      failed += state == SourceStatus.State.UNREACHABLE ? 1 : 0;
    }
    return new RecoveryProgress(total, done, failed, calls.inFlight(), restoredBlocks.get());
  }

  List<SourceStatus> sources() {
    List<SourceStatus> sources = new ArrayList<>();
    ranks.values().forEach(feed -> sources.add(feed.status()));
    return sources;
  }

  /* --------------- For one rank --------------- */

  KvIndexer indexer() {
    return indexer;
  }

  Scheduler lane() {
    return lane;
  }

  RecoveryConfig config() {
    return config;
  }

  RecoveryCalls calls() {
    return calls;
  }

  long nowNanos() {
    return lane.clock().nanoTime();
  }

  void count(FeedCounter counter, long more) {
    counters.add(counter, more);
  }

  void countRestored(RouterEvent event) {
    restoredBlocks.addAndGet(event.event().data().blockCount());
  }

  boolean submit(RouterEvent event) {
    boolean taken = indexer.submit(event);
    if (taken) {
      counters.add(FeedCounter.SUBMITTED_EVENTS, 1);
    }
    return taken;
  }

  /** Returns the events of one rank; a source may have listed others that it has heard of. */
  List<RouterEvent> eventsOf(WorkerWithDpRank rank, RouterEventBatch batch) {
    List<RouterEvent> own = new ArrayList<>(batch.events().size());
    for (RouterEvent event : batch.events()) {
      if (event.worker().equals(rank)) {
        own.add(event);
      }
    }
    count(FeedCounter.FOREIGN_EVENTS, batch.events().size() - own.size());
    count(FeedCounter.UNUSABLE_EVENTS, batch.rejected());
    return own;
  }

  /** Runs a task on the lane once the index has applied what it was given; never if it closes. */
  void afterFlush(Runnable task) {
    indexer
        .flush()
        .whenComplete(
            (applied, failure) -> {
              if (failure == null) {
                execute(task);
              }
            });
  }

  /** Hands over what the index holds of a rank, on the lane; never if it cannot tell. */
  void afterHeldHashes(WorkerWithDpRank rank, Consumer<long[]> action) {
    indexer
        .heldHashes(rank)
        .whenComplete(
            (hashes, failure) -> {
              if (failure == null && hashes.isPresent()) {
                execute(() -> action.accept(hashes.get()));
              }
            });
  }

  private void execute(Runnable task) {
    try {
      lane.execute(task);
    } catch (RejectedExecutionException e) {
      // The environment is gone: nobody waits for the rest.
      LOG.debug("recovery ends with its environment");
    }
  }

  long startJitterNanos() {
    return random.nextInt(START_JITTER_NANOS);
  }

  /** Returns the pause after so many failures: doubling, a random half of it left out. */
  long backoffNanos(int failures) {
    long pause = config.firstBackoffNanos() << Math.min(failures - 1, 20);
    return jittered(pause);
  }

  long retryDelayNanos() {
    return jittered(config.retryIntervalNanos());
  }

  private long jittered(long nanos) {
    return nanos / 2 + (long) (random.nextDouble() * (nanos - nanos / 2));
  }

  void logUnreachable(SourceStatus source) {
    LOG.warn(
        "source of events does not answer, its blocks may be out of date: worker={}, attempts={},"
            + " failure={}",
        source.worker(),
        source.failedAttempts(),
        source.lastFailure());
  }

  void logRecovered(WorkerWithDpRank rank) {
    LOG.info("source of events is known again: worker={}", rank);
  }
}
