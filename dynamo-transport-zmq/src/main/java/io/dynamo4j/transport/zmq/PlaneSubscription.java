// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.transport.LaneQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** One subscriber's bounded queue. */
final class PlaneSubscription implements EventSubscription {
  private final LaneQueue<EventEnvelope> queue;
  private final Runnable onClose;
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicBoolean closed = new AtomicBoolean();

  PlaneSubscription(
      Scheduler lane,
      Consumer<EventEnvelope> handler,
      int capacity,
      Consumer<PlaneSubscription> onClose) {
    this.queue = LaneQueue.of(lane, handler, capacity, () -> {});
    this.onClose = () -> onClose.accept(this);
  }

  /** Returns false if the envelope found no room. */
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
      onClose.run();
    }
  }
}
