// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.indexer.SourceStatus.State;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.wire.PeerError;
import io.dynamo4j.wire.ProofAnswer;
import io.dynamo4j.wire.ProofQuery;
import io.dynamo4j.wire.RecoveryQuery;
import io.dynamo4j.wire.RecoveryResponse;
import io.dynamo4j.wire.WireFormatException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queries about one rank, one at a time: attempts, pauses between them, and the pouring of a
 * large answer into the index. Belongs to the feed's lane.
 */
final class RankQueries {
  private static final int FILL_EVENTS = 256;

  /** What the queries are for. */
  interface Listener {

    /** The source has answered, if only to say that it has nothing. */
    void answered(RecoveryResponse response, long askedFrom);

    /** The last attempt has failed. */
    void gaveUp();

    /** The source has said what it holds where the digests differ; null if it did not answer. */
    void proved(@Nullable ProofAnswer answer);
  }

  private enum Kind {
    RECOVERY,
    /** Asked once. */
    CHECK,
    /** Asked once. */
    PROOF
  }

  private final FeedRecovery owner;
  private final WorkerWithDpRank rank;
  private final @Nullable WorkerInstance target;
  private final Listener listener;

  private byte[] query;
  private long askedFrom;
  private Kind kind = Kind.RECOVERY;
  private int generation;
  private RecoveryCalls.@Nullable Call call;
  private @Nullable Cancellable timer;
  private volatile int failedAttempts;
  private volatile @Nullable String lastFailure;

  RankQueries(
      FeedRecovery owner,
      WorkerWithDpRank rank,
      @Nullable WorkerInstance target,
      Listener listener) {
    this.owner = owner;
    this.rank = rank;
    this.target = target;
    this.listener = listener;
    this.query = RecoveryQuery.ofEverything(rank).inParts().encode();
  }

  @Nullable WorkerInstance target() {
    return target;
  }

  SourceStatus status(State state) {
    return new SourceStatus(rank, state, failedAttempts, lastFailure);
  }

  void askForEverything(long delayNanos) {
    begin(RecoveryQuery.ofEverything(rank).inParts().encode(), 0, Kind.RECOVERY);
    if (delayNanos <= 0) {
      ask();
    } else {
      timer = owner.lane().schedule(this::ask, delayNanos);
    }
  }

  void askFrom(long firstId) {
    begin(RecoveryQuery.startingAt(rank, firstId).inParts().encode(), firstId, Kind.RECOVERY);
    ask();
  }

  /** Asks what the source holds where these digests are not its own. */
  void askForProof(HeldDigest held) {
    begin(ProofQuery.of(rank, held.buckets()).encode(), 0, Kind.PROOF);
    ask();
  }

  /** Asks once whether there is something from this number on, unless that is being asked. */
  void check(long firstId) {
    if (call == null && timer == null) {
      begin(RecoveryQuery.startingAt(rank, firstId).inParts().encode(), firstId, Kind.CHECK);
      ask();
    }
  }

  /** Runs a task after the pause that follows a failed recovery. */
  void retryLater(Runnable task) {
    timer = owner.lane().schedule(task, owner.retryDelayNanos());
  }

  /** Drops whatever is under way. */
  void cancel() {
    generation++;
    if (call != null) {
      call.cancel();
      call = null;
    }
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /** Returns the same unless what is under way now is dropped until then. */
  Consumer<long[]> unlessCancelled(Consumer<long[]> action) {
    int asked = generation;
    return hashes -> {
      if (asked == generation) {
        action.accept(hashes);
      }
    };
  }

  /** Nothing is missing: failures so far are history. */
  void settled() {
    failedAttempts = 0;
    lastFailure = null;
  }

  private void begin(byte[] next, long from, Kind nextKind) {
    cancel();
    query = next;
    askedFrom = from;
    kind = nextKind;
    failedAttempts = 0;
  }

  private void ask() {
    timer = null;
    WorkerInstance source = target;
    if (source != null) {
      call = owner.calls().ask(source, query, new Ending());
    }
  }

  private final class Ending implements RecoveryCalls.Listener {

    @Override
    public void answered(List<byte[]> items) {
      try {
        if (kind == Kind.PROOF) {
          proved(ProofAnswer.decode(items.get(0)));
        } else {
          answered(AnswerParts.join(items));
        }
      } catch (WireFormatException e) {
        failed(String.valueOf(e.getMessage()));
      }
    }

    private void proved(@Nullable ProofAnswer answer) {
      call = null;
      listener.proved(answer);
    }

    private void answered(RecoveryResponse response) {
      if (response instanceof RecoveryResponse.Failed failure) {
        failed(failure.message());
      } else if (response instanceof RecoveryResponse.TreeDumpFailed failure) {
        failed(failure.message());
      } else {
        call = null;
        listener.answered(response, askedFrom);
      }
    }

    @Override
    public void failed(String why) {
      call = null;
      owner.count(FeedCounter.FAILED_QUERIES, 1);
      if (kind == Kind.PROOF) {
        proved(null);
      }
      if (kind != Kind.RECOVERY) {
        return;
      }
      lastFailure = PeerError.safe(why);
      int failures = failedAttempts + 1;
      failedAttempts = failures;
      if (failures < owner.config().maxAttempts()) {
        timer = owner.lane().schedule(RankQueries.this::ask, owner.backoffNanos(failures));
      } else {
        owner.count(FeedCounter.FAILED_RECOVERIES, 1);
        listener.gaveUp();
      }
    }
  }

  /* --------------- A large answer --------------- */

  /** Hands events to the index no faster than it applies them, then runs {@code done}. */
  void fill(List<RouterEvent> events, Runnable done) {
    fill(events, 0, generation, done);
  }

  private void fill(List<RouterEvent> events, int from, int filling, Runnable done) {
    if (filling != generation) {
      return;
    }
    int to = Math.min(events.size(), from + FILL_EVENTS);
    int at = from;
    while (at < to && owner.submit(events.get(at))) {
      owner.countRestored(events.get(at));
      at++;
    }
    if (at == events.size()) {
      done.run();
      return;
    }
    int next = at;
    owner.afterFlush(() -> fill(events, next, filling, done));
  }
}
