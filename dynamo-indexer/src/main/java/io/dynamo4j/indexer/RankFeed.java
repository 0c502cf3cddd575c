// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.SourceStatus.State;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.wire.ProofAnswer;
import io.dynamo4j.wire.RecoveryResponse;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The events of one rank in the order of their numbers: applies them, notices what is missing, and
 * has it asked for. Belongs to the feed's lane.
 */
final class RankFeed {
  /*
   * Problem  Numbered events arrive with gaps, twice, out of order, or with numbers that their
   *          source never gave; the index must end up as if each had come once and in order.
   * States   LIVE_ONLY    nobody to ask: events are applied as they come
   *          RESTORING    everything is asked for, or the answer is being applied (isFilling)
   *          CATCHING_UP  the events from nextId on are asked for
   *          EXACT        applied up to nextId - 1; perhaps a check is under way
   *          UNREACHABLE  asked in vain, until a timer or the next event
   * Early    What an answer will replace may be applied before it comes: everything while
   *          RESTORING, since all of it is dropped then; while CATCHING_UP only stores at the
   *          root, which the answer repeats in their place. A removal applied early could orphan
   *          a missing store.
   * Trust    The source decides which numbers exist. What waits behind a gap of which the source
   *          knows nothing is dropped, so that no forged number moves the cursor.
   */
  private final FeedRecovery owner;
  private final WorkerWithDpRank rank;
  private final RankQueries queries;
  private final HeldBack held;

  private boolean isClosed;
  private boolean isReported;
  private boolean isFilling;
  private boolean hasAppliedEarly;
  private long nextId;
  private long filledBelowId;
  private long announcedId;
  private long confirmedNanos;
  private long provedNanos;
  private boolean hasRepaired;
  private long lastFillNanos;
  private long fillPauseNanos;
  private volatile State state = State.RESTORING;

  RankFeed(FeedRecovery owner, WorkerWithDpRank rank, @Nullable WorkerInstance target) {
    this.owner = owner;
    this.rank = rank;
    this.queries = new RankQueries(owner, rank, target, new Answers());
    this.held = new HeldBack(owner.config().maxHeldEvents());
  }

  /** Begins: whatever the rank holds is asked for. */
  void open() {
    if (queries.target() == null) {
      become(State.LIVE_ONLY);
    } else {
      beginRestore(owner.startJitterNanos());
    }
  }

  /** Ends: nothing is asked for or applied any more. */
  void close() {
    isClosed = true;
    queries.cancel();
    held.clear();
    owner.indexer().markStale(rank, false);
  }

  /** Forgets the numbers seen so far: another publisher writes now. */
  void reset() {
    held.clear();
    fillPauseNanos = 0;
    open();
  }

  @Nullable WorkerInstance target() {
    return queries.target();
  }

  /** Any thread. */
  SourceStatus status() {
    return queries.status(state);
  }

  private void become(State next) {
    if (next == State.UNREACHABLE && !isReported) {
      isReported = true;
      owner.logUnreachable(status());
    } else if (isReported && !next.isStale()) {
      isReported = false;
      owner.logRecovered(rank);
    }
    state = next;
    owner.indexer().markStale(rank, next.isStale());
  }

  /* --------------- Live events --------------- */

  /**
   * Takes one event of the rank's publisher.
   *
   * @param overtaken whether the plane delivered later ones before it
   */
  void onEvent(RouterEvent event, boolean overtaken) {
    switch (state) {
      case LIVE_ONLY -> owner.submit(event);
      case EXACT -> onEventInExact(event, overtaken);
      case UNREACHABLE -> {
        beginRestore(0);
        hold(event);
        owner.submit(event);
      }
      case RESTORING -> {
        if (!isFilling) {
          hold(event);
          owner.submit(event);
        } else if (!dropIfStale(event)) {
          hold(event);
        }
      }
      case CATCHING_UP -> {
        if (!dropIfStale(event)) {
          hold(event);
          applyEarly(event);
        }
      }
    }
  }

  /**
   * Takes one event that came before its rank was opened. The answer that is awaited is of later
   * and holds what it says, unless the event is of a life that is over: so it only fills the time
   * until then.
   */
  void onClaimed(RouterEvent event) {
    if (state == State.RESTORING && !isFilling) {
      owner.submit(event);
    } else {
      onEvent(event, /* overtaken= */ false);
    }
  }

  private void onEventInExact(RouterEvent event, boolean overtaken) {
    long id = event.event().eventId();
    if (id == nextId) {
      applyNext(event);
    } else if (Long.compareUnsigned(id, nextId) > 0) {
      owner.count(FeedCounter.GAPS, 1);
      beginCatchUp();
      hold(event);
      applyEarly(event);
    } else if (overtaken) {
      owner.count(FeedCounter.STALE_EVENTS, 1);
    } else {
      owner.count(FeedCounter.REGRESSIONS, 1);
      restoreAfterPause();
    }
  }

  private void applyNext(RouterEvent event) {
    nextId = event.event().eventId() + 1;
    if (!owner.submit(event)) {
      // The index was full: only everything can tell what it lacks now.
      restoreAfterPause();
    }
  }

  private void applyEarly(RouterEvent event) {
    if (event.event().data() instanceof KvCacheEventData.Stored stored && !stored.hasParent()) {
      owner.submit(event);
      hasAppliedEarly = true;
    }
  }

  private void hold(RouterEvent event) {
    held.add(event);
  }

  private boolean dropIfStale(RouterEvent event) {
    boolean isStale = Long.compareUnsigned(event.event().eventId(), nextId) < 0;
    if (isStale) {
      owner.count(FeedCounter.STALE_EVENTS, 1);
    }
    return isStale;
  }

  /* --------------- Hints that something is missing --------------- */

  /** The index has refused an event of this rank. */
  void onRefused(RouterEvent event, EventOutcome outcome) {
    // What an answer replaces, or has replaced, says nothing.
    if (state == State.EXACT
        && outcome == EventOutcome.PARENT_NOT_FOUND
        && Long.compareUnsigned(event.event().eventId(), filledBelowId) >= 0) {
      owner.count(FeedCounter.ORPHANS, 1);
      restoreAfterPause();
    }
  }

  /**
   * The source has said that this is its newest number.
   *
   * @param digest of what it holds after that event, if it said
   */
  void onHead(long lastId, OptionalLong digest) {
    if (state != State.EXACT) {
      return;
    }
    boolean wasReached = Long.compareUnsigned(announcedId, nextId) < 0;
    announcedId = lastId;
    if (!wasReached) {
      // Events had the time between two announcements to come.
      owner.count(FeedCounter.LOST_TAILS, 1);
      beginCatchUp();
    } else if (Long.compareUnsigned(lastId + 1, nextId) < 0) {
      queries.check(nextId);
    } else {
      confirmedNanos = owner.nowNanos();
      if (lastId + 1 == nextId && digest.isPresent() && isProofDue()) {
        prove(digest.getAsLong());
      }
    }
  }

  /** Asks for the newest number if nothing has told it for long enough. */
  void checkIfSilent(long beforeNanos) {
    if (state == State.EXACT && confirmedNanos - beforeNanos <= 0) {
      queries.check(nextId);
    }
  }

  /* --------------- Proof --------------- */

  private boolean isProofDue() {
    return owner.nowNanos() - provedNanos >= owner.config().proofIntervalNanos();
  }

  /** Compares what the index holds with what the source says, both as of the newest event. */
  private void prove(long digest) {
    provedNanos = owner.nowNanos();
    long asOf = nextId;
    owner.afterHeldHashes(
        rank,
        hashes -> {
          HeldDigest held = HeldDigest.of(hashes);
          if (isClosed || state != State.EXACT || nextId != asOf) {
            // Neither of the two is of now: the next announcement will do.
            provedNanos -= owner.config().proofIntervalNanos();
          } else if (held.total() == digest) {
            hasRepaired = false;
          } else {
            repair(held);
          }
        });
  }

  private void repair(HeldDigest held) {
    owner.count(FeedCounter.DISPROVED_RANKS, 1);
    if (hasRepaired) {
      restoreAfterPause();
      return;
    }
    queries.cancel();
    become(State.CATCHING_UP);
    queries.askForProof(held);
  }

  private void onProof(@Nullable ProofAnswer answer) {
    if (answer == null) {
      restoreAfterPause();
    } else if (!applyContiguousTo(answer.lastEventId())) {
      // Events before the answer are still under way: another time.
      applyHeld();
    } else {
      owner.afterHeldHashes(rank, queries.unlessCancelled(hashes -> repair(answer, hashes)));
    }
  }

  private boolean applyContiguousTo(long lastId) {
    while (nextId != lastId + 1) {
      RouterEvent event = held.take(nextId);
      if (event == null) {
        return false;
      }
      nextId++;
      owner.submit(event);
    }
    return true;
  }

  private void repair(ProofAnswer answer, long[] hashes) {
    ProofRepair repair = ProofRepair.of(answer, hashes);
    hasRepaired = true;
    filledBelowId = nextId;
    boolean isTaken = repair.isWhole();
    for (RouterEvent event : repair.events(rank, nextId - 1)) {
      isTaken &= owner.submit(event);
    }
    if (isTaken) {
      owner.count(FeedCounter.REPAIRED_BLOCKS, repair.blocks());
      applyHeld();
    } else {
      restoreAfterPause();
    }
  }

  /* --------------- Asking --------------- */

  private void beginCatchUp() {
    queries.cancel();
    isFilling = false;
    become(State.CATCHING_UP);
    queries.askFrom(nextId);
  }

  private void beginRestore(long delayNanos) {
    queries.cancel();
    isFilling = false;
    become(State.RESTORING);
    lastFillNanos = owner.nowNanos() + delayNanos;
    queries.askForEverything(delayNanos);
  }

  /** Restores at once the first time, and ever more seldom if that does not help. */
  private void restoreAfterPause() {
    long sinceLast = owner.nowNanos() - lastFillNanos;
    if (sinceLast > 2 * FeedRecovery.MAX_FILL_PAUSE_NANOS) {
      fillPauseNanos = 0;
    }
    long delay = Math.max(0, fillPauseNanos - sinceLast);
    fillPauseNanos =
        Math.min(
            FeedRecovery.MAX_FILL_PAUSE_NANOS,
            Math.max(FeedRecovery.FIRST_FILL_PAUSE_NANOS, fillPauseNanos * 2));
    beginRestore(delay);
  }

  private void becomeExact() {
    hasAppliedEarly = false;
    announcedId = nextId - 1;
    confirmedNanos = owner.nowNanos();
    queries.settled();
    become(State.EXACT);
  }

  /* --------------- Answers --------------- */

  private final class Answers implements RankQueries.Listener {

    @Override
    public void answered(RecoveryResponse response, long askedFrom) {
      if (response instanceof RecoveryResponse.TreeDump dump) {
        answered(dump, askedFrom);
      } else if (response instanceof RecoveryResponse.Events events) {
        onEvents(events);
      } else if (response instanceof RecoveryResponse.TooNew tooNew) {
        onTooNew(tooNew.newestAvailable(), askedFrom);
      } else {
        restoreAfterPause();
      }
    }

    private void answered(RecoveryResponse.TreeDump dump, long askedFrom) {
      long next = dump.lastEventId() + 1;
      if (askedFrom != 0 && next == askedFrom) {
        // A source that has recorded nothing yet says so in this way.
        onTooNew(dump.lastEventId(), askedFrom);
        return;
      }
      if (state == State.EXACT) {
        // Live events may have passed this dump: ask again, with them held back.
        beginRestore(0);
        return;
      }
      if (askedFrom != 0 && Long.compareUnsigned(next, askedFrom) < 0) {
        // The source counts from another start: what waits is not of this count.
        dropHeld();
      }
      onDump(dump);
    }

    @Override
    public void proved(@Nullable ProofAnswer answer) {
      onProof(answer);
    }

    @Override
    public void gaveUp() {
      for (RouterEvent event = held.poll(); event != null; event = held.poll()) {
        owner.submit(event);
      }
      become(State.UNREACHABLE);
      queries.retryLater(() -> beginRestore(0));
    }
  }

  private void onEvents(RecoveryResponse.Events answer) {
    List<RouterEvent> missing = owner.eventsOf(rank, answer.events());
    boolean isCheck = state == State.EXACT;
    if (state == State.RESTORING
        || !EventRuns.continues(missing, nextId, answer.lastEventId(), isWhole(answer, missing))) {
      restoreAfterPause();
      return;
    }
    owner.count(isCheck ? FeedCounter.LOST_TAILS : FeedCounter.CATCH_UPS, 1);
    for (RouterEvent event : missing) {
      if (Long.compareUnsigned(event.event().eventId(), nextId) >= 0 && !restored(event)) {
        restoreAfterPause();
        return;
      }
    }
    if (Long.compareUnsigned(answer.lastEventId(), nextId) >= 0) {
      nextId = answer.lastEventId() + 1;
    }
    applyHeld();
  }

  private static boolean isWhole(RecoveryResponse.Events answer, List<RouterEvent> own) {
    return answer.events().rejected() == 0 && own.size() == answer.events().events().size();
  }

  private boolean restored(RouterEvent event) {
    nextId = event.event().eventId() + 1;
    owner.countRestored(event);
    return owner.submit(event);
  }

  private void onDump(RecoveryResponse.TreeDump dump) {
    become(State.RESTORING);
    owner.count(FeedCounter.RESTORES, 1);
    nextId = dump.lastEventId() + 1;
    filledBelowId = nextId;
    hasRepaired = false;
    provedNanos = owner.nowNanos();
    isFilling = true;
    held.dropBelow(nextId);
    owner.indexer().removeWorkerDpRank(rank);
    hasAppliedEarly = false;
    queries.fill(owner.eventsOf(rank, dump.events()), this::applyHeld);
  }

  private void onTooNew(long newest, long askedFrom) {
    if (newest + 1 != askedFrom) {
      // The source counts otherwise than its events did.
      owner.count(FeedCounter.REGRESSIONS, 1);
      restoreAfterPause();
    } else if (state == State.EXACT) {
      confirmedNanos = owner.nowNanos();
    } else {
      dropWhatTheSourceNeverSent();
    }
  }

  private void dropWhatTheSourceNeverSent() {
    applyContiguous();
    dropHeld();
    if (hasAppliedEarly) {
      restoreAfterPause();
    } else if (!isClosed) {
      becomeExact();
    }
  }

  private void dropHeld() {
    owner.count(FeedCounter.BOGUS_EVENTS, held.size());
    held.clear();
  }

  /** Applies what waited for an answer; a gap that is still there is asked for in turn. */
  private void applyHeld() {
    if (isClosed) {
      return;
    }
    isFilling = false;
    held.dropBelow(nextId);
    if (!applyContiguous()) {
      restoreAfterPause();
    } else if (held.isEmpty()) {
      becomeExact();
    } else {
      owner.count(FeedCounter.GAPS, 1);
      beginCatchUp();
    }
  }

  private boolean applyContiguous() {
    for (RouterEvent event = held.take(nextId); event != null; event = held.take(nextId)) {
      nextId = event.event().eventId() + 1;
      if (!owner.submit(event)) {
        return false;
      }
    }
    return true;
  }
}
