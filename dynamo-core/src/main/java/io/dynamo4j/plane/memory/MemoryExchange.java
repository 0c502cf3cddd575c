// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.plane.Attempt;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.WorkerInstance;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer: the client's subscription and the worker's sink over one buffer.
 *
 * <p><b>Threads.</b> The subscriber, the timer and {@code done} belong to the attempt's lane, where
 * {@link #drain} is the only place that signals. Everything else is written by whoever acts and
 * followed by a {@link LaneSignal}, so that the drain sees it.
 *
 * <p>How an exchange ends is decided once: by {@link #end} (the worker's last word, or whoever
 * broke the stream first) or by {@link #cancelled}, which silences it.
 */
final class MemoryExchange<Q, R>
    implements Flow.Subscription, ResponseSink<R>, Comparable<MemoryExchange<Q, R>> {
  /** Items delivered in one turn of the lane, so that its other tasks get theirs. */
  private static final int TURN = 256;

  private final InMemoryRequestPlane<Q, R> plane;
  private final long id;
  private final WorkerInstance target;
  private final Q request;
  private final Attempt attempt;

  private final LaneSignal signal;
  private final ConcurrentLinkedQueue<R> buffer = new ConcurrentLinkedQueue<>();
  private final AtomicInteger buffered = new AtomicInteger();
  // Asked for and not delivered; MAX_VALUE is unbounded.
  private final AtomicLong demand = new AtomicLong();
  private final AtomicReference<@Nullable End> end = new AtomicReference<>();
  private final CancelHook cancelHook = new CancelHook();
  private volatile boolean opened;
  private volatile boolean cancelled;
  private volatile @Nullable MemoryEndpoint<Q, R> endpoint;

  // The attempt's lane alone.
  private Flow.@Nullable Subscriber<? super R> subscriber;
  private @Nullable Cancellable deadline;
  private boolean openSignalled;
  private boolean done;

  MemoryExchange(
      InMemoryRequestPlane<Q, R> plane,
      WorkerInstance target,
      Q request,
      Attempt attempt,
      Flow.Subscriber<? super R> subscriber) {
    this.plane = plane;
    this.id = plane.nextId();
    this.target = target;
    this.request = request;
    this.attempt = attempt;
    this.subscriber = subscriber;
    this.signal = new LaneSignal(attempt.lane(), this::drain);
  }

  // Client: subscription.

  /** First task on the attempt's lane: the handshake, then the request goes out. */
  void start() {
    shakeHands();
    if (isOver()) {
      return;
    }
    armDeadline();
    if (isOver()) {
      return;
    }
    MemoryEndpoint<Q, R> found = plane.find(target);
    if (plane.isClosed()) {
      breakOff(ErrorType.CLOSED, "request plane closed", true);
    } else if (found == null) {
      breakOff(ErrorType.CANNOT_CONNECT, "nobody serves the worker's address", true);
    } else {
      found.accept(this);
    }
  }

  private void shakeHands() {
    boolean returned = false;
    try {
      Objects.requireNonNull(subscriber).onSubscribe(this);
      returned = true;
    } finally {
      if (!returned) {
        dropThrower();
      }
    }
  }

  private void armDeadline() {
    if (attempt.deadlineNanos() == Attempt.NO_DEADLINE) {
      return;
    }
    long left = attempt.deadlineNanos() - attempt.lane().clock().nanoTime();
    Runnable expire = () -> breakOff(ErrorType.DEADLINE_EXCEEDED, "deadline passed", true);
    if (left <= 0) {
      expire.run();
      return;
    }
    try {
      deadline = attempt.lane().schedule(expire, left);
    } catch (RejectedExecutionException closed) {
      // The lane runs its last tasks: nobody would see an answer.
      cancel();
    }
  }

  @Override
  public void request(long n) {
    if (n <= 0) {
      end.set(
          new End(new IllegalArgumentException("non-positive subscription request: n=" + n), true));
      leaveWorker();
      signal();
      return;
    }
    demand.accumulateAndGet(n, MemoryExchange::saturatingAdd);
    // Together with next(): whichever of demand and item comes second raises the signal.
    if (!buffer.isEmpty()) {
      signal();
    }
  }

  private static long saturatingAdd(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  @Override
  public void cancel() {
    if (!cancelled) {
      cancelled = true;
      leaveWorker();
      signal();
    }
  }

  // Worker: sink.

  /** First task on the endpoint's lane. */
  void handle() {
    MemoryEndpoint<Q, R> by = endpoint;
    if (by == null || isOver()) {
      return;
    }
    try {
      by.handler().handle(attempt.requestId(), request, this);
    } catch (DynamoException refusal) {
      fail(refusal);
    } catch (RuntimeException fault) {
      fail(error(ErrorType.BACKEND_UNKNOWN, "handler threw", fault));
    } catch (Error fault) {
      fail(error(ErrorType.BACKEND_UNKNOWN, "handler threw", fault));
      throw fault;
    }
  }

  @Override
  public void onCancel(Runnable action) {
    cancelHook.add(Objects.requireNonNull(action, "action"), endpoint);
  }

  @Override
  public void open() {
    if (!opened && !isOver()) {
      opened = true;
      signal();
    }
  }

  @Override
  public boolean next(R item) {
    Objects.requireNonNull(item, "item");
    if (isOver()) {
      return false;
    }
    if (buffered.incrementAndGet() > plane.bufferCapacity()) {
      plane.countOverflow();
      breakOff(ErrorType.BUFFER_OVERFLOW, "subscriber asks too slowly", true);
      return false;
    }
    buffer.offer(item);
    boolean first = !opened;
    if (first) {
      opened = true;
    }
    if (first || demand.get() > 0) {
      signal();
    }
    return true;
  }

  @Override
  public void complete() {
    if (!isOver()) {
      opened = true;
    }
    finish(new End(null, false));
  }

  @Override
  public void fail(DynamoException error) {
    finish(new End(Objects.requireNonNull(error, "error"), false));
  }

  private void finish(End last) {
    if (!cancelled && end.compareAndSet(null, last)) {
      cancelHook.drop();
      release();
      signal();
    }
  }

  // Either side, or a third.

  /** Ends the stream from outside unless it has ended; the worker learns of it. */
  void breakOff(ErrorType type, String what, boolean overtakes) {
    if (!isOver() && end.compareAndSet(null, new End(error(type, what, null), overtakes))) {
      leaveWorker();
      signal();
    }
  }

  void acceptedBy(MemoryEndpoint<Q, R> by) {
    endpoint = by;
  }

  /** Returns true if the worker can add nothing any more. */
  boolean isOver() {
    return cancelled || end.get() != null;
  }

  private void leaveWorker() {
    cancelHook.fire(endpoint);
    release();
  }

  private void release() {
    MemoryEndpoint<Q, R> by = endpoint;
    if (by != null) {
      by.release(this);
    }
  }

  private void signal() {
    if (!signal.raise() && !cancelled) {
      // Nobody is left to signal to.
      cancelled = true;
      leaveWorker();
    }
  }

  private DynamoException error(ErrorType type, String what, @Nullable Throwable cause) {
    String message =
        what
            + ": requestId="
            + attempt.requestId()
            + ", attempt="
            + attempt.number()
            + ", workerId="
            + Long.toUnsignedString(target.workerId())
            + ", address="
            + target.address();
    return new DynamoException(type, message, target.rank(0), attempt.number(), cause);
  }

  // Signals.

  private void drain() {
    if (done) {
      buffer.clear();
    } else if (cancelled) {
      retire();
    } else if (overtaken()) {
      terminate();
    } else {
      signalOpened();
      deliver();
    }
  }

  private void signalOpened() {
    if (opened && !openSignalled) {
      openSignalled = true;
      boolean returned = false;
      try {
        attempt.streamOpened();
        returned = true;
      } finally {
        if (!returned) {
          dropThrower();
        }
      }
    }
  }

  private void deliver() {
    int delivered = 0;
    while (delivered < TURN && delivered < demand.get() && !cancelled && !overtaken()) {
      R item = buffer.poll();
      if (item == null) {
        break;
      }
      buffered.decrementAndGet();
      delivered++;
      signalNext(item);
    }
    settle(delivered);
  }

  private void signalNext(R item) {
    boolean returned = false;
    try {
      Objects.requireNonNull(subscriber).onNext(item);
      returned = true;
    } finally {
      if (!returned) {
        dropThrower();
      }
    }
  }

  /** Takes what was delivered off the demand and decides what comes next. */
  private void settle(int delivered) {
    boolean wanted = demand.get() == Long.MAX_VALUE || demand.addAndGet(-delivered) > 0;
    if (cancelled) {
      retire();
      return;
    }
    // In this order: the worker ends the stream after its last item.
    boolean ended = end.get() != null;
    if (overtaken() || (ended && buffer.isEmpty())) {
      terminate();
      return;
    }
    if (ended) {
      disarmDeadline();
    }
    if (wanted && !buffer.isEmpty()) {
      signal();
    }
  }

  private boolean overtaken() {
    End last = end.get();
    return last != null && last.overtakes;
  }

  private void terminate() {
    Flow.Subscriber<? super R> to = subscriber;
    End last = end.get();
    retire();
    // Whoever ended the stream may not have come to this yet; nobody sees an ended stream as open.
    release();
    if (to == null || last == null) {
      return;
    }
    if (last.error == null) {
      to.onComplete();
    } else {
      to.onError(last.error);
    }
  }

  /** Lets go of everything; nothing is signalled afterwards. */
  private void retire() {
    done = true;
    subscriber = null;
    buffer.clear();
    disarmDeadline();
  }

  private void disarmDeadline() {
    if (deadline != null) {
      deadline.cancel();
      deadline = null;
    }
  }

  /** A subscriber that throws is cancelled; the lane reports what it threw. */
  private void dropThrower() {
    cancel();
    retire();
  }

  @Override
  public int compareTo(MemoryExchange<Q, R> other) {
    return Long.compare(id, other.id);
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(id);
  }

  /** How a stream ends: completion where there is no error. */
  private static final class End {
    final @Nullable Throwable error;
    final boolean overtakes;

    End(@Nullable Throwable error, boolean overtakes) {
      this.error = error;
      this.overtakes = overtakes;
    }
  }
}
