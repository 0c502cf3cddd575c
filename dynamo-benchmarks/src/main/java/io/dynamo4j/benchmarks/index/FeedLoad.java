// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.benchmarks.ChecksumMismatchException;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.FeedCounter;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.wire.RouterEventCodec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Events as they come from the wire: an envelope each, decoded, ordered, applied. */
final class FeedLoad {
  private static final int WARM_UP_EVENTS = 20_000;
  private static final long PAUSE_NANOS = 100_000;

  private FeedLoad() {}

  /** Returns each event of a log in an envelope of its worker, numbered as workers number. */
  private static List<EventEnvelope> envelopes(OperationLog log) {
    long[] numbers = new long[log.shape().workers()];
    List<EventEnvelope> envelopes = new ArrayList<>();
    for (RouterEvent event : log.events()) {
      long number = ++numbers[(int) event.workerId()];
      RouterEvent own =
          RouterEvent.of(
              event.workerId(), event.tier(), KvCacheEvent.of(number, 0, event.event().data()));
      envelopes.add(envelope(own, number - 1));
    }
    return envelopes;
  }

  private static EventEnvelope envelope(RouterEvent event, long sequence) {
    byte[] payload = RouterEventCodec.encode(List.of(event));
    return EventEnvelope.of(event.workerId(), sequence, 0, KvEventFeed.TOPIC, payload);
  }

  /** All envelopes of a log at once, until the last block can be found. */
  static IndexerFigures.Fed overloaded(OperationLog log) {
    List<EventEnvelope> envelopes = envelopes(log);
    try (FedIndex router = new FedIndex()) {
      int workers = log.shape().workers();
      for (long id = 0; id < workers; id++) {
        router.serve(id, FedIndex.emptyAnswer(id));
        router.register(id);
      }
      router.awaitExact(workers);
      long start = System.nanoTime();
      envelopes.forEach(router.plane::deliver);
      long events = envelopes.size();
      while (router.feed.status().count(FeedCounter.SUBMITTED_EVENTS) < events) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      router.index.flush().toCompletableFuture().join();
      double nanos = System.nanoTime() - start;
      ChecksumMismatchException.requireEqual(
          "blocks held after a feed", router.index.status().blocks(), log.memberships());
      return new IndexerFigures.Fed(nanos / log.eventBlocks(), log.eventBlocks());
    }
  }

  /** One event after the other, each when the one before can be found: nothing ever queues. */
  static IndexerFigures.Visible keptUp(int events) {
    try (FedIndex router = new FedIndex()) {
      router.serve(1, FedIndex.emptyAnswer(1));
      router.register(1);
      router.awaitExact(1);
      int warmUp = Math.min(events, WARM_UP_EVENTS);
      long[] nanos = new long[events];
      OverlapScores scratch = OverlapScores.create();
      for (int i = 0; i < warmUp + events; i++) {
        long taken = visibleAfter(router, i, scratch);
        if (i >= warmUp) {
          nanos[i - warmUp] = taken;
        }
      }
      Arrays.sort(nanos);
      return new IndexerFigures.Visible(
          nanos[events / 2], nanos[(int) ((events - 1) * 0.99)], events);
    }
  }

  private static long visibleAfter(FedIndex router, int number, OverlapScores scratch) {
    long[] block = {LogChecksum.mix64(number)};
    KvCacheEventData stored = KvCacheEventData.Stored.atRoot(block, block);
    EventEnvelope envelope =
        envelope(
            RouterEvent.of(1, StorageTier.DEVICE, KvCacheEvent.of(number + 1L, 0, stored)), number);
    WorkerWithDpRank worker = WorkerWithDpRank.of(1);
    long start = System.nanoTime();
    router.plane.deliver(envelope);
    while (router.index.depthOf(worker, block, 1, scratch) == 0) {
      Thread.onSpinWait();
    }
    return System.nanoTime() - start;
  }
}
