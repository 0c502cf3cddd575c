// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.ExpectedStore;
import io.dynamo4j.indexer.KvEventFeed;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a router asked of its workers, as far as it shows whether their events are right: how many
 * new prompts each rank computed, whether it then stored what was computed, and what lookups found.
 *
 * <p>One new prompt of each rank is followed at a time. Costs a few additions a request.
 *
 * <p><b>Threads.</b> Belongs to the router's lock.
 */
final class RouterTraffic {
  private static final int RECENT = 256;

  /** How long after the first token a store may come. */
  private static final long STORE_NANOS = 5 * HealthWindow.SECOND;

  /** How long a prompt that was computed should be found. */
  private static final long FOUND_NANOS = 10 * HealthWindow.SECOND;

  private static final long ABANDONED_NANOS = 60 * HealthWindow.SECOND;
  private static final long PAUSE_NANOS = HealthWindow.SECOND;

  /** One rank, and the prompt that is followed there. */
  private static final class Rank {
    long computed;
    long matched;
    long unmatched;
    @Nullable RequestLease followed;
    @Nullable ExpectedStore store;
    boolean isComputed;
    long sinceNanos;

    void drop(long nowNanos) {
      followed = null;
      store = null;
      isComputed = false;
      sinceNanos = nowNanos;
    }

    void judge(long nowNanos) {
      ExpectedStore expected = store;
      if (expected == null) {
        return;
      }
      long age = nowNanos - sinceNanos;
      if (expected.isSeen()) {
        matched++;
        drop(nowNanos);
      } else if (isComputed && age >= STORE_NANOS) {
        unmatched++;
        drop(nowNanos);
      } else if (age >= ABANDONED_NANOS) {
        drop(nowNanos);
      }
    }
  }

  private final @Nullable KvEventFeed feed;
  private final Map<WorkerWithDpRank, Rank> ranks = new LinkedHashMap<>();
  private final long[] recentHashes = new long[RECENT];
  private final long[] recentNanos = new long[RECENT];
  private final boolean[] recentKnown = new boolean[RECENT];
  private long lookups;
  private long found;
  private long missed;

  RouterTraffic(@Nullable KvEventFeed feed) {
    this.feed = feed;
  }

  /** A request was booked; its lease says what was known of its prompt. */
  void booked(RequestLease lease, Prompt prompt, long nowNanos) {
    if (prompt.overlap() == null || prompt.sequenceHashes().length == 0) {
      return;
    }
    // The first block's sequence hash is its local hash.
    long firstHash = prompt.sequenceHashes()[0];
    boolean isFound = prompt.overlap().device().size() > 0;
    lookups++;
    if (isFound) {
      found++;
    } else if (isRecent(firstHash, nowNanos)) {
      missed++;
    }
    int known = (int) Math.ceil(lease.selection().effectiveOverlapBlocks());
    lease.followed(firstHash, Math.max(0, prompt.sequenceHashes().length - known));
    if (feed != null && known == 0) {
      follow(lease, firstHash, nowNanos);
    }
  }

  private void follow(RequestLease lease, long firstHash, long nowNanos) {
    Rank rank = ranks.computeIfAbsent(lease.worker(), added -> new Rank());
    rank.judge(nowNanos);
    boolean isFree = rank.followed == null;
    boolean hasPaused = rank.computed == 0 || nowNanos - rank.sinceNanos >= PAUSE_NANOS;
    if (feed != null && isFree && hasPaused) {
      rank.followed = lease;
      rank.store = feed.expectStore(lease.worker(), firstHash);
      rank.sinceNanos = nowNanos;
    }
  }

  /** A request's first token is there. */
  void computed(RequestLease lease, long nowNanos) {
    if (lease.newBlocks() == 0) {
      return;
    }
    Rank rank = ranks.computeIfAbsent(lease.worker(), added -> new Rank());
    rank.computed++;
    if (rank.followed == lease) {
      rank.isComputed = true;
      rank.sinceNanos = nowNanos;
    }
    int slot = slot(lease.firstHash());
    recentHashes[slot] = lease.firstHash();
    recentNanos[slot] = nowNanos;
    recentKnown[slot] = true;
  }

  /** A request is over. */
  void ended(RequestLease lease, long nowNanos) {
    Rank rank = lease.newBlocks() == 0 ? null : ranks.get(lease.worker());
    if (rank != null && rank.followed == lease && !rank.isComputed) {
      rank.drop(nowNanos);
    }
  }

  /** Workers left, or came back as others: what they held is gone. */
  void tableChanged(RankTable before, RankTable now) {
    for (int i = 0; i < before.size(); i++) {
      int index = now.indexOf(before.rank(i));
      if (index < 0 || now.instance(index).incarnation() != before.instance(i).incarnation()) {
        ranks.remove(before.rank(i));
        Arrays.fill(recentKnown, false);
      }
    }
  }

  private boolean isRecent(long firstHash, long nowNanos) {
    int slot = slot(firstHash);
    return recentKnown[slot]
        && recentHashes[slot] == firstHash
        && nowNanos - recentNanos[slot] <= FOUND_NANOS;
  }

  private static int slot(long hash) {
    return (int) hash & (RECENT - 1);
  }

  LookupFigures lookups() {
    return new LookupFigures(lookups, found, missed);
  }

  /**
   * Returns what is counted of a rank.
   *
   * @param incarnation of its worker
   * @param events that came from it
   * @param unknownParents stores of it that were refused
   */
  RankFigures figures(
      WorkerWithDpRank worker, long incarnation, long events, long unknownParents, long nowNanos) {
    Rank rank = ranks.get(worker);
    if (rank == null) {
      return new RankFigures(incarnation, events, 0, 0, 0, unknownParents);
    }
    rank.judge(nowNanos);
    return new RankFigures(
        incarnation, events, rank.computed, rank.matched, rank.unmatched, unknownParents);
  }
}
