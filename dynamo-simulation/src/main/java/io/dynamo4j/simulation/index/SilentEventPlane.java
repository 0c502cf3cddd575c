// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.index;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import java.util.function.Consumer;

/** A plane for one who only listens: routers say nothing to each other. */
final class SilentEventPlane implements EventPlane {
  private final EventPlane plane;

  SilentEventPlane(EventPlane plane) {
    this.plane = plane;
  }

  @Override
  public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
    throw new IllegalStateException("router publishes: topic=" + topic);
  }

  @Override
  public EventSubscription subscribe(
      EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
    return plane.subscribe(scope, topic, lane, handler);
  }

  @Override
  public void close() {
    plane.close();
  }
}
