// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.transport.LaneSignal;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** One subscriber's bounded queue and the lane that empties it. */
final class MemorySubscription implements EventSubscription {
  /** Envelopes handled in one turn of the lane, so that its other tasks get theirs. */
  private static final int TURN = 256;

  private final MemoryTopic topic;
  private final Consumer<EventEnvelope> handler;
  private final int capacity;
  private final Runnable onClose;
  private final LaneSignal signal;
  private final ConcurrentLinkedQueue<EventEnvelope> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicBoolean closed = new AtomicBoolean();

  MemorySubscription(
      MemoryTopic topic,
      Scheduler lane,
      Consumer<EventEnvelope> handler,
      int capacity,
      Runnable onClose) {
    this.topic = topic;
    this.handler = Objects.requireNonNull(handler, "handler");
    this.capacity = capacity;
    this.onClose = onClose;
    this.signal = LaneSignal.of(Objects.requireNonNull(lane, "lane"), this::drain);
  }

  void offer(EventEnvelope envelope) {
    if (closed.get()) {
      return;
    }
    if (size.incrementAndGet() > capacity) {
      size.decrementAndGet();
      dropped.incrementAndGet();
      return;
    }
    queue.offer(envelope);
    if (!signal.raise()) {
      close();
    }
  }

  private void drain() {
    try {
      for (int i = 0; i < TURN && !closed.get(); i++) {
        EventEnvelope envelope = queue.poll();
        if (envelope == null) {
          return;
        }
        size.decrementAndGet();
        handler.accept(envelope);
      }
    } finally {
      if (closed.get()) {
        queue.clear();
      } else if (!queue.isEmpty()) {
        signal.raise();
      }
    }
  }

  @Override
  public long droppedCount() {
    return dropped.get();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      topic.remove(this);
      onClose.run();
      queue.clear();
    }
  }
}
