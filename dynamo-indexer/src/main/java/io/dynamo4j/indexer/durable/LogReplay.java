// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.LogEntry;
import io.dynamo4j.plane.LogFacts;
import io.dynamo4j.plane.LogListener;
import io.dynamo4j.plane.LogSubscription;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log into the index: registers behind what the newest snapshot covers, so that nothing
 * there is purged meanwhile, loads that snapshot, applies what comes behind it in order. Where
 * entries are gone that it has not read it forgets everything and begins anew. Belongs to the
 * feed's lane.
 */
final class LogReplay {
  private static final long FIRST_BACKOFF_NANOS = 250_000_000;
  private static final long MAX_BACKOFF_NANOS = 30_000_000_000L;
  private static final long RENEW_NANOS = 1_000_000_000;

  private final FeedCore core;
  private final EventApplier applier;
  private final SnapshotLoader loader;
  private final SnapshotKeeper keeper;
  private final ArrayDeque<LogEntry> queue = new ArrayDeque<>();
  private final CompletableFuture<Void> caughtUp = new CompletableFuture<>();
  private @Nullable LogSubscription subscription;
  private CompletableFuture<Void> registered = new CompletableFuture<>();
  private long readsFrom;
  private String consumer = "";
  private int generation;
  private int failures;
  private int rebuilds;
  private long target;
  private long seenFirst;
  private boolean loaded;
  private boolean holeSeen;
  private boolean paused;
  private boolean waitsForIndex;
  private @Nullable LogEntry current;
  private volatile long applied;
  private volatile boolean whole = true;
  private volatile DurableFeedState state = DurableFeedState.STARTING;

  LogReplay(FeedCore core, EventApplier applier, SnapshotKeeper keeper) {
    this.core = core;
    this.applier = applier;
    this.loader = new SnapshotLoader(core, applier);
    this.keeper = keeper;
  }

  CompletableFuture<Void> caughtUp() {
    return caughtUp;
  }

  DurableFeedState state() {
    return state;
  }

  long applied() {
    return applied;
  }

  boolean isWhole() {
    return whole;
  }

  int generation() {
    return generation;
  }

  String consumer() {
    return consumer;
  }

  /* --------------- Starting --------------- */

  /** Begins at the newest snapshot. */
  void start() {
    state = DurableFeedState.STARTING;
    loaded = false;
    seenFirst = 0;
    queue.clear();
    current = null;
    generation++;
    registered = new CompletableFuture<>();
    findStart(generation);
  }

  /**
   * Has the log know this router as a reader from an entry on, so that nothing behind it is purged
   * from then on. Entries that a snapshot covers are not asked for: reading them takes as long as
   * the snapshot.
   *
   * @return completes once the log knows; the first call counts
   */
  private CompletionStage<Void> register(long fromSequence) {
    if (subscription == null) {
      read(fromSequence);
    }
    return registered;
  }

  private void read(long fromSequence) {
    readsFrom = fromSequence;
    consumer = FeedCore.CONSUMER_PREFIX + Long.toHexString(core.routerId) + suffix();
    subscription = core.log.consume(consumer, fromSequence, core.lane, new Reading(generation));
  }

  private String suffix() {
    return generation == 1 ? "" : "-" + generation;
  }

  private final class Reading implements LogListener {
    private final int of;

    Reading(int of) {
      this.of = of;
    }

    private boolean isOver() {
      return of != generation || core.isClosed();
    }

    @Override
    public void ready() {
      if (!isOver()) {
        registered.complete(null);
      }
    }

    @Override
    public void entry(LogEntry entry) {
      if (!isOver()) {
        core.count(DurableFeedCounter.ENTRIES);
        queue.add(entry);
        drain();
      }
    }

    @Override
    public void failed(DurableLogException failure) {
      if (isOver()) {
        return;
      }
      core.failed("log cannot be read", failure);
      if (loaded && failure.reason() == DurableLogException.Reason.CONSUMER_GONE) {
        core.count(DurableFeedCounter.CONSUMERS_RENEWED);
        core.schedule(LogReplay.this::renew, RENEW_NANOS);
      } else {
        again();
      }
    }
  }

  /** Tries to start once more, later. */
  private void again() {
    endReading();
    generation++;
    int now = generation;
    failures++;
    long backoff = Math.min(MAX_BACKOFF_NANOS, FIRST_BACKOFF_NANOS << Math.min(failures - 1, 10));
    core.schedule(
        () -> {
          if (now == generation) {
            applier.clear();
            start();
          }
        },
        backoff);
  }

  private void endReading() {
    LogSubscription former = subscription;
    subscription = null;
    registered.cancel(false);
    loader.stop();
    if (former != null) {
      former.close();
      var unused = core.log.deleteConsumer(consumer);
    }
  }

  private void findStart(int of) {
    core.then(
        loader.load(this::register),
        (start, failure) -> {
          if (of != generation) {
            return;
          }
          if (start == null) {
            startFailed("log or snapshots cannot be read", failure);
          } else {
            begin(start.covered(), start.facts());
          }
        });
  }

  private void startFailed(String what, @Nullable Throwable failure) {
    core.failed(what, failure == null ? new IllegalStateException("nothing came") : failure);
    if (failure != null && FeedCore.isTransient(failure)) {
      // The call itself waits for a server that is away; this goes on soon after it is back.
      failures = Math.min(failures, 1);
    }
    again();
  }

  private void begin(long covered, LogFacts facts) {
    core.succeeded();
    failures = 0;
    loaded = true;
    if (facts.firstSequence() > covered + 1 && !holeSeen) {
      // A newer snapshot may have come meanwhile.
      holeSeen = true;
      rebuild();
      return;
    }
    applied = covered;
    target = facts.lastSequence();
    whole = true;
    keeper.startedFrom(covered);
    if (facts.firstSequence() > covered + 1) {
      passHole(facts.firstSequence() - 1);
    }
    if (readsFrom > applied + 1) {
      // The snapshot that the reading began behind was refused.
      readOn();
    }
    state = DurableFeedState.REPLAYING;
    drain();
  }

  /** What neither the log nor a snapshot has is lost, and nobody can tell whose it was. */
  private void passHole(long behind) {
    whole = false;
    core.count(DurableFeedCounter.HOLES);
    applied = behind;
    // Whom the directory names later than this is new, or has been forgotten.
    applier.passHole(core.now() + core.config.forgetAfterNanos());
  }

  /** Reads on where the log has forgotten this reader. */
  private void renew() {
    int of = generation;
    core.then(
        core.log.facts(),
        (facts, failure) -> {
          if (of != generation) {
            return;
          }
          if (facts == null) {
            core.schedule(this::renew, RENEW_NANOS);
          } else if (isOther(facts, applied)) {
            beginWithOther();
          } else {
            core.succeeded();
            readOn();
          }
        });
  }

  /** Reads under a new name behind what is applied; a hole shows at the next entry. */
  private void readOn() {
    endReading();
    queue.clear();
    generation++;
    read(applied + 1);
  }

  /**
   * Returns whether the log is another than the one that is read: numbers never go back in one.
   *
   * @param appliedBefore what was applied when the log was asked
   */
  boolean isOther(LogFacts facts, long appliedBefore) {
    if (facts.lastSequence() < appliedBefore || facts.firstSequence() < seenFirst) {
      return true;
    }
    seenFirst = facts.firstSequence();
    return false;
  }

  /** Reads the log that stands under the name of the one that was read so far. */
  void beginWithOther() {
    keeper.otherLog();
    rebuild();
  }

  /** Forgets everything and begins at the newest snapshot. */
  private void rebuild() {
    core.count(DurableFeedCounter.REBUILDS);
    endReading();
    applier.clear();
    generation++;
    int now = generation;
    state = DurableFeedState.STARTING;
    loaded = false;
    long backoff =
        rebuilds == 0
            ? 0
            : Math.min(MAX_BACKOFF_NANOS, FIRST_BACKOFF_NANOS << Math.min(rebuilds, 10));
    rebuilds++;
    core.schedule(
        () -> {
          if (now == generation) {
            start();
          }
        },
        backoff);
  }

  /* --------------- Applying --------------- */

  /** Applies nothing until {@link #resume}; what comes meanwhile waits in the log. */
  void pause() {
    paused = true;
  }

  void resume() {
    paused = false;
    drain();
  }

  private void drain() {
    while (loaded && !paused && !waitsForIndex) {
      LogEntry entry = current == null ? queue.poll() : current;
      if (entry == null) {
        break;
      }
      if (current == null && !begin(entry)) {
        continue;
      }
      if (!loaded) {
        return;
      }
      current = entry;
      if (!applier.goOn()) {
        waitForIndex();
        break;
      }
      current = null;
      applied = entry.sequence();
    }
    acknowledge();
  }

  /** Returns whether there is something of the entry to be applied. */
  private boolean begin(LogEntry entry) {
    long sequence = entry.sequence();
    if (sequence <= applied) {
      return false;
    }
    if (sequence > applied + 1) {
      core.count(DurableFeedCounter.HOLES);
      rebuild();
      return true;
    }
    LogRecord record = LogRecord.decode(entry.payload());
    if (record instanceof LogRecord.Events events) {
      applier.begin(events);
      keeper.passed(entry, events.events().size());
      return true;
    }
    applied = sequence;
    keeper.passed(entry, 0);
    if (record == null) {
      core.count(DurableFeedCounter.FOREIGN_ENTRIES);
    } else if (record instanceof LogRecord.Reset) {
      core.count(DurableFeedCounter.RESETS);
      applier.clear();
      whole = true;
      keeper.reset(entry);
    } else if (record instanceof LogRecord.Claim claim) {
      keeper.claimed(claim, entry);
    }
    return false;
  }

  private void waitForIndex() {
    waitsForIndex = true;
    core.then(
        applier.index().flush(),
        (done, failure) -> {
          waitsForIndex = false;
          if (failure == null) {
            drain();
          }
        });
  }

  private void acknowledge() {
    LogSubscription now = subscription;
    if (now == null || !loaded) {
      return;
    }
    now.acknowledge(applied);
    if (state == DurableFeedState.REPLAYING && applied >= target && current == null) {
      state = DurableFeedState.LIVE;
      rebuilds = 0;
      holeSeen = false;
      core.then(
          applier.index().flush(),
          (done, failure) -> {
            if (failure == null) {
              caughtUp.complete(null);
            }
          });
    }
  }

  void close() {
    endReading();
    state = DurableFeedState.CLOSED;
  }
}
