// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.benchmarks.index;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Hands envelopes to the one subscriber of their topic, on its lane, without loss or bound. */
final class DirectEventPlane implements EventPlane {
  private record Subscriber(Scheduler lane, Consumer<EventEnvelope> handler) {}

  private final Map<String, Subscriber> subscribers = new LinkedHashMap<>();

  void deliver(EventEnvelope envelope) {
    Subscriber subscriber = subscribers.get(envelope.topic());
    if (subscriber != null) {
      subscriber.lane().execute(() -> subscriber.handler().accept(envelope));
    }
  }

  @Override
  public EventSubscription subscribe(
      EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
    subscribers.put(topic, new Subscriber(lane, handler));
    return new EventSubscription() {
      @Override
      public long droppedCount() {
        return 0;
      }

      @Override
      public void close() {
        subscribers.remove(topic);
      }
    };
  }

  @Override
  public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
    throw new UnsupportedOperationException("envelopes are delivered: topic=" + topic);
  }

  @Override
  public void close() {
    subscribers.clear();
  }
}
