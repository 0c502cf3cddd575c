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
import io.dynamo4j.wire.SourceHead;
import io.dynamo4j.wire.WireFormatException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private record Departed(long incarnation, List<EventSource> sources, long endedNanos) {}

  private final KvIndexer indexer;
  private final LongObjectMap<Life> lives = LongObjectMap.create(0);
  private final LongObjectMap<EventSource> sources = LongObjectMap.create(0);
  private final Map<Long, Departed> departed = new LinkedHashMap<>();
  private final HeldEvents held = new HeldEvents(KvEventFeed.MAX_HELD_BLOCKS);
  private final Conflicts conflicts = new Conflicts();
  private final FeedCounters counters;
  private final FeedActivity activity;
  private final @Nullable FeedRecovery recovery;
  private volatile int heldCount;

  /**
   * @param recovery keeps the events of each rank complete; null if they are applied as they come
   */
  FeedState(
      KvIndexer indexer,
      FeedCounters counters,
      FeedActivity activity,
      @Nullable FeedRecovery recovery) {
    this.indexer = indexer;
    this.counters = counters;
    this.activity = activity;
    this.recovery = recovery;
  }

  /* --------------- Envelopes --------------- */

  void onEnvelope(EventEnvelope envelope, long nowNanos) {
    count(FeedCounter.ENVELOPES, 1);
    activity.heard(envelope, nowNanos);
    EventSource source = sources.get(envelope.publisherId());
    EventSource.Continuation continuation =
        source == null ? EventSource.Continuation.NEXT : source.continuationBy(envelope);
    boolean isOvertaken = continuation == EventSource.Continuation.OVERTAKEN;
    if (source != null && isOvertaken && recovery != null) {
      count(FeedCounter.OVERTAKEN_ENVELOPES, 1);
      source.note(envelope, nowNanos);
    } else if (isOvertaken) {
      count(FeedCounter.OVERTAKEN_ENVELOPES, 1);
      return;
    } else if (continuation == EventSource.Continuation.REPEATED) {
      count(FeedCounter.REPEATED_ENVELOPES, 1);
      return;
    } else {
      source = advance(source, continuation, envelope, nowNanos);
    }
    deliver(envelope, source, isOvertaken, nowNanos);
  }

  private void deliver(
      EventEnvelope envelope, EventSource source, boolean isOvertaken, long nowNanos) {
    RouterEventBatch batch;
    try {
      batch = RouterEventCodec.decode(envelope.payload());
    } catch (WireFormatException e) {
      count(FeedCounter.UNREADABLE_ENVELOPES, 1);
      activity.unreadable(envelope.publisherId(), 1);
      return;
    }
    count(FeedCounter.UNUSABLE_EVENTS, batch.rejected());
    activity.unreadable(envelope.publisherId(), batch.rejected());
    for (RouterEvent event : batch.events()) {
      if (isAdmitted(event, source, nowNanos)) {
        apply(event, isOvertaken);
      }
    }
    heldCount = held.size();
  }

  /** Returns the run that the envelope belongs to, after moving it past the envelope. */
  private EventSource advance(
      @Nullable EventSource before,
      EventSource.Continuation continuation,
      EventEnvelope envelope,
      long nowNanos) {
    EventSource source = before;
    if (source == null) {
      source = new EventSource(envelope.publisherId(), false);
      makeRoomForSource();
      sources.put(envelope.publisherId(), source);
    } else if (continuation == EventSource.Continuation.RESTARTED) {
      count(FeedCounter.RESTARTS, 1);
      source = restarted(source);
      sources.put(envelope.publisherId(), source);
    }
    long missed = source.advance(envelope, nowNanos);
    // A forged sequence must not wreck the counter.
    count(FeedCounter.MISSED_ENVELOPES, missed < 0 ? Integer.MAX_VALUE : Math.min(missed, 1 << 30));
    return source;
  }

  /**
   * Forgets what a run's ranks held. Where they can be asked for, the next run takes them over at
   * once: should they be another life's, their numbers will say so.
   */
  private EventSource restarted(EventSource before) {
    EventSource next = new EventSource(before.publisherId, true);
    before.ranks.forEach(indexer::removeWorkerDpRank);
    if (recovery != null) {
      for (WorkerWithDpRank rank : List.copyOf(before.ranks)) {
        Life life = lives.get(rank.workerId());
        if (life != null && life.sources.get(rank) == before) {
          before.ranks.remove(rank);
          bind(life, rank, next);
          recovery.rewritten(rank);
        }
      }
    }
    return next;
  }

  /** A source has said how far it has come. */
  void onHead(EventEnvelope envelope, long nowNanos) {
    SourceHead head;
    try {
      head = SourceHead.decode(envelope.payload());
    } catch (WireFormatException e) {
      count(FeedCounter.UNREADABLE_ENVELOPES, 1);
      return;
    }
    Life life = lives.get(head.worker().workerId());
    if (recovery == null || life == null || !life.declares(head.worker().dpRank())) {
      return;
    }
    EventSource writer = life.sources.get(head.worker());
    if (writer == null || writer.publisherId == envelope.publisherId()) {
      recovery.onHead(head.worker(), head.lastEventId(), head.digest());
    } else if (writer.isSilentSince(nowNanos - KvEventFeed.HOLD_NANOS)) {
      // The writer may be of a life that is over: whoever speaks next writes.
      count(FeedCounter.TAKEOVERS, 1);
      life.sources.remove(head.worker());
      writer.ranks.remove(head.worker());
      conflicts.remove(head.worker());
      recovery.rewritten(head.worker());
    }
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
    for (Long publisherId : idle) {
      sources.remove(publisherId);
      activity.forgetPublisher(publisherId);
    }
  }

  /** Returns whether the source may write for the event's rank; what may not yet is held. */
  private boolean isAdmitted(RouterEvent event, EventSource source, long nowNanos) {
    if (isOfPastLife(event.workerId(), source, nowNanos)) {
      count(FeedCounter.LATE_EVENTS, 1);
      return false;
    }
    Life life = lives.get(event.workerId());
    if (life == null) {
      hold(event, source, nowNanos);
      return false;
    }
    if (!life.declares(event.event().dpRank())) {
      count(FeedCounter.UNDECLARED_RANK_EVENTS, 1);
      return false;
    }
    EventSource writer = life.sources.get(event.worker());
    if (writer == null) {
      bind(life, event.worker(), source);
    } else if (writer != source) {
      conflicts.note(event.worker(), writer, source, nowNanos);
      hold(event, source, nowNanos);
      return false;
    }
    activity.heard(event, source.publisherId, nowNanos);
    return true;
  }

  private void apply(RouterEvent event, boolean isOvertaken) {
    if (recovery == null) {
      submit(event);
    } else {
      recovery.onEvent(event, isOvertaken);
    }
  }

  /**
   * With recovery a publisher is given another chance after a while, since numbers tell lives
   * apart: its next life may seem to go on where the last one ended if its beginning was lost.
   */
  private boolean isOfPastLife(long workerId, EventSource source, long nowNanos) {
    Departed past = departed.isEmpty() ? null : departed.get(workerId);
    return past != null
        && past.sources().contains(source)
        && (recovery == null || nowNanos - past.endedNanos() < KvEventFeed.HOLD_NANOS);
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
    conflicts.expire(sinceNanos);
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
    conflicts.remove(worker);
    if (recovery != null) {
      recovery.rewritten(worker);
    }
    claim(waiting);
    held.takeOf(worker.workerId()).forEach(this::claim);
    return true;
  }

  private void claim(Held waiting) {
    RouterEvent event = waiting.event();
    count(FeedCounter.CLAIMED_EVENTS, 1);
    if (isAdmitted(event, waiting.source(), waiting.sinceNanos())) {
      if (recovery == null) {
        submit(event);
      } else {
        recovery.onClaimed(event);
      }
    }
  }

  /* --------------- Membership --------------- */

  void added(WorkerInstance instance, long nowNanos) {
    long workerId = instance.workerId();
    Life before = lives.get(workerId);
    if (before != null && before.instance.incarnation() != instance.incarnation()) {
      end(before, nowNanos);
      before = null;
    }
    Life life = new Life(instance);
    if (before != null) {
      before.sources.forEach((worker, source) -> carryOver(life, worker, source));
    }
    lives.put(workerId, life);
    open(life, before);
    Departed past = departed.get(workerId);
    if (past != null && past.incarnation() == instance.incarnation()) {
      departed.remove(workerId);
    }
    held.takeOf(workerId).forEach(this::claim);
    heldCount = held.size();
  }

  /** Asks for what the ranks hold, and no longer for those that a changed record leaves out. */
  private void open(Life life, @Nullable Life before) {
    if (recovery == null) {
      return;
    }
    if (before != null) {
      for (int i = 0; i < before.instance.dpSize(); i++) {
        WorkerWithDpRank rank = before.instance.rank(i);
        if (!life.declares(rank.dpRank())) {
          recovery.closed(rank);
          indexer.removeWorkerDpRank(rank);
        }
      }
    }
    for (int i = 0; i < life.instance.dpSize(); i++) {
      recovery.opened(life.instance, life.instance.rank(i));
    }
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

  void removed(WorkerInstance instance, long nowNanos) {
    Life life = lives.remove(instance.workerId());
    if (life != null) {
      end(life, nowNanos);
    }
  }

  private void end(Life life, long nowNanos) {
    long workerId = life.instance.workerId();
    if (recovery != null) {
      for (int i = 0; i < life.instance.dpSize(); i++) {
        recovery.closed(life.instance.rank(i));
      }
    }
    indexer.removeWorker(workerId);
    activity.forget(workerId);
    List<EventSource> past = new ArrayList<>();
    life.sources.forEach(
        (worker, source) -> {
          source.ranks.remove(worker);
          conflicts.remove(worker);
          // A run that began in mid-life may be the first of the life to come.
          if (recovery == null || !source.isRestart) {
            past.add(source);
          }
        });
    departed.remove(workerId);
    departed.put(workerId, new Departed(life.instance.incarnation(), past, nowNanos));
    if (departed.size() > MAX_DEPARTED) {
      departed.remove(departed.keySet().iterator().next());
    }
  }

  /* --------------- Counters --------------- */

  private void count(FeedCounter counter, long more) {
    counters.add(counter, more);
  }

  KvEventFeedStatus status(long overrunEnvelopes) {
    return new KvEventFeedStatus(counters.now(), heldCount, overrunEnvelopes, conflicts.list());
  }
}
