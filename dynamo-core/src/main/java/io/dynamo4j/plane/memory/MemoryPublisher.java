// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPublisher;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Orders concurrent publishes without a lock: appending to a linked list fixes an envelope's
 * sequence and its place at once, and whoever finds nobody fanning out does so for all.
 */
final class MemoryPublisher implements EventPublisher {
  private static final AtomicReferenceFieldUpdater<MemoryPublisher, Node> TAIL =
      AtomicReferenceFieldUpdater.newUpdater(MemoryPublisher.class, Node.class, "tail");

  private final MemoryTopic topic;
  private final String name;
  private final long publisherId;
  private final InstantSource wallClock;
  private final Runnable onClose;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile Node tail;
  private final AtomicInteger fanOuts = new AtomicInteger();
  // Last node that was fanned out; belongs to whoever raised fanOuts from 0.
  private Node head;

  MemoryPublisher(
      MemoryTopic topic, String name, long publisherId, InstantSource wallClock, Runnable onClose) {
    this.topic = topic;
    this.name = name;
    this.publisherId = publisherId;
    this.wallClock = wallClock;
    this.onClose = onClose;
    this.head = new Node(EventEnvelope.of(publisherId, -1, 0, name, new byte[0]));
    this.tail = head;
  }

  @Override
  public long publish(byte[] payload) {
    Objects.requireNonNull(payload, "payload");
    if (closed.get() || topic.isClosed()) {
      throw new DynamoException(
          ErrorType.CLOSED,
          "publish failed, publisher is closed: topic="
              + name
              + ", publisherId="
              + Long.toUnsignedString(publisherId));
    }
    long sequence = append(payload);
    fanOut();
    return sequence;
  }

  private long append(byte[] payload) {
    long now = wallClock.millis();
    while (true) {
      Node before = tail;
      long sequence = before.envelope.sequence() + 1;
      Node node = new Node(EventEnvelope.of(publisherId, sequence, now, name, payload));
      if (TAIL.compareAndSet(this, before, node)) {
        before.next = node;
        return sequence;
      }
    }
  }

  private void fanOut() {
    if (fanOuts.getAndIncrement() != 0) {
      return;
    }
    int raised = 1;
    do {
      // A node not linked yet ends the walk; its publisher raises fanOuts after linking it.
      for (Node next = head.next; next != null; next = next.next) {
        head = next;
        topic.deliver(next.envelope);
      }
      raised = fanOuts.addAndGet(-raised);
    } while (raised != 0);
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      onClose.run();
    }
  }

  private static final class Node {
    final EventEnvelope envelope;
    volatile @Nullable Node next;

    Node(EventEnvelope envelope) {
      this.envelope = envelope;
    }
  }
}
