// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Who writes each rank, and how far its events are applied: a function of the log's entries alone,
 * so that all routers agree. Belongs to the feed's lane.
 */
final class RankCursors {
  private final Map<WorkerWithDpRank, Cursor> ranks = new TreeMap<>();

  /** What an event is to the index. */
  enum Verdict {
    APPLY,
    /** The rank's writer begins, or begins anew: nothing before counts. */
    BEGIN,
    /** Applied already. */
    REPEATED,
    /** By a writer that another has taken the rank over from. */
    FORMER_WRITER,
    /** Applied although something before it is missing. */
    APPLY_BEHIND_GAP,
    /** As behind a gap, by a writer that must have begun in a hole: nothing before counts. */
    TAKE_OVER_BEHIND_HOLE
  }

  /** Judges an event and moves on to it if it is to be applied. */
  Verdict judge(long writerId, RouterEvent event) {
    long id = event.event().eventId();
    boolean isClear = event.event().data() instanceof KvCacheEventData.Cleared;
    Cursor cursor = ranks.get(event.worker());
    if (id == 1 && isClear) {
      ranks.put(event.worker(), new Cursor(writerId, id, true));
      return Verdict.BEGIN;
    }
    if (cursor == null) {
      ranks.put(event.worker(), new Cursor(writerId, id, isClear));
      return isClear ? Verdict.APPLY : Verdict.APPLY_BEHIND_GAP;
    }
    if (cursor.writerId != writerId) {
      return cursor.isUnsure ? takeOver(writerId, event) : Verdict.FORMER_WRITER;
    }
    // The writer may have numbered anew in a hole.
    if (id <= cursor.lastId && !cursor.isUnsure) {
      return Verdict.REPEATED;
    }
    boolean isNext = id == cursor.lastId + 1;
    cursor.lastId = id;
    cursor.isUnsure = false;
    cursor.isWhole = isClear || (cursor.isWhole && isNext);
    return isNext || isClear ? Verdict.APPLY : Verdict.APPLY_BEHIND_GAP;
  }

  private Verdict takeOver(long writerId, RouterEvent event) {
    boolean isClear = event.event().data() instanceof KvCacheEventData.Cleared;
    ranks.put(event.worker(), new Cursor(writerId, event.event().eventId(), isClear));
    return isClear ? Verdict.APPLY : Verdict.TAKE_OVER_BEHIND_HOLE;
  }

  /** Notes that a rank may have written what is lost, whoever its writer is by now. */
  void doubt(WorkerWithDpRank rank) {
    Cursor cursor = ranks.computeIfAbsent(rank, unseen -> new Cursor(0, 0, false));
    cursor.isWhole = false;
    cursor.isUnsure = true;
  }

  /** Sets what a snapshot says of a rank. */
  void restore(WorkerWithDpRank rank, long writerId, long lastId, boolean isWhole) {
    ranks.put(rank, new Cursor(writerId, lastId, isWhole));
  }

  /** Returns the place of a rank that is there. */
  Cursor get(WorkerWithDpRank rank) {
    return Objects.requireNonNull(ranks.get(rank), "rank");
  }

  int size() {
    return ranks.size();
  }

  /** Returns the ranks that lack something, or may. */
  List<WorkerWithDpRank> incomplete() {
    List<WorkerWithDpRank> found = new ArrayList<>();
    ranks.forEach(
        (rank, cursor) -> {
          if (!cursor.isWhole) {
            found.add(rank);
          }
        });
    return found;
  }

  /** Returns the ranks of all workers, or of one. */
  List<WorkerWithDpRank> ranks(@Nullable Long workerId) {
    List<WorkerWithDpRank> found = new ArrayList<>();
    for (WorkerWithDpRank rank : ranks.keySet()) {
      if (workerId == null || rank.workerId() == workerId) {
        found.add(rank);
      }
    }
    return found;
  }

  boolean contains(WorkerWithDpRank rank) {
    return ranks.containsKey(rank);
  }

  void remove(WorkerWithDpRank rank) {
    ranks.remove(rank);
  }

  /** Becomes what others are. */
  void replaceBy(RankCursors others) {
    ranks.clear();
    ranks.putAll(others.ranks);
  }

  void clear() {
    ranks.clear();
  }

  /** One rank's place. */
  static final class Cursor {
    final long writerId;
    long lastId;
    boolean isWhole;

    /** Whether nothing has come since a hole: writer and number are of before. */
    boolean isUnsure;

    Cursor(long writerId, long lastId, boolean isWhole) {
      this.writerId = writerId;
      this.lastId = lastId;
      this.isWhole = isWhole;
    }
  }
}
