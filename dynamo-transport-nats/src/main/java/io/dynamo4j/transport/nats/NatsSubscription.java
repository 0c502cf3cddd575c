// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.transport.LaneQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** One subscriber's bounded queue from the client's thread to the subscriber's lane. */
final class NatsSubscription implements EventSubscription {
  private final LaneQueue<EventEnvelope> queue;
  private final Consumer<NatsSubscription> onClose;
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicBoolean closed = new AtomicBoolean();

  NatsSubscription(
      Scheduler lane,
      Consumer<EventEnvelope> handler,
      int capacity,
      Consumer<NatsSubscription> onClose) {
    this.queue = LaneQueue.of(lane, handler, capacity, () -> {});
    this.onClose = onClose;
  }

  /** Returns false if the envelope found no room; one at a time. */
  boolean offer(EventEnvelope envelope) {
    if (closed.get() || queue.offer(envelope)) {
      return true;
    }
    dropped.incrementAndGet();
    return false;
  }

  @Override
  public long droppedCount() {
    return dropped.get();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      queue.close();
      onClose.accept(this);
    }
  }
}
