// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import io.dynamo4j.core.runtime.Scheduler;
import java.util.function.Consumer;

/**
 * Publish and subscribe by scope and topic: at most once, in order for each publisher.
 *
 * <p>Loss is possible and always visible: as a gap in a publisher's sequence, and in {@link
 * EventSubscription#droppedCount()}.
 */
public interface EventPlane extends AutoCloseable {

  /**
   * Opens a source.
   *
   * @param publisherId unsigned 64-bit pattern, unique among living publishers of the topic
   */
  EventPublisher publisher(EventScope scope, String topic, long publisherId);

  /**
   * Receives every envelope published to exactly this scope and topic from now on.
   *
   * @param lane where {@code handler} runs; never inline
   */
  EventSubscription subscribe(
      EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler);

  /** Ends all publishers and subscriptions; idempotent. */
  @Override
  void close();
}
