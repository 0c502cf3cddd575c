// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.transport;

import io.dynamo4j.core.runtime.Scheduler;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A bounded queue from a transport's thread to a lane, emptied in turns, so that a burst costs one
 * task.
 *
 * <p><b>Threads.</b> {@link #offer} from one thread, {@link #close} from any. After a close on the
 * lane nothing more is handed on.
 */
public final class LaneQueue<T> {
  private static final int TURN = 256;

  private final Scheduler lane;
  private final Consumer<? super T> consumer;
  private final int capacity;
  private final Runnable onRoom;
  private final Queue<T> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicBoolean wantsRoom = new AtomicBoolean();

  private LaneQueue(Scheduler lane, Consumer<? super T> consumer, int capacity, Runnable onRoom) {
    this.lane = lane;
    this.consumer = consumer;
    this.capacity = capacity;
    this.onRoom = onRoom;
  }

  /**
   * Returns an empty queue.
   *
   * @param consumer takes each item, on the lane
   * @param onRoom runs on the lane when the queue is half empty again after {@link #isFull}
   */
  public static <T> LaneQueue<T> of(
      Scheduler lane, Consumer<? super T> consumer, int capacity, Runnable onRoom) {
    return new LaneQueue<>(lane, consumer, capacity, onRoom);
  }

  /** Returns false, having changed nothing, if there is no room. */
  public boolean offer(T item) {
    if (size.get() >= capacity) {
      return false;
    }
    add(item);
    return true;
  }

  /** Adds even beyond the capacity: for what must not be lost and is rare. */
  public void add(T item) {
    if (closed.get()) {
      return;
    }
    size.incrementAndGet();
    queue.add(item);
    signal();
  }

  /** Returns whether there is no room; if so, {@code onRoom} will run once there is. */
  public boolean isFull() {
    if (size.get() < capacity) {
      return false;
    }
    wantsRoom.set(true);
    // Whoever empties the queue looks at the flag after the size; this looks again after the flag.
    return size.get() >= capacity || !wantsRoom.compareAndSet(true, false);
  }

  private void signal() {
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      try {
        lane.execute(this::drain);
      } catch (RejectedExecutionException laneClosed) {
        close();
      }
    }
  }

  private void drain() {
    scheduled.set(false);
    try {
      for (int i = 0; i < TURN && !closed.get(); i++) {
        T item = queue.poll();
        if (item == null) {
          break;
        }
        int left = size.decrementAndGet();
        if (left <= capacity / 2 && wantsRoom.get() && wantsRoom.compareAndSet(true, false)) {
          onRoom.run();
        }
        consumer.accept(item);
      }
    } finally {
      if (closed.get()) {
        queue.clear();
      } else if (!queue.isEmpty()) {
        signal();
      }
    }
  }

  /** Drops what waits and whatever comes; from any thread. */
  public void close() {
    closed.set(true);
    queue.clear();
  }
}
