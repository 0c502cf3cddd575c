// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import java.util.function.Consumer;

/** A plane that takes its transport with it. */
record OwningPlane(EventPlane plane, Runnable atEnd) implements EventPlane {

  @Override
  public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
    return plane.publisher(scope, topic, publisherId);
  }

  @Override
  public EventSubscription subscribe(
      EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
    return plane.subscribe(scope, topic, lane, handler);
  }

  @Override
  public void close() {
    plane.close();
    atEnd.run();
  }
}
