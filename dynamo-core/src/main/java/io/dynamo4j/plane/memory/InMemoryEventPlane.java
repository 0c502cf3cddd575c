// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane.memory;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.OrderIrrelevant;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Publish and subscribe inside one process.
 *
 * <p>Every subscription has a queue of its own, bounded by {@link #DEFAULT_QUEUE_CAPACITY} unless
 * told otherwise; an envelope that finds it full is dropped for that subscription alone, counted
 * there, and shows as a gap in its publisher's sequence. A burst costs a subscription one task of
 * its lane.
 *
 * <p>A handler that throws loses that envelope only: the exception goes to the lane's failure
 * handler and the next envelope follows.
 *
 * <p><b>Threads.</b> Any; {@link EventPublisher#publish} is lock-free and never waits.
 */
@OrderIrrelevant("topics are looked up by key, and closing them commutes")
public final class InMemoryEventPlane implements EventPlane {
  /** Envelopes that wait for one subscription at most, unless told otherwise. */
  public static final int DEFAULT_QUEUE_CAPACITY = 65_536;

  private final InstantSource wallClock;
  private final int queueCapacity;
  private final ConcurrentHashMap<TopicKey, MemoryTopic> topics = new ConcurrentHashMap<>();
  private volatile boolean closed;

  private InMemoryEventPlane(InstantSource wallClock, int queueCapacity) {
    this.wallClock = wallClock;
    this.queueCapacity = queueCapacity;
  }

  /** Returns an open plane that stamps envelopes by the environment's wall clock. */
  public static InMemoryEventPlane create(Environment environment) {
    return create(environment, DEFAULT_QUEUE_CAPACITY);
  }

  /**
   * Returns an open plane.
   *
   * @param queueCapacity envelopes that wait for one subscription at most
   * @throws IllegalArgumentException if the capacity is not positive
   */
  public static InMemoryEventPlane create(Environment environment, int queueCapacity) {
    if (queueCapacity < 1) {
      throw new IllegalArgumentException(
          "queueCapacity must be positive: queueCapacity=" + queueCapacity);
    }
    return new InMemoryEventPlane(environment.wallClock(), queueCapacity);
  }

  @Override
  public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
    requireOpen();
    TopicKey key = new TopicKey(scope, topic);
    MemoryTopic users = enter(key);
    return new MemoryPublisher(users, topic, publisherId, wallClock, () -> leave(key));
  }

  @Override
  public EventSubscription subscribe(
      EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
    requireOpen();
    TopicKey key = new TopicKey(scope, topic);
    MemoryTopic users = enter(key);
    MemorySubscription subscription =
        new MemorySubscription(users, lane, handler, queueCapacity, () -> leave(key));
    users.add(subscription);
    return subscription;
  }

  @Override
  public void close() {
    closed = true;
    topics.forEach((key, topic) -> topic.close());
    topics.clear();
  }

  private void requireOpen() {
    if (closed) {
      throw new DynamoException(ErrorType.CLOSED, "event plane is closed");
    }
  }

  /** Counts one more user of a topic; a topic without users is forgotten. */
  private MemoryTopic enter(TopicKey key) {
    MemoryTopic topic =
        Objects.requireNonNull(
            topics.compute(
                key,
                (k, existing) -> {
                  MemoryTopic entered = existing == null ? new MemoryTopic() : existing;
                  entered.users++;
                  return entered;
                }));
    if (closed) {
      topic.close();
    }
    return topic;
  }

  private void leave(TopicKey key) {
    topics.computeIfPresent(key, (k, topic) -> --topic.users == 0 ? null : topic);
  }

  /** Exact match on both. */
  private record TopicKey(EventScope scope, String topic) {
    TopicKey {
      Objects.requireNonNull(scope, "scope");
      Objects.requireNonNull(topic, "topic");
    }
  }
}
