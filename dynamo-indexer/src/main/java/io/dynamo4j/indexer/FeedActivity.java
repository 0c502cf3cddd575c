// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.EventEnvelope;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** Who is heard of, and how much. Written on the feed's lane, read from any thread. */
final class FeedActivity {

  /** Of one publisher; its fields have one writer. */
  static final class Publisher implements Comparable<Publisher> {
    private final long publisherId;
    private final long[] lags = new long[PublisherActivity.REMEMBERED_LAGS];
    private volatile long envelopes;
    private volatile long unreadable;
    private volatile long lagMillis;
    private volatile long heardNanos;

    Publisher(long publisherId) {
      this.publisherId = publisherId;
    }

    private void heard(long lag, long nowNanos) {
      int slot = (int) (envelopes % lags.length);
      lags[slot] = lag;
      long count = envelopes + 1;
      long least = lag;
      for (int i = 0; i < Math.min(count, lags.length); i++) {
        least = Math.min(least, lags[i]);
      }
      lagMillis = least;
      heardNanos = nowNanos;
      envelopes = count;
    }

    @Override
    public int compareTo(Publisher other) {
      return Long.compareUnsigned(publisherId, other.publisherId);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Publisher publisher && publisher.publisherId == publisherId;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(publisherId);
    }
  }

  /** Of one rank; its fields have one writer. */
  private static final class Rank {
    private volatile long publisherId;
    private volatile long events;
    private volatile long heardNanos;
  }

  private final InstantSource wallClock;
  private final ConcurrentNavigableMap<Publisher, Publisher> publishers =
      new ConcurrentSkipListMap<>();
  private final ConcurrentNavigableMap<WorkerWithDpRank, Rank> ranks =
      new ConcurrentSkipListMap<>();
  private final ConcurrentNavigableMap<WorkerWithDpRank, ExpectedStore> expected =
      new ConcurrentSkipListMap<>();

  // Who was heard last, by the lane: most often it is the next one too.
  private @Nullable Publisher lastPublisher;
  private @Nullable WorkerWithDpRank lastWorker;
  private @Nullable Rank lastRank;

  FeedActivity(InstantSource wallClock) {
    this.wallClock = wallClock;
  }

  /* --------------- On the lane --------------- */

  void heard(EventEnvelope envelope, long nowNanos) {
    publisher(envelope.publisherId())
        .heard(wallClock.millis() - envelope.publishedAtMillis(), nowNanos);
  }

  void unreadable(long publisherId, long more) {
    if (more == 0) {
      return;
    }
    Publisher publisher = publisher(publisherId);
    long count = publisher.unreadable + more;
    publisher.unreadable = count;
  }

  private Publisher publisher(long publisherId) {
    Publisher last = lastPublisher;
    if (last == null || last.publisherId != publisherId) {
      Publisher key = new Publisher(publisherId);
      last = publishers.computeIfAbsent(key, added -> added);
      lastPublisher = last;
    }
    return last;
  }

  void forgetPublisher(long publisherId) {
    publishers.remove(new Publisher(publisherId));
    lastPublisher = null;
  }

  /** An event came from the rank's own publisher. */
  void heard(RouterEvent event, long publisherId, long nowNanos) {
    WorkerWithDpRank worker = event.worker();
    Rank rank = rank(worker);
    rank.publisherId = publisherId;
    rank.heardNanos = nowNanos;
    long count = rank.events + 1;
    rank.events = count;
    ExpectedStore store = expected.isEmpty() ? null : expected.get(worker);
    if (store != null
        && event.event().data() instanceof KvCacheEventData.Stored stored
        && stored.blockCount() > 0) {
      store.stored(stored.tokensHashes()[0]);
    }
  }

  private Rank rank(WorkerWithDpRank worker) {
    Rank last = lastRank;
    if (last == null || !worker.equals(lastWorker)) {
      last = ranks.computeIfAbsent(worker, added -> new Rank());
      lastRank = last;
      lastWorker = worker;
    }
    return last;
  }

  /** A worker's life is over. */
  void forget(long workerId) {
    lastRank = null;
    ranks.keySet().removeIf(rank -> rank.workerId() == workerId);
    expected.keySet().removeIf(rank -> rank.workerId() == workerId);
  }

  /* --------------- Any thread --------------- */

  ExpectedStore expect(WorkerWithDpRank worker, long localHash) {
    ExpectedStore store = new ExpectedStore(localHash);
    expected.put(worker, store);
    return store;
  }

  List<PublisherActivity> publishers(long nowNanos) {
    List<PublisherActivity> list = new ArrayList<>();
    for (Publisher publisher : publishers.keySet()) {
      list.add(
          new PublisherActivity(
              publisher.publisherId,
              publisher.envelopes,
              publisher.unreadable,
              publisher.lagMillis,
              Math.max(0, nowNanos - publisher.heardNanos)));
    }
    return Collections.unmodifiableList(list);
  }

  List<RankActivity> ranks(long nowNanos) {
    List<RankActivity> list = new ArrayList<>();
    ranks.forEach(
        (worker, rank) ->
            list.add(
                new RankActivity(
                    worker,
                    rank.publisherId,
                    rank.events,
                    Math.max(0, nowNanos - rank.heardNanos))));
    return Collections.unmodifiableList(list);
  }
}
