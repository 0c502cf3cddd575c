// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.blocking;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.plane.ResponseStream;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One answer as an iterator for a thread that may wait.
 *
 * <p>At most a window of items is asked for ahead of the reader. Items that arrived before a
 * failure are returned before it is thrown. Every wait ends by its deadline, which cancels the
 * stream; closing early cancels it too, so use try-with-resources:
 *
 * <pre>{@code
 * try (BlockingResponses<Answer> answer = BlockingResponses.builder(stream, gate).open()) {
 *   while (answer.hasNext()) {
 *     write(answer.next());
 *   }
 * }
 * }</pre>
 *
 * <p><b>Errors.</b> {@link #hasNext} and {@link #next} throw what the stream failed with; {@code
 * DEADLINE_EXCEEDED} when a wait timed out; {@code CANCELLED} when the thread was interrupted,
 * whose interrupt status is then set again; {@code CLOSED} after {@link #close}. A failure is
 * final: the same is thrown again.
 *
 * <p><b>Threads.</b> One reader; {@link #close} from any thread, which wakes the reader.
 *
 * @param <T> item type
 */
public final class BlockingResponses<T> implements Iterator<T>, AutoCloseable {
  private final Gate gate;
  private final PrefetchSubscriber<T> subscriber;
  private final long itemTimeoutNanos;
  private final boolean hasDeadline;
  private final long deadlineNanos;
  private @Nullable RuntimeException failure;

  private BlockingResponses(Builder<T> builder) {
    this.gate = builder.gate;
    this.itemTimeoutNanos = builder.itemTimeoutNanos;
    this.hasDeadline = builder.totalTimeoutNanos != Long.MAX_VALUE;
    this.deadlineNanos = gate.clock().nanoTime() + builder.totalTimeoutNanos;
    this.subscriber = new PrefetchSubscriber<>(gate, builder.window);
  }

  /**
   * Starts a reader of {@code stream}.
   *
   * @param gate how this reader waits; not shared with other waiting threads
   */
  public static <T> Builder<T> builder(ResponseStream<T> stream, Gate gate) {
    return new Builder<>(stream, gate);
  }

  /** Waits until an item has arrived or the stream has ended; true if there is an item. */
  @Override
  public boolean hasNext() {
    if (failure != null) {
      throw failure;
    }
    if (!subscriber.isReadable()) {
      awaitReadable();
    }
    try {
      return subscriber.hasItem();
    } catch (RuntimeException thrown) {
      failure = thrown;
      throw thrown;
    }
  }

  /** Waits for the next item and returns it. */
  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException("stream has ended");
    }
    return subscriber.take();
  }

  /** Cancels the stream unless it has ended, and drops what was not read. Idempotent. */
  @Override
  public void close() {
    subscriber.close();
  }

  private void awaitReadable() {
    boolean readable;
    try {
      readable = gate.await(subscriber::isReadable, waitUntil());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw giveUp(ErrorType.CANCELLED, "reader was interrupted", interrupted);
    }
    if (!readable) {
      throw giveUp(
          ErrorType.DEADLINE_EXCEEDED,
          "no item in time: itemTimeoutNanos=" + itemTimeoutNanos,
          null);
    }
  }

  private long waitUntil() {
    long now = gate.clock().nanoTime();
    return hasDeadline
        ? now + Math.min(itemTimeoutNanos, deadlineNanos - now)
        : now + itemTimeoutNanos;
  }

  private DynamoException giveUp(ErrorType type, String message, @Nullable Throwable cause) {
    DynamoException reason =
        new DynamoException(type, message, null, DynamoException.NO_ATTEMPT, cause);
    subscriber.close();
    failure = reason;
    return reason;
  }

  /**
   * Builds a {@link BlockingResponses}: a window of 32 items, a minute for each, no total timeout.
   *
   * @param <T> item type
   */
  public static final class Builder<T> {
    private final ResponseStream<T> stream;
    private final Gate gate;
    private int window = 32;
    private long itemTimeoutNanos = Duration.ofMinutes(1).toNanos();
    private long totalTimeoutNanos = Long.MAX_VALUE;

    private Builder(ResponseStream<T> stream, Gate gate) {
      this.stream = Objects.requireNonNull(stream, "stream");
      this.gate = Objects.requireNonNull(gate, "gate");
    }

    /** Sets how many items may be under way or waiting to be read. */
    public Builder<T> window(int items) {
      if (items < 1) {
        throw new IllegalArgumentException("window must be positive: window=" + items);
      }
      this.window = items;
      return this;
    }

    /** Sets how long one {@code hasNext} or {@code next} may wait. */
    public Builder<T> itemTimeout(Duration timeout) {
      this.itemTimeoutNanos = positiveNanos(timeout, "itemTimeout");
      return this;
    }

    /** Sets how long after {@link #open} the last item may be waited for. */
    public Builder<T> totalTimeout(Duration timeout) {
      this.totalTimeoutNanos = positiveNanos(timeout, "totalTimeout");
      return this;
    }

    /** Subscribes, which sends the request. */
    public BlockingResponses<T> open() {
      BlockingResponses<T> responses = new BlockingResponses<>(this);
      stream.subscribe(responses.subscriber);
      return responses;
    }

    private static long positiveNanos(Duration timeout, String name) {
      if (timeout.isNegative() || timeout.isZero()) {
        throw new IllegalArgumentException("timeout must be positive: " + name + "=" + timeout);
      }
      return timeout.toNanos();
    }
  }
}
