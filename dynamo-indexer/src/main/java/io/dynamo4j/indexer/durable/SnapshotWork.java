// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.DurableLogException.Reason;
import io.dynamo4j.plane.LogConsumerFacts;
import io.dynamo4j.plane.LogEntry;
import io.dynamo4j.plane.LogFacts;
import io.dynamo4j.plane.SnapshotCopy;
import io.dynamo4j.plane.SnapshotUpload;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Writes a snapshot, reads it back, drops older ones and then the entries that the oldest one kept
 * covers, as far as no living reader needs them. Also removes readers that nobody attends. Belongs
 * to the feed's lane.
 */
final class SnapshotWork {
  private static final int MOMENTS = 16;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final FeedCore core;
  private final EventApplier applier;
  private final Map<String, Long> unattendedSince = new TreeMap<>();
  private long purgeBound;
  private long newestVerified;
  private final ArrayDeque<Seen> young = new ArrayDeque<>();
  private long oldThrough;

  SnapshotWork(FeedCore core, EventApplier applier) {
    this.core = core;
    this.applier = applier;
  }

  /* --------------- Writing --------------- */

  /**
   * Writes what the index holds now; the log is not applied until that is done.
   *
   * @return completes once it is verified, with the last entry that it covers
   */
  CompletionStage<Long> write(LogReplay replay, SnapshotKeeper keeper) {
    CompletableFuture<Long> done = new CompletableFuture<>();
    replay.pause();
    core.then(
        applier.index().flush(),
        (flushed, failure) -> {
          // The claim stands behind whole entries; none is applied in part.
          long sequence = replay.applied();
          String name = DurableSnapshotFormat.name(sequence, core.routerId);
          SnapshotUpload upload = core.snapshots.create(name);
          core.then(
              DurableSnapshotFormat.write(
                  core.scope, sequence, applier.cursors(), applier.index(), upload.output()),
              (summary, dumpFailure) -> {
                replay.resume();
                if (dumpFailure != null) {
                  upload.abort();
                  fail(done, "snapshot cannot be written", dumpFailure);
                } else {
                  commit(new Written(name, sequence, keeper), upload, done);
                }
              });
        });
    return done.minimalCompletionStage();
  }

  private record Written(String name, long sequence, SnapshotKeeper keeper) {
    /** Whether a reset has made it void meanwhile. */
    boolean isVoid() {
      return keeper.lastReset() > sequence;
    }
  }

  private void commit(Written written, SnapshotUpload upload, CompletableFuture<Long> done) {
    core.then(
        upload.commit(),
        (stored, failure) -> {
          if (failure != null) {
            fail(done, "snapshot cannot be stored", failure);
          } else {
            verify(written, done);
          }
        });
  }

  private void verify(Written written, CompletableFuture<Long> done) {
    core.then(
        core.snapshots.get(written.name()),
        (copy, failure) -> {
          Throwable fault = copy == null ? failure : faultOf(copy, written);
          if (copy != null && fault == null) {
            verified(written, done);
          } else {
            var unused = core.snapshots.delete(written.name());
            fail(
                done,
                "snapshot cannot be verified",
                fault == null ? new IllegalStateException("nothing came") : fault);
          }
        });
  }

  private @Nullable Throwable faultOf(SnapshotCopy copy, Written written) {
    try (copy) {
      long covered = DurableSnapshotFormat.verify(copy, core.scope, applier.index().blockSize());
      return covered == written.sequence() && !written.isVoid()
          ? null
          : new DurableLogException(Reason.FAILED, "snapshot is void: covered=" + covered);
    } catch (IOException e) {
      return DurableSnapshotFormat.corrupt(written.name(), e);
    }
  }

  private void verified(Written written, CompletableFuture<Long> done) {
    core.count(DurableFeedCounter.SNAPSHOTS_WRITTEN);
    core.succeeded();
    newestVerified = written.sequence();
    done.complete(written.sequence());
    dropOlder();
  }

  private void fail(CompletableFuture<Long> done, String what, Throwable failure) {
    core.count(DurableFeedCounter.SNAPSHOTS_FAILED);
    core.failed(what, failure);
    done.completeExceptionally(failure);
  }

  /* --------------- Cleaning up --------------- */

  /**
   * Returns the last entry that the newest snapshot covers, 0 if there is none.
   *
   * @param last the log's last entry; what covers more is no snapshot of this log
   */
  CompletionStage<Long> newestCovered(long last) {
    CompletableFuture<Long> found = new CompletableFuture<>();
    core.then(
        core.snapshots.list(),
        (names, failure) -> {
          if (names == null) {
            found.completeExceptionally(
                failure == null ? new IllegalStateException("nothing came") : failure);
            return;
          }
          List<String> ours = ours(names, last);
          kept(ours(names, newestVerified));
          found.complete(
              ours.isEmpty() ? 0 : DurableSnapshotFormat.coveredBy(ours.get(ours.size() - 1)));
        });
    return found.minimalCompletionStage();
  }

  /** Returns those that cover no more than this. */
  private static List<String> ours(List<String> names, long through) {
    List<String> ours = new ArrayList<>();
    for (String name : names) {
      long covered = DurableSnapshotFormat.coveredBy(name);
      if (covered >= 0 && covered <= through) {
        ours.add(name);
      }
    }
    return ours;
  }

  /**
   * Notes up to where the log may go once these are the snapshots. None is among them that is newer
   * than what this router has read back itself: its writer may still find it damaged.
   */
  private void kept(List<String> ours) {
    int surplus = ours.size() - core.config.retainedSnapshots();
    if (surplus >= 0) {
      purgeBound = DurableSnapshotFormat.coveredBy(ours.get(surplus));
    }
  }

  private void dropOlder() {
    core.then(
        core.snapshots.list(),
        (names, failure) -> {
          if (names == null) {
            return;
          }
          List<String> ours = ours(names, newestVerified);
          for (int i = 0; i < ours.size() - core.config.retainedSnapshots(); i++) {
            var unused = core.snapshots.delete(ours.get(i));
          }
          kept(ours);
        });
  }

  /** Notes the snapshot that this router has started from, 0 for none. */
  void startedFrom(long sequence) {
    purgeBound = 0;
    newestVerified = sequence;
    young.clear();
    oldThrough = 0;
  }

  /** Purges what may go, and removes readers whose process is gone. */
  void tidy(LogFacts facts, List<LogConsumerFacts> consumers, String own) {
    long needed = Long.MAX_VALUE;
    for (LogConsumerFacts consumer : consumers) {
      needed = Math.min(needed, consumer.acknowledgedThrough());
    }
    long old = oldThrough(facts);
    if (SnapshotKeeper.isNearlyFull(facts)) {
      // Rather no spare snapshot than a log that takes nothing more.
      makeRoom(facts, Math.min(newestVerified, needed));
    } else {
      purge(facts, Math.min(Math.min(purgeBound, old), needed));
    }
    removeOrphans(consumers, own);
  }

  private void purge(LogFacts facts, long through) {
    if (through >= facts.firstSequence()) {
      core.count(DurableFeedCounter.PURGES);
      var unused = core.log.purgeThrough(through);
    }
  }

  /** Purges young entries, too, but for the mark of a reset, which writers have yet to see. */
  private void makeRoom(LogFacts facts, long through) {
    if (through < facts.firstSequence()) {
      return;
    }
    core.then(
        core.log.entryAt(facts.firstSequence()),
        (oldest, failure) -> {
          if (oldest != null && !(oldest.isPresent() && isYoungMark(oldest.get(), facts))) {
            purge(facts, through);
          }
        });
  }

  private boolean isYoungMark(LogEntry entry, LogFacts facts) {
    long ageMillis = facts.nowMillis() - entry.storedAtMillis();
    return ageMillis < core.config.purgeDelayNanos() / NANOS_PER_MILLI
        && LogRecord.decode(entry.payload()) instanceof LogRecord.Reset;
  }

  /** Returns the last of the entries that have been there for long enough. */
  private long oldThrough(LogFacts facts) {
    long now = core.now();
    long delay = core.config.purgeDelayNanos();
    Seen newest = young.peekLast();
    if (newest == null || now - newest.nanos() >= delay / MOMENTS) {
      young.add(new Seen(now, facts.lastSequence()));
    }
    for (Seen next = young.peek();
        next != null && now - next.nanos() >= delay;
        next = young.peek()) {
      oldThrough = young.remove().sequence();
    }
    return oldThrough;
  }

  /** How far the log went at a moment. */
  private record Seen(long nanos, long sequence) {}

  /**
   * Drops what was before a reset: a snapshot may have been stored while that was under way, and
   * whoever reset may have gone between mark and purge; no writer sees a mark that is not the
   * oldest entry.
   */
  void dropBefore(long sequence) {
    purgeBefore(sequence);
    core.then(
        core.snapshots.list(),
        (names, failure) -> {
          if (names == null) {
            return;
          }
          for (String name : ours(names, sequence - 1)) {
            var unused = core.snapshots.delete(name);
          }
        });
  }

  private void purgeBefore(long sequence) {
    var unused = core.log.purgeThrough(sequence - 1);
  }

  private void removeOrphans(List<LogConsumerFacts> consumers, String own) {
    long now = core.now();
    Map<String, Long> stillUnattended = new TreeMap<>();
    for (LogConsumerFacts consumer : consumers) {
      String name = consumer.name();
      if (consumer.isAttended() || name.equals(own) || !name.startsWith(FeedCore.CONSUMER_PREFIX)) {
        continue;
      }
      long since = unattendedSince.getOrDefault(name, now);
      if (now - since >= core.config.orphanGraceNanos()) {
        core.count(DurableFeedCounter.ORPHANS_REMOVED);
        var unused = core.log.deleteConsumer(name);
      } else {
        stillUnattended.put(name, since);
      }
    }
    unattendedSince.clear();
    unattendedSince.putAll(stillUnattended);
  }
}
