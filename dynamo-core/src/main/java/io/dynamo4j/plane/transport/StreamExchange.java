// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.transport;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.SafeText;
import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.plane.Attempt;
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
 * One request and its answer as the client has them: the subscription over a buffer that a
 * transport fills.
 *
 * <p>How an exchange ends is decided once: by {@link #finish} (the worker's last word), {@link
 * #breakOff} (whoever broke the stream first) or a cancel, which silences it.
 *
 * <p><b>Threads.</b> The subscriber, the timer and {@code done} belong to the attempt's lane, where
 * the drain is the only place that signals. Everything else is written by whoever acts and followed
 * by a {@link LaneSignal}, so that the drain sees it.
 *
 * @param <R> response item type
 */
public abstract class StreamExchange<R> implements Flow.Subscription {
  /** Items delivered in one turn of the lane, so that its other tasks get theirs. */
  private static final int TURN = 256;

  private final WorkerInstance target;
  private final Attempt attempt;

  private final LaneSignal signal;
  private final ConcurrentLinkedQueue<R> buffer = new ConcurrentLinkedQueue<>();
  private final AtomicInteger buffered = new AtomicInteger();
  // Asked for and not delivered; MAX_VALUE is unbounded.
  private final AtomicLong demand = new AtomicLong();
  private final AtomicReference<@Nullable End> end = new AtomicReference<>();
  private volatile boolean opened;
  private volatile boolean cancelled;

  // The attempt's lane alone.
  private Flow.@Nullable Subscriber<? super R> subscriber;
  private @Nullable Cancellable deadline;
  private boolean openSignalled;
  private boolean done;

  protected StreamExchange(
      WorkerInstance target, Attempt attempt, Flow.Subscriber<? super R> subscriber) {
    this.target = Objects.requireNonNull(target, "target");
    this.attempt = Objects.requireNonNull(attempt, "attempt");
    this.subscriber = Objects.requireNonNull(subscriber, "subscriber");
    this.signal = LaneSignal.of(attempt.lane(), this::drain);
  }

  /* --------------- What a transport adds --------------- */

  /** Sends the request, or breaks off; on the attempt's lane, once, unless nobody wants it. */
  protected abstract void send();

  /**
   * Tells the worker that nobody listens any more, and forgets the stream; from any thread, perhaps
   * more than once.
   */
  protected abstract void leaveWorker();

  /** The worker has ended the stream by {@link #finish}: nothing to tell it, forget the stream. */
  protected abstract void workerEnded();

  /** Forgets the stream, so that nobody sees an ended one as open; any number of times. */
  protected abstract void release();

  /** Called on the lane after items were delivered: there is room in the buffer. */
  protected void delivered() {}

  /* --------------- Client: subscription --------------- */

  /** First task on the attempt's lane: the handshake, then the request goes out. */
  final void start() {
    shakeHands();
    if (isOver()) {
      return;
    }
    armDeadline();
    if (isOver()) {
      return;
    }
    send();
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
  public final void request(long n) {
    if (n <= 0) {
      end.set(
          new End(new IllegalArgumentException("non-positive subscription request: n=" + n), true));
      leaveWorker();
      signal();
      return;
    }
    demand.accumulateAndGet(n, StreamExchange::saturatingAdd);
    // Together with offer(): whichever of demand and item comes second raises the signal.
    if (!buffer.isEmpty()) {
      signal();
    }
  }

  private static long saturatingAdd(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  @Override
  public final void cancel() {
    if (!cancelled) {
      cancelled = true;
      leaveWorker();
      signal();
    }
  }

  /* --------------- Transport: what comes from the worker --------------- */

  /** The worker has opened its stream. */
  protected final void markOpened() {
    if (!opened && !isOver()) {
      opened = true;
      signal();
    }
  }

  /**
   * Takes one item, which opens the stream as well.
   *
   * @return how many items wait now, this one included
   */
  protected final int offer(R item) {
    Objects.requireNonNull(item, "item");
    int waiting = buffered.incrementAndGet();
    buffer.offer(item);
    boolean first = !opened;
    if (first) {
      opened = true;
    }
    if (first || demand.get() > 0) {
      signal();
    }
    return waiting;
  }

  /** Returns how many items wait to be asked for. */
  protected final int bufferedCount() {
    return buffered.get();
  }

  /**
   * Takes the worker's last word, which comes after the items before it; ignored if the stream has
   * ended. Without an error it is a completion, which opens the stream as well.
   */
  protected final void finish(@Nullable DynamoException error) {
    if (error == null && !isOver()) {
      opened = true;
    }
    if (!cancelled && end.compareAndSet(null, new End(error, false))) {
      workerEnded();
      signal();
    }
  }

  /**
   * Ends the stream from outside unless it has ended; the worker learns of it.
   *
   * @param what what failed, the beginning of the error's message
   * @param overtakes whether items that wait are lost
   */
  protected final void breakOff(ErrorType type, String what, boolean overtakes) {
    if (!isOver() && end.compareAndSet(null, new End(error(type, what, null), overtakes))) {
      leaveWorker();
      signal();
    }
  }

  /** Returns true if the worker can add nothing any more. */
  protected final boolean isOver() {
    return cancelled || end.get() != null;
  }

  protected final Attempt attempt() {
    return attempt;
  }

  protected final WorkerInstance target() {
    return target;
  }

  /** Returns an error that names request, attempt, worker and address. */
  protected final DynamoException error(ErrorType type, String what, @Nullable Throwable cause) {
    String message =
        what
            + ": requestId="
            + SafeText.of(attempt.requestId())
            + ", attempt="
            + attempt.number()
            + ", workerId="
            + Long.toUnsignedString(target.workerId())
            + ", address="
            + target.address();
    return new DynamoException(type, message, target.rank(0), attempt.number(), cause);
  }

  private void signal() {
    if (!signal.raise() && !cancelled) {
      // Nobody is left to signal to.
      cancelled = true;
      leaveWorker();
    }
  }

  /* --------------- Signals --------------- */

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
    int count = 0;
    while (count < TURN && count < demand.get() && !cancelled && !overtaken()) {
      R item = buffer.poll();
      if (item == null) {
        break;
      }
      buffered.decrementAndGet();
      count++;
      signalNext(item);
    }
    settle(count);
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
  private void settle(int count) {
    boolean wanted = demand.get() == Long.MAX_VALUE || demand.addAndGet(-count) > 0;
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
    } else if (count > 0) {
      delivered();
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
