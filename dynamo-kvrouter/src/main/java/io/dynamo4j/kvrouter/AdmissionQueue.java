// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.SafeText;
import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.OrderIrrelevant;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.kvrouter.QueueRejectedException.Limit;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.WorkerDirectory;
import io.dynamo4j.plane.WorkerInstance;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Holds requests back while every rank that may take them has enough in work, and lets them go, in
 * the order of their class and by the shares of the classes, when capacity frees.
 *
 * <p>A request is asked about again whenever a booking ends or its prompt is computed, a worker
 * comes or goes, and every 100 ms for what gives no sign, such as figures that age.
 *
 * <p>Whoever waits gets an outcome, also from parts of the host that throw, and from a lane that
 * closes: see {@link #abandon}.
 *
 * <p><b>Threads.</b> State belongs to the lane; {@link #select}, {@link #cancel}, {@link #wake} and
 * {@link #abandon} from anywhere. Stages complete on the lane.
 */
@OrderIrrelevant("whoever has no outcome is failed, each by itself")
final class AdmissionQueue {
  private static final long RECHECK_NANOS = 100_000_000L;

  private final Admissions admissions;
  private final QueueConfig config;
  private final Scheduler lane;
  private final Function<SchedulingRequest, Prompt> lookup;
  private final long startNanos;
  private final AtomicBoolean wakeRequested = new AtomicBoolean();

  /** Everybody without an outcome; failed from outside once nothing runs on the lane any more. */
  private final Set<Waiting> unresolved = ConcurrentHashMap.newKeySet();

  private volatile boolean closed;
  private volatile boolean abandoned;
  private volatile QueueStatus status;

  // Everything below belongs to the lane.
  private final ShareScheduler shares;
  private final Map<BookingKey, Waiting> byKey = new LinkedHashMap<>();
  private boolean recheckScheduled;
  private long lastSequence;

  /** What the queue asks of its router, each step atomic. */
  interface Admissions {

    /**
     * Returns the most tokens of a prompt that one eligible rank has cached.
     *
     * @throws NoEligibleWorkerException if no rank may take the request at all
     */
    long bestCachedTokens(SchedulingRequest request, Prompt prompt);

    /** Returns whether the request would be admitted or refused now, rather than wait. */
    boolean mayGo(SchedulingRequest request, PolicyClass policy);

    /** Books the request, or returns null while every rank that may take it is busy. */
    @Nullable RequestLease admit(SchedulingRequest request, Prompt prompt, PolicyClass policy);

    boolean isBooked(BookingKey key);

    int workerCount();
  }

  AdmissionQueue(
      Admissions admissions,
      QueueConfig config,
      Scheduler lane,
      Function<SchedulingRequest, Prompt> lookup) {
    this.admissions = admissions;
    this.config = config;
    this.lane = lane;
    this.lookup = lookup;
    this.startNanos = lane.clock().nanoTime();
    List<ClassQueue> classes = new ArrayList<>();
    config.classes().forEach(policy -> classes.add(new ClassQueue(policy)));
    this.shares = new ShareScheduler(classes);
    this.status = new QueueStatus(0, 0, shares.status());
  }

  QueueStatus status() {
    return abandoned ? QueueStatus.EMPTY : status;
  }

  CompletionStage<RequestLease> select(SchedulingRequest request, Prompt prompt) {
    Waiting waiting = new Waiting(request, prompt, lane.clock().nanoTime());
    unresolved.add(waiting);
    CompletableFuture<RequestLease> unused =
        waiting.lease.whenComplete(
            (lease, failure) -> {
              unresolved.remove(waiting);
              if (waiting.lease.isCancelled()) {
                onLane(waiting, () -> retract(waiting));
              }
            });
    onLane(waiting, () -> arrive(waiting));
    return waiting.lease;
  }

  /** Looks again whenever a worker comes or goes. */
  Subscription follow(WorkerDirectory directory, Scheduler watching) {
    return directory.watch(
        watching,
        new WorkerDirectory.Listener() {
          @Override
          public void added(WorkerInstance instance) {
            wake();
          }

          @Override
          public void removed(WorkerInstance instance) {
            wake();
          }
        });
  }

  /** Gives a request up that waits. */
  void cancel(BookingKey key) {
    try {
      lane.execute(
          () -> {
            Waiting waiting = byKey.get(key);
            if (waiting != null) {
              retract(waiting);
              waiting.lease.cancel(false);
            }
          });
    } catch (RejectedExecutionException laneClosed) {
      abandon();
    }
  }

  /** Says that capacity may have freed; cheap where nobody waits. */
  void wake() {
    if (!unresolved.isEmpty() && wakeRequested.compareAndSet(false, true)) {
      try {
        lane.execute(this::drain);
      } catch (RejectedExecutionException laneClosed) {
        abandon();
      }
    }
  }

  /** Ends the queue: whoever waits fails with {@code CLOSED}. */
  void close() {
    try {
      lane.execute(
          () -> {
            closed = true;
            for (Waiting waiting : List.copyOf(byKey.values())) {
              retract(waiting);
              fail(waiting, closedFailure(waiting));
            }
          });
    } catch (RejectedExecutionException laneClosed) {
      abandon();
    }
  }

  /**
   * Fails whoever waits with {@code CLOSED} because the lane is closed, and what was to happen on
   * it never will.
   */
  void abandon() {
    closed = true;
    abandoned = true;
    unresolved.forEach(waiting -> fail(waiting, closedFailure(waiting)));
  }

  private void onLane(Waiting waiting, Runnable task) {
    try {
      lane.execute(task);
    } catch (RejectedExecutionException laneClosed) {
      fail(waiting, closedFailure(waiting));
      abandon();
    }
  }

  private @Nullable Cancellable later(Runnable task, long delayNanos) {
    try {
      return lane.schedule(task, delayNanos);
    } catch (RejectedExecutionException laneClosed) {
      abandon();
      return null;
    }
  }

  private static DynamoException closedFailure(Waiting waiting) {
    return new DynamoException(
        ErrorType.CLOSED, "queue is closed: request=" + SafeText.of(waiting.key().requestId()));
  }

  /* --------------- Arrival --------------- */

  private void arrive(Waiting waiting) {
    if (waiting.lease.isDone()) {
      return;
    }
    try {
      requireNew(waiting);
      ClassQueue line = lineOf(waiting);
      if (line.size() == 0 || !line.policy.waits()) {
        RequestLease lease = admissions.admit(waiting.request, waiting.prompt, line.policy);
        if (lease != null) {
          deliver(waiting, lease);
          return;
        }
      }
      park(waiting, line);
    } catch (Throwable refused) {
      fail(waiting, refused);
    }
  }

  /** A request that stands here or runs already is refused before it waits in vain. */
  private void requireNew(Waiting waiting) {
    if (closed) {
      throw closedFailure(waiting);
    }
    if (byKey.containsKey(waiting.key()) || admissions.isBooked(waiting.key())) {
      throw new DynamoException(
          ErrorType.DUPLICATE_REQUEST,
          "request is waiting or booked already: request=" + waiting.key());
    }
  }

  private ClassQueue lineOf(Waiting waiting) {
    waiting.cachedTokens =
        Math.min(
            waiting.promptTokens(), admissions.bestCachedTokens(waiting.request, waiting.prompt));
    String asked = waiting.request.routing().policyClass();
    return shares.get(config.resolve(asked, waiting.promptTokens() - waiting.cachedTokens));
  }

  private void park(Waiting waiting, ClassQueue line) {
    if (waiting.request.doNotQueue()) {
      throw new QueueRejectedException(
          waiting.key(), line.policy.name(), Limit.DO_NOT_QUEUE, line.size(), 0);
    }
    line.requireRoom(waiting.key(), admissions.workerCount());
    long wait = allowedWait(waiting);
    if (wait <= 0) {
      throw waitedTooLong(waiting, line, wait);
    }
    waiting.sequence = ++lastSequence;
    waiting.score =
        line.policy
            .queuePolicy()
            .score(
                waiting.request.routing().priorityJumpSeconds(),
                (waiting.arrivedNanos - startNanos) / 1e9,
                waiting.promptTokens() - waiting.cachedTokens);
    if (wait < Long.MAX_VALUE) {
      waiting.timer = later(() -> expire(waiting, line, wait), wait);
    }
    line.add(waiting);
    byKey.put(waiting.key(), waiting);
    publish();
  }

  /** Returns how long a request may wait, the sooner of its own deadline and the bound of all. */
  private long allowedWait(Waiting waiting) {
    long deadline = waiting.request.deadlineNanos();
    long own =
        deadline == SchedulingRequest.NO_DEADLINE
            ? Long.MAX_VALUE
            : deadline - lane.clock().nanoTime();
    return config.maxWait() == null ? own : Math.min(own, config.maxWait().toNanos());
  }

  private void expire(Waiting waiting, ClassQueue line, long wait) {
    if (byKey.get(waiting.key()) == waiting) {
      retract(waiting);
      fail(waiting, waitedTooLong(waiting, line, wait));
    }
  }

  private QueueRejectedException waitedTooLong(Waiting waiting, ClassQueue line, long wait) {
    long waited = lane.clock().nanoTime() - waiting.arrivedNanos;
    return new QueueRejectedException(
        waiting.key(), line.policy.name(), Limit.WAIT, waited, Math.max(0, wait));
  }

  /* --------------- Departure --------------- */

  private void drain() {
    wakeRequested.set(false);
    shares.unblock();
    Waiting next = shares.next(this::mayGo);
    while (next != null) {
      depart(next);
      next = shares.next(this::mayGo);
    }
    publish();
  }

  private boolean mayGo(ClassQueue line, Waiting waiting) {
    try {
      return admissions.mayGo(waiting.request, line.policy);
    } catch (Throwable refused) {
      return true; // as it departs it fails, and those behind it do not wait for ever
    }
  }

  private void depart(Waiting waiting) {
    ClassQueue line = shares.chosen();
    try {
      RequestLease lease = admissions.admit(waiting.request, freshPrompt(waiting), line.policy);
      if (lease == null) {
        line.block(waiting); // somebody who does not wait was quicker
        return;
      }
      leave(waiting, line);
      shares.sent(waiting);
      deliver(waiting, lease);
    } catch (Throwable refused) {
      leave(waiting, line);
      fail(waiting, refused);
    }
  }

  /** What was cached where is as old as the wait: beyond a bound the index is asked again. */
  private Prompt freshPrompt(Waiting waiting) {
    long after = config.overlapRefreshAfter().toNanos();
    if (after > 0 && lane.clock().nanoTime() - waiting.arrivedNanos >= after) {
      waiting.prompt = lookup.apply(waiting.request);
    }
    return waiting.prompt;
  }

  private void retract(Waiting waiting) {
    if (byKey.get(waiting.key()) == waiting) {
      for (int i = 0; i < config.classes().size(); i++) {
        shares.get(i).remove(waiting);
      }
      forget(waiting);
      wake(); // whoever stood behind it may go
    }
  }

  private void leave(Waiting waiting, ClassQueue line) {
    line.remove(waiting);
    forget(waiting);
  }

  private void forget(Waiting waiting) {
    byKey.remove(waiting.key());
    if (waiting.timer != null) {
      waiting.timer.cancel();
    }
    publish();
  }

  private void deliver(Waiting waiting, RequestLease lease) {
    if (!waiting.lease.complete(lease)) {
      lease.close(); // given up meanwhile
    }
  }

  private static void fail(Waiting waiting, Throwable failure) {
    waiting.lease.completeExceptionally(failure);
  }

  private void publish() {
    status = new QueueStatus(byKey.size(), shares.promptTokens(), shares.status());
    if (!byKey.isEmpty() && !recheckScheduled && !closed) {
      recheckScheduled = true;
      later(
          () -> {
            recheckScheduled = false;
            drain();
          },
          RECHECK_NANOS);
    }
  }
}
