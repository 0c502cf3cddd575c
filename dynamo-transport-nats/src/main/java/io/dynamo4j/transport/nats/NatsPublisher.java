// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.wire.EventEnvelopeCodec;
import io.dynamo4j.wire.EventSubjects;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One source of envelopes: numbers them from any thread and hands them to the link's thread in that
 * order. What finds no room is dropped and counted, and its number is missing at the subscribers.
 *
 * <p><b>Threads.</b> As the contract says; a lock is held for the time of giving a number.
 */
final class NatsPublisher implements EventPublisher {
  private final NatsEventPlane plane;
  private final String topic;
  private final long publisherId;
  private final String subject;
  private final @Nullable Subscription announcement;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicInteger waiting = new AtomicInteger();
  private long next;
  private boolean closed;

  NatsPublisher(
      NatsEventPlane plane,
      EventScope scope,
      String topic,
      long publisherId,
      @Nullable Subscription announcement) {
    this.plane = plane;
    this.topic = topic;
    this.publisherId = publisherId;
    this.subject = EventSubjects.of(scope, topic);
    this.announcement = announcement;
  }

  @Override
  public long publish(byte[] payload) {
    Objects.requireNonNull(payload, "payload");
    lock.lock();
    try {
      if (closed || plane.isClosed()) {
        throw new DynamoException(
            ErrorType.CLOSED,
            "publish failed, publisher is closed: topic="
                + topic
                + ", publisherId="
                + Long.toUnsignedString(publisherId));
      }
      long sequence = next++;
      enqueue(sequence, payload);
      return sequence;
    } finally {
      lock.unlock();
    }
  }

  private void enqueue(long sequence, byte[] payload) {
    if (waiting.get() >= plane.queueCapacity() || !plane.reserve(payload.length)) {
      plane.count(NatsEventCounter.PUBLISH_DROPS, 1);
      return;
    }
    waiting.incrementAndGet();
    EventEnvelope envelope =
        EventEnvelope.of(publisherId, sequence, plane.nowMillis(), topic, payload);
    plane.link().execute(() -> send(envelope));
  }

  private void send(EventEnvelope envelope) {
    waiting.decrementAndGet();
    plane.release(envelope.payload().length);
    byte[] message = EventEnvelopeCodec.encode(envelope);
    long max = plane.link().maxPayload();
    if (message.length > max) {
      plane.refused(
          "envelope is larger than the server takes: bytes=" + message.length + ", max=" + max);
    } else if (!plane.link().publish(subject, null, null, message)) {
      plane.count(NatsEventCounter.PUBLISH_DROPS, 1);
    }
  }

  int waiting() {
    return waiting.get();
  }

  /** Refuses what comes later; what came before is still sent. Returns false if it was closed. */
  boolean refuse() {
    lock.lock();
    try {
      boolean open = !closed;
      closed = true;
      return open;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    if (refuse()) {
      if (announcement != null) {
        announcement.close();
      }
      // After what was published before.
      plane.link().execute(() -> plane.remove(this));
    }
  }
}
