// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Scheduler;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The draining of one worker: asks every open request whether it is there, moves the cheapest few
 * at a time, and tries those again that nobody took over.
 *
 * <p>A stream belongs to the drain from the survey that found it until it is settled: it goes on
 * elsewhere, has ended, or time is up.
 *
 * <p><b>Threads.</b> State belongs to the drain's own lane; requests report from theirs.
 */
final class Drain {
  private static final int MOVES_AT_A_TIME = 8;
  private static final long FIRST_RETRY_NANOS = 50_000_000;
  private static final long MAX_RETRY_NANOS = 1_000_000_000;

  /** One open request; called from the drain's lane, acts on its own. */
  interface Stream {

    /** Answers with {@link Drain#found} or {@link Drain#absent}. */
    void survey(Drain asking);

    /** Begins to move; answers with {@link Drain#stayed} or {@link Drain#settled}. */
    void move(Drain asking);

    /** Time is up: a move that is under way is given up. */
    void release(Drain asking);
  }

  /** How a stream left the drain. */
  enum Fate {
    MOVED,
    FINISHED,
    FAILED
  }

  private enum State {
    WAITING,
    MOVING,
    UNMOVABLE
  }

  private static final class Entry {
    final Stream stream;
    final long cost;
    State state = State.WAITING;

    Entry(Stream stream, long cost) {
      this.stream = stream;
      this.cost = cost;
    }
  }

  private final long workerId;
  private final Scheduler lane;
  private final Runnable onDone;
  private final CompletableFuture<DrainResult> result = new CompletableFuture<>();
  private final List<Entry> entries = new ArrayList<>();
  private final Map<Fate, Integer> fates = new EnumMap<>(Fate.class);
  private int surveys;
  private boolean resurveyed;
  private boolean done;
  private long retryNanos = FIRST_RETRY_NANOS;
  private @Nullable Cancellable deadline;
  private @Nullable Cancellable retry;
  private Supplier<? extends List<? extends Stream>> streams = List::of;

  Drain(long workerId, Scheduler lane, Runnable onDone) {
    this.workerId = workerId;
    this.lane = lane;
    this.onDone = onDone;
  }

  boolean isOf(WorkerWithDpRank worker) {
    return worker.workerId() == workerId;
  }

  CompletionStage<DrainResult> result() {
    return result.minimalCompletionStage();
  }

  /** Begins; {@code open} is asked again at the end, for what came late. */
  void start(Supplier<? extends List<? extends Stream>> open, long withinNanos) {
    post(
        () -> {
          streams = open;
          deadline = lane.schedule(this::finish, withinNanos);
          survey();
        });
  }

  private void survey() {
    surveys = 1;
    for (Stream stream : streams.get()) {
      surveys++;
      stream.survey(this);
    }
    surveyed();
  }

  // Reports, from the requests' lanes.

  void found(Stream stream, long tokensToCompute) {
    post(
        () -> {
          resurveyed = false;
          entries.add(new Entry(stream, tokensToCompute));
          surveyed();
        });
  }

  void absent() {
    post(this::surveyed);
  }

  /**
   * The stream is still where it was.
   *
   * @param again whether it may be moved later
   */
  void stayed(Stream stream, boolean again) {
    post(
        () -> {
          for (Entry entry : entries) {
            if (entry.stream == stream) {
              entry.state = again ? State.WAITING : State.UNMOVABLE;
            }
          }
          if (again) {
            retryLater();
          } else {
            proceed();
          }
        });
  }

  void settled(Stream stream, Fate fate) {
    post(
        () -> {
          if (entries.removeIf(entry -> entry.stream == stream)) {
            fates.merge(fate, 1, Integer::sum);
          }
          proceed();
        });
  }

  /** Ends at once, with what is done so far. */
  void close() {
    post(this::finish);
  }

  // On the drain's lane.

  private void surveyed() {
    if (--surveys == 0) {
      entries.sort(Comparator.comparingLong(entry -> entry.cost));
      proceed();
    }
  }

  private void proceed() {
    if (done || surveys > 0) {
      return;
    }
    if (entries.isEmpty()) {
      if (resurveyed) {
        finish();
      } else {
        resurveyed = true;
        survey();
      }
      return;
    }
    if (retry != null) {
      return;
    }
    int moving = 0;
    for (Entry entry : entries) {
      moving += entry.state == State.MOVING ? 1 : 0;
    }
    for (Entry entry : List.copyOf(entries)) {
      if (entry.state == State.WAITING && moving < MOVES_AT_A_TIME) {
        entry.state = State.MOVING;
        moving++;
        entry.stream.move(this);
      }
    }
  }

  /** Nobody took a stream over: others are not tried either before a pause. */
  private void retryLater() {
    if (done || retry != null) {
      return;
    }
    retry =
        lane.schedule(
            () -> {
              retry = null;
              proceed();
            },
            retryNanos);
    retryNanos = Math.min(2 * retryNanos, MAX_RETRY_NANOS);
  }

  private void finish() {
    if (done) {
      return;
    }
    done = true;
    cancel(deadline);
    cancel(retry);
    entries.forEach(entry -> entry.stream.release(this));
    onDone.run();
    result.complete(
        new DrainResult(
            count(Fate.MOVED), count(Fate.FINISHED), count(Fate.FAILED), entries.size()));
  }

  private int count(Fate fate) {
    return fates.getOrDefault(fate, 0);
  }

  private static void cancel(@Nullable Cancellable timer) {
    if (timer != null) {
      timer.cancel();
    }
  }

  private void post(Runnable task) {
    try {
      lane.execute(task);
    } catch (RejectedExecutionException laneClosed) {
      // No lane is left to move anything: whoever waits must not wait for ever.
      result.complete(new DrainResult(0, 0, 0, 0));
    }
  }
}
