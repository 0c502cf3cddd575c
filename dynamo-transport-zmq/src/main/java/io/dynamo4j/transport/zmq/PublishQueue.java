// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Numbers payloads from any thread and hands them to the owner thread in that order. What finds the
 * queue full is dropped and counted, and its number is missing at the subscribers.
 *
 * <p><b>Threads.</b> Any; a lock is held for the time of giving a number.
 */
final class PublishQueue {

  /** Sends one payload, on the owner thread. */
  @FunctionalInterface
  interface Sender {
    void send(long sequence, byte[] payload);
  }

  private final ZmqLoop loop;
  private final String name;
  private final int capacity;
  private final Sender sender;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicLong dropped = new AtomicLong();
  private long next;
  private volatile boolean closed;

  /**
   * Makes an empty queue.
   *
   * @param name of the publisher, in {@code key=value} form
   */
  PublishQueue(ZmqLoop loop, String name, int capacity, Sender sender) {
    this.loop = loop;
    this.name = name;
    this.capacity = capacity;
    this.sender = sender;
  }

  long publish(byte[] payload) {
    Objects.requireNonNull(payload, "payload");
    lock.lock();
    try {
      if (closed || loop.isEnded()) {
        throw new DynamoException(ErrorType.CLOSED, "publish failed, publisher is closed: " + name);
      }
      long sequence = next++;
      if (waiting.get() >= capacity) {
        dropped.incrementAndGet();
      } else {
        waiting.incrementAndGet();
        loop.execute(() -> send(sequence, payload));
      }
      return sequence;
    } finally {
      lock.unlock();
    }
  }

  private void send(long sequence, byte[] payload) {
    waiting.decrementAndGet();
    sender.send(sequence, payload);
  }

  /** Refuses what comes later; what came before is still sent. Returns false if it was closed. */
  boolean close() {
    lock.lock();
    try {
      boolean open = !closed;
      closed = true;
      return open;
    } finally {
      lock.unlock();
    }
  }

  boolean isClosed() {
    return closed;
  }

  long dropped() {
    return dropped.get();
  }
}
