// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.collect.LongObjectMap;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.HeldEvents.Held;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.wire.RouterEventBatch;
import io.dynamo4j.wire.RouterEventCodec;
import io.dynamo4j.wire.WireFormatException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Which publisher writes for which rank, and which event goes where. Belongs to the feed's lane,
 * except for {@link #status}.
 */
final class FeedState {
  private static final int MAX_SOURCES = 1 << 16;
  private static final int MAX_DEPARTED = 4096;

  /** A registered worker and who writes for its ranks. */
  private static final class Life {
    final WorkerInstance instance;
    final Map<WorkerWithDpRank, EventSource> sources = new LinkedHashMap<>();

    Life(WorkerInstance instance) {
      this.instance = instance;
    }

    boolean declares(int dpRank) {
      return Integer.compareUnsigned(dpRank - instance.dpStart(), instance.dpSize()) < 0;
    }
  }

  /** The last life of a worker that is over: who wrote in it must not write in the next. */
  private record Departed(long incarnation, List<EventSource> sources) {}

  private final KvIndexer indexer;
  private final LongObjectMap<Life> lives = LongObjectMap.create(0);
  private final LongObjectMap<EventSource> sources = LongObjectMap.create(0);
  private final Map<Long, Departed> departed = new LinkedHashMap<>();
  private final HeldEvents held = new HeldEvents(KvEventFeed.MAX_HELD_BLOCKS);
  private final Map<FeedCounter, AtomicLong> counts = new EnumMap<>(FeedCounter.class);
  private volatile int heldCount;

  FeedState(KvIndexer indexer) {
    this.indexer = indexer;
    for (FeedCounter counter : FeedCounter.values()) {
      counts.put(counter, new AtomicLong());
    }
  }

  /* --------------- Envelopes --------------- */

  void onEnvelope(EventEnvelope envelope, long nowNanos) {
    count(FeedCounter.ENVELOPES, 1);
    EventSource source = track(envelope, nowNanos);
    if (source == null) {
      count(FeedCounter.REPEATED_ENVELOPES, 1);
      return;
    }
    RouterEventBatch batch;
    try {
      batch = RouterEventCodec.decode(envelope.payload());
    } catch (WireFormatException e) {
      count(FeedCounter.UNREADABLE_ENVELOPES, 1);
      return;
    }
    count(FeedCounter.UNUSABLE_EVENTS, batch.rejected());
    for (RouterEvent event : batch.events()) {
      route(event, source, nowNanos);
    }
    heldCount = held.size();
  }

  /** Returns the run that the envelope belongs to, null if it has been received before. */
  private @Nullable EventSource track(EventEnvelope envelope, long nowNanos) {
    EventSource source = sources.get(envelope.publisherId());
    if (source != null) {
      switch (source.continuationBy(envelope)) {
        case NEXT -> {}
        case REPEATED -> {
          return null;
        }
        case RESTARTED -> {
          count(FeedCounter.RESTARTS, 1);
          source.ranks.forEach(indexer::removeWorkerDpRank);
          source = null;
        }
      }
    }
    if (source == null) {
      source = new EventSource();
      makeRoomForSource();
      sources.put(envelope.publisherId(), source);
    }
    long missed = source.advance(envelope, nowNanos);
    // A forged sequence must not wreck the counter.
    count(FeedCounter.MISSED_ENVELOPES, missed < 0 ? Integer.MAX_VALUE : Math.min(missed, 1 << 30));
    return source;
  }

  private void makeRoomForSource() {
    if (sources.size() < MAX_SOURCES) {
      return;
    }
    List<Long> idle = new ArrayList<>();
    sources.forEach(
        (publisherId, source) -> {
          if (source.ranks.isEmpty()) {
            idle.add(publisherId);
          }
        });
    idle.forEach(sources::remove);
  }

  private void route(RouterEvent event, EventSource source, long nowNanos) {
    if (isOfPastLife(event.workerId(), source)) {
      count(FeedCounter.LATE_EVENTS, 1);
      return;
    }
    Life life = lives.get(event.workerId());
    if (life == null) {
      hold(event, source, nowNanos);
      return;
    }
    if (!life.declares(event.event().dpRank())) {
      count(FeedCounter.UNDECLARED_RANK_EVENTS, 1);
      return;
    }
    EventSource writer = life.sources.get(event.worker());
    if (writer == null) {
      bind(life, event.worker(), source);
    } else if (writer != source) {
      hold(event, source, nowNanos);
      return;
    }
    submit(event);
  }

  private boolean isOfPastLife(long workerId, EventSource source) {
    Departed past = departed.isEmpty() ? null : departed.get(workerId);
    return past != null && past.sources().contains(source);
  }

  private void bind(Life life, WorkerWithDpRank worker, EventSource source) {
    life.sources.put(worker, source);
    source.ranks.add(worker);
  }

  private void submit(RouterEvent event) {
    if (indexer.submit(event)) {
      count(FeedCounter.SUBMITTED_EVENTS, 1);
    }
  }

  /* --------------- Waiting events --------------- */

  private void hold(RouterEvent event, EventSource source, long nowNanos) {
    held.add(new Held(event, source, nowNanos)).forEach(this::drop);
  }

  private void drop(Held event) {
    boolean isRegistered = lives.get(event.event().workerId()) != null;
    count(isRegistered ? FeedCounter.CONFLICTING_EVENTS : FeedCounter.UNREGISTERED_EVENTS, 1);
  }

  boolean holdsEvents() {
    return held.size() > 0;
  }

  /** Decides about every event that has waited since then or longer. */
  void expire(long sinceNanos) {
    Held oldest = held.takeWaitingSince(sinceNanos);
    while (oldest != null) {
      if (!takeOver(oldest)) {
        drop(oldest);
      }
      oldest = held.takeWaitingSince(sinceNanos);
    }
    heldCount = held.size();
  }

  /** Gives the rank to the waiting publisher if the present one has been silent meanwhile. */
  private boolean takeOver(Held waiting) {
    WorkerWithDpRank worker = waiting.event().worker();
    Life life = lives.get(worker.workerId());
    EventSource writer = life == null ? null : life.sources.get(worker);
    if (life == null || writer == null || !writer.isSilentSince(waiting.sinceNanos())) {
      return false;
    }
    count(FeedCounter.TAKEOVERS, 1);
    writer.ranks.remove(worker);
    indexer.removeWorkerDpRank(worker);
    bind(life, worker, waiting.source());
    claim(waiting);
    held.takeOf(worker.workerId()).forEach(this::claim);
    return true;
  }

  private void claim(Held waiting) {
    count(FeedCounter.CLAIMED_EVENTS, 1);
    route(waiting.event(), waiting.source(), waiting.sinceNanos());
  }

  /* --------------- Membership --------------- */

  void added(WorkerInstance instance) {
    long workerId = instance.workerId();
    Life before = lives.get(workerId);
    if (before != null && before.instance.incarnation() != instance.incarnation()) {
      end(before);
      before = null;
    }
    Life life = new Life(instance);
    if (before != null) {
      before.sources.forEach((worker, source) -> carryOver(life, worker, source));
    }
    lives.put(workerId, life);
    Departed past = departed.get(workerId);
    if (past != null && past.incarnation() == instance.incarnation()) {
      departed.remove(workerId);
    }
    held.takeOf(workerId).forEach(this::claim);
    heldCount = held.size();
  }

  /** Keeps a rank's writer when only the record changed, unless it no longer declares the rank. */
  private void carryOver(Life life, WorkerWithDpRank worker, EventSource source) {
    if (life.declares(worker.dpRank())) {
      life.sources.put(worker, source);
    } else {
      source.ranks.remove(worker);
      indexer.removeWorkerDpRank(worker);
    }
  }

  void removed(WorkerInstance instance) {
    Life life = lives.remove(instance.workerId());
    if (life != null) {
      end(life);
    }
  }

  private void end(Life life) {
    long workerId = life.instance.workerId();
    indexer.removeWorker(workerId);
    life.sources.forEach((worker, source) -> source.ranks.remove(worker));
    departed.remove(workerId);
    departed.put(
        workerId, new Departed(life.instance.incarnation(), List.copyOf(life.sources.values())));
    if (departed.size() > MAX_DEPARTED) {
      departed.remove(departed.keySet().iterator().next());
    }
  }

  /* --------------- Counters --------------- */

  private void count(FeedCounter counter, long more) {
    Objects.requireNonNull(counts.get(counter), "counter").addAndGet(more);
  }

  KvEventFeedStatus status(long overrunEnvelopes) {
    Map<FeedCounter, Long> now = new EnumMap<>(FeedCounter.class);
    counts.forEach((counter, value) -> now.put(counter, value.get()));
    return new KvEventFeedStatus(now, heldCount, overrunEnvelopes);
  }
}
