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
   * Opens a source whose sequence starts at 0.
   *
   * @param publisherId unsigned 64-bit pattern, unique among living publishers of the topic, which
   *     a plane need not check
   * @throws io.dynamo4j.core.model.DynamoException of type {@code CLOSED} if this plane is closed
   */
  EventPublisher publisher(EventScope scope, String topic, long publisherId);

  /**
   * Receives every envelope published to exactly this scope and topic from now on. A handler that
   * throws loses that envelope only; what it threw goes to the lane's failure handler.
   *
   * @param lane where {@code handler} runs; never inline
   * @throws io.dynamo4j.core.model.DynamoException of type {@code CLOSED} if this plane is closed
   */
  EventSubscription subscribe(
      EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler);

  /** Ends all publishers and subscriptions; idempotent. */
  @Override
  void close();
}
