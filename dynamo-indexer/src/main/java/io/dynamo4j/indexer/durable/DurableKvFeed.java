// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.LogConsumerFacts;
import io.dynamo4j.plane.LogFacts;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Leads a durable log into a router's index, and with other routers looks after the log: a router
 * that starts, alone or not, loads the newest snapshot and applies what came behind it, and so
 * knows what those before it knew.
 *
 * <p><b>Snapshots.</b> One router at a time, by a lease that is claimed in the log, writes what its
 * index holds, reads it back, and only then has the log purged: up to what the oldest snapshot kept
 * covers, and never beyond what a living router has not read. It does so after so many events,
 * before events leave the log by age, and before the log is full.
 *
 * <p><b>Who may write.</b> With a directory, workers that it names, their declared ranks; others
 * for a while only, since the directory may be late. A worker that it no longer names is forgotten
 * after {@link DurableConfig#forgetAfterNanos}. For one rank the writer counts that began it last.
 *
 * <p><b>Loss.</b> Entries that are gone before they were read, and no snapshot covers, make the
 * feed not whole, and every rank that may have written them stale ({@link KvIndexer#isStale});
 * events missing within a rank mark that rank. The mark stays until the writer begins anew.
 *
 * <p><b>Threads.</b> Runs on a lane of its own; every method may be called from any thread and
 * waits for nothing.
 */
public final class DurableKvFeed implements AutoCloseable {
  private static final int MAX_NAMED_RANKS = 16;

  private final FeedCore core;
  private final EventApplier applier;
  private final SnapshotKeeper keeper;
  private final SnapshotWork work;
  private final LogReplay replay;
  private final @Nullable LogMembers members;
  private final @Nullable LiveSources live;
  private final @Nullable Subscription directory;
  private volatile List<WorkerWithDpRank> incomplete = List.of();

  private DurableKvFeed(
      FeedCore core,
      KvIndexer index,
      @Nullable WorkerDirectory workers,
      LiveSources.@Nullable Settings liveEvents) {
    this.core = core;
    this.members =
        workers == null ? null : new LogMembers(core.random.split("members").nextLong(), core::now);
    this.live = liveEvents == null ? null : new LiveSources(core, liveEvents);
    this.applier = new EventApplier(index, members, live, core.counts);
    this.keeper = new SnapshotKeeper(core);
    this.work = new SnapshotWork(core, applier);
    this.replay = new LogReplay(core, applier, keeper);
    keeper.connect(replay, work);
    // The directory first: on one lane its snapshot comes before the first entry.
    this.directory = workers == null || members == null ? null : workers.watch(core.lane, members);
  }

  /** Starts a builder; log, snapshots, scope, index and environment are required. */
  public static DurableKvFeedBuilder builder() {
    return new DurableKvFeedBuilder();
  }

  static DurableKvFeed start(
      FeedCore core,
      KvIndexer index,
      @Nullable WorkerDirectory workers,
      LiveSources.@Nullable Settings liveEvents) {
    DurableKvFeed feed = new DurableKvFeed(core, index, workers, liveEvents);
    core.onLane(feed.replay::start);
    core.onLane(feed::arm);
    return feed;
  }

  private void arm() {
    long interval = core.config.checkIntervalNanos();
    core.schedule(
        this::check, interval - interval / 10 + (long) (core.random.nextDouble() * interval / 5));
  }

  private void check() {
    forgetMissing();
    incomplete = List.copyOf(applier.cursors().incomplete());
    if (replay.state() != DurableFeedState.LIVE) {
      checkLive(false);
      arm();
      return;
    }
    long applied = replay.applied();
    int life = replay.generation();
    core.then(
        core.log.facts(),
        (facts, failure) -> {
          checkLive(facts != null);
          if (life != replay.generation()) {
            arm();
            return;
          }
          if (facts == null) {
            core.failed("log does not say what it holds", Objects.requireNonNull(failure));
            arm();
          } else if (replay.isOther(facts, applied)) {
            replay.beginWithOther();
            arm();
          } else {
            core.succeeded();
            keeper.check(facts);
            tidy(facts);
          }
        });
  }

  private void checkLive(boolean isLogRead) {
    if (live == null) {
      return;
    }
    if (isLogRead) {
      live.check();
    } else {
      live.pause();
    }
  }

  private void tidy(LogFacts facts) {
    core.then(
        core.log.consumers(),
        (consumers, failure) -> {
          if (consumers != null) {
            work.tidy(facts, consumers, replay.consumer());
          }
          arm();
        });
  }

  private void forgetMissing() {
    if (members != null) {
      for (long workerId : members.takeMissing(core.config.forgetAfterNanos())) {
        core.count(DurableFeedCounter.WORKERS_FORGOTTEN);
        applier.forget(workerId);
      }
    }
  }

  /**
   * Returns a stage that completes once the index has all that was in the log when the feed
   * started, on some lane.
   */
  public CompletionStage<Void> caughtUp() {
    return replay.caughtUp().minimalCompletionStage();
  }

  /** Returns what is known now. */
  public DurableFeedStatus status() {
    List<WorkerWithDpRank> ranks = incomplete;
    return new DurableFeedStatus(
        core.isClosed() ? DurableFeedState.CLOSED : replay.state(),
        replay.applied(),
        keeper.covered(),
        ranks.size(),
        ranks.subList(0, Math.min(ranks.size(), MAX_NAMED_RANKS)),
        replay.isWhole(),
        core.counts.snapshot(),
        core.refusals(),
        core.lastFailure());
  }

  /** Returns the readers that the log remembers, routers of other processes included. */
  public CompletionStage<List<LogConsumerFacts>> readers() {
    return core.log.consumers();
  }

  /** Ends reading and takes this reader out of the log; the index keeps what it has. Idempotent. */
  @Override
  public void close() {
    if (directory != null) {
      directory.close();
    }
    if (live != null) {
      live.close();
    }
    core.onLane(
        () -> {
          replay.close();
          core.close();
        });
  }
}
