// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** A plane that takes its transport with it, in a namespace that no other test uses. */
final class OwningPlane implements EventPlane {
  private static final AtomicLong COUNT = new AtomicLong();

  private final NatsTransport transport;
  private final NatsEventPlane plane;
  private final String prefix = "test" + COUNT.incrementAndGet() + "-";

  OwningPlane(NatsTransport transport, NatsEventPlane plane) {
    this.transport = transport;
    this.plane = plane;
  }

  @Override
  public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
    return plane.publisher(ours(scope), topic, publisherId);
  }

  @Override
  public EventSubscription subscribe(
      EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
    return plane.subscribe(ours(scope), topic, lane, handler);
  }

  private EventScope ours(EventScope scope) {
    if (scope instanceof EventScope.Endpoint in) {
      return new EventScope.Endpoint(prefix + in.namespace(), in.component(), in.endpoint());
    }
    if (scope instanceof EventScope.Component in) {
      return new EventScope.Component(prefix + in.namespace(), in.component());
    }
    return new EventScope.Namespace(prefix + ((EventScope.Namespace) scope).namespace());
  }

  @Override
  public void close() {
    plane.close();
    transport.close();
  }
}
