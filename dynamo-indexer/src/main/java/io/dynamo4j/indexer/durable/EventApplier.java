// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.transport.Counts;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Leads the events of entries into the index. Belongs to the feed's lane. */
final class EventApplier {
  /** Of one worker; no worker has more. */
  private static final int MAX_RANKS = 4_096;

  private final KvIndexer index;
  private final @Nullable LogMembers members;
  private final @Nullable LiveSources live;
  private final Counts<DurableFeedCounter> counts;
  private final RankCursors cursors = new RankCursors();
  private List<RouterEvent> events = List.of();
  private long writerId;
  private int next;
  private @Nullable RouterEvent refused;

  EventApplier(
      KvIndexer index,
      @Nullable LogMembers members,
      @Nullable LiveSources live,
      Counts<DurableFeedCounter> counts) {
    this.index = index;
    this.members = members;
    this.live = live;
    this.counts = counts;
  }

  RankCursors cursors() {
    return cursors;
  }

  KvIndexer index() {
    return index;
  }

  /** Begins with an entry; {@link #goOn} applies it. */
  void begin(LogRecord.Events entry) {
    events = entry.events();
    writerId = entry.writerId();
    next = 0;
  }

  /** Applies what is left of the entry; false if the index has no room before its next flush. */
  boolean goOn() {
    RouterEvent again = refused;
    if (again != null) {
      if (!index.submit(again)) {
        return false;
      }
      refused = null;
    }
    while (next < events.size()) {
      RouterEvent event = events.get(next++);
      if (!apply(event)) {
        refused = event;
        return false;
      }
    }
    events = List.of();
    return true;
  }

  private boolean apply(RouterEvent event) {
    WorkerWithDpRank rank = event.worker();
    if (members != null && !members.mayWrite(rank)) {
      counts.add(DurableFeedCounter.UNDECLARED_EVENTS);
      return true;
    }
    counts.add(DurableFeedCounter.EVENTS);
    if (live != null) {
      live.logged(rank);
    }
    switch (cursors.judge(writerId, event)) {
      case BEGIN -> {
        index.removeWorkerDpRank(rank);
        index.markStale(rank, false);
        return true;
      }
      case APPLY -> {
        if (event.event().data() instanceof KvCacheEventData.Cleared) {
          index.markStale(rank, false);
        }
        return index.submit(event);
      }
      case APPLY_BEHIND_GAP -> {
        return applyBehindGap(event);
      }
      case TAKE_OVER_BEHIND_HOLE -> {
        index.removeWorkerDpRank(rank);
        return applyBehindGap(event);
      }
      case REPEATED -> counts.add(DurableFeedCounter.REPEATED_EVENTS);
      case FORMER_WRITER -> counts.add(DurableFeedCounter.FORMER_WRITER_EVENTS);
    }
    return true;
  }

  private boolean applyBehindGap(RouterEvent event) {
    counts.add(DurableFeedCounter.GAPS);
    index.markStale(event.worker(), true);
    return index.submit(event);
  }

  /**
   * Notes that entries are lost: any rank may have written there, and one that writes nothing
   * afterwards would not show it. All that are known, and that the directory names until then, are
   * stale until they begin anew.
   */
  void passHole(long untilNanos) {
    cursors.ranks(null).forEach(this::doubt);
    if (members != null) {
      members.watch(untilNanos, this::doubtUnseen);
    }
  }

  private void doubtUnseen(WorkerInstance instance) {
    for (int i = 0; i < Math.min(instance.dpSize(), MAX_RANKS); i++) {
      WorkerWithDpRank rank = instance.rank(i);
      if (!cursors.contains(rank)) {
        doubt(rank);
      }
    }
  }

  private void doubt(WorkerWithDpRank rank) {
    cursors.doubt(rank);
    index.markStale(rank, true);
  }

  /** Notes the ranks of a snapshot that has been loaded. */
  void restored() {
    for (WorkerWithDpRank rank : cursors.ranks(null)) {
      if (members != null) {
        members.addUnlisted(rank.workerId());
      }
      index.markStale(rank, !cursors.get(rank).isWhole);
    }
  }

  /** Forgets a worker. */
  void forget(long workerId) {
    if (live != null) {
      live.forget(workerId);
    }
    for (WorkerWithDpRank rank : cursors.ranks(workerId)) {
      cursors.remove(rank);
      index.markStale(rank, false);
    }
    index.removeWorker(workerId);
  }

  /** Forgets everything. */
  void clear() {
    if (members != null) {
      members.endWatch();
    }
    for (WorkerWithDpRank rank : cursors.ranks(null)) {
      if (cursors.contains(rank)) {
        forget(rank.workerId());
      }
    }
    events = List.of();
    refused = null;
  }
}
