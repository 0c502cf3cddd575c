// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.blocking;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Buffers at most a window of items between a stream's lane and one reader.
 *
 * <p><b>Demand.</b> The window is requested at the start; each time the reader has taken half of it
 * that many are requested again, so items under way plus items waiting never exceed the window.
 *
 * <p><b>Ordering.</b> The lane adds an item, or sets the end after the last item, and then signals.
 * The reader looks at the end first and at the queue second: an end seen with an empty queue is the
 * end.
 */
final class PrefetchSubscriber<T> implements Flow.Subscriber<T> {
  private final Gate gate;
  private final int window;
  private final int refill;
  private final Queue<T> items = new ConcurrentLinkedQueue<>();
  private final AtomicReference<@Nullable End> end = new AtomicReference<>();
  private volatile Flow.@Nullable Subscription subscription;
  private volatile boolean closed;
  private volatile long takenCount;
  private long receivedCount;

  PrefetchSubscriber(Gate gate, int window) {
    this.gate = gate;
    this.window = window;
    this.refill = Math.max(1, window / 2);
  }

  // The stream's lane.

  @Override
  public void onSubscribe(Flow.Subscription newSubscription) {
    if (subscription != null) {
      newSubscription.cancel();
      return;
    }
    subscription = newSubscription;
    if (closed) {
      newSubscription.cancel();
    } else {
      newSubscription.request(window);
    }
  }

  @Override
  public void onNext(T item) {
    Objects.requireNonNull(item, "item");
    if (closed || end.get() != null) {
      return;
    }
    if (++receivedCount - takenCount > window) {
      cancel();
      finish(
          new End(
              new DynamoException(
                  ErrorType.BUFFER_OVERFLOW, "more items than requested: window=" + window)));
      return;
    }
    items.add(item);
    gate.signal();
  }

  @Override
  public void onError(Throwable error) {
    finish(new End(Objects.requireNonNull(error, "error")));
  }

  @Override
  public void onComplete() {
    finish(new End(null));
  }

  private void finish(End newEnd) {
    end.compareAndSet(null, newEnd);
    gate.signal();
  }

  // The reader.

  /** Says whether {@link #hasItem} has an answer. */
  boolean isReadable() {
    return closed || end.get() != null || !items.isEmpty();
  }

  /** Says whether an item is there; throws how the stream failed if none is left to read. */
  boolean hasItem() {
    End seen = end.get();
    if (!closed && !items.isEmpty()) {
      return true;
    }
    if (closed || seen == null) {
      throw new DynamoException(ErrorType.CLOSED, "reader is closed");
    }
    seen.throwIfFailed();
    return false;
  }

  T take() {
    T item = items.poll();
    if (item == null) {
      throw new DynamoException(ErrorType.CLOSED, "reader is closed");
    }
    long taken = takenCount + 1;
    takenCount = taken;
    Flow.Subscription current = subscription;
    if (taken % refill == 0 && current != null && end.get() == null) {
      current.request(refill);
    }
    return item;
  }

  // Any thread.

  void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (end.get() == null) {
      cancel();
    }
    items.clear();
    gate.signal();
  }

  private void cancel() {
    Flow.Subscription current = subscription;
    if (current != null) {
      current.cancel();
    }
  }

  /** How the stream ended: completed, or failed. */
  private record End(@Nullable Throwable error) {
    void throwIfFailed() {
      if (error instanceof RuntimeException typed) {
        throw typed;
      }
      if (error != null) {
        throw new DynamoException(
            ErrorType.INTERNAL,
            "stream failed: error=" + error,
            null,
            DynamoException.NO_ATTEMPT,
            error);
      }
    }
  }
}
