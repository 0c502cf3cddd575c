// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.runtime.Cancellable;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Tasks of the owner thread that wait for their time. Equal deadlines keep call order. */
final class LoopTimers {
  /** What {@link #nanosToNext} returns if nothing is pending. */
  static final long NONE = -1;

  private final PriorityQueue<Entry> entries = new PriorityQueue<>();
  private long count;

  Cancellable add(long deadlineNanos, Runnable task) {
    Entry entry = new Entry(deadlineNanos, count++, task);
    entries.add(entry);
    return () -> entries.remove(entry);
  }

  /** Returns what is due, earliest first, null if nothing is. */
  @Nullable Runnable pollDue(long nowNanos) {
    Entry first = entries.peek();
    if (first == null || first.deadline - nowNanos > 0) {
      return null;
    }
    entries.remove();
    return first.task;
  }

  long nanosToNext(long nowNanos) {
    Entry first = entries.peek();
    return first == null ? NONE : Math.max(0, first.deadline - nowNanos);
  }

  private record Entry(long deadline, long number, Runnable task) implements Comparable<Entry> {

    @Override
    public int compareTo(Entry other) {
      long difference = deadline - other.deadline;
      return difference != 0 ? Long.signum(difference) : Long.compare(number, other.number);
    }
  }
}
