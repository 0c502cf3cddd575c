// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.wire.RouterEventCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A plane whose envelopes the test writes, sequence and all. */
final class ScriptedEventPlane implements EventPlane {
  private record Subscriber(String topic, Scheduler lane, Consumer<EventEnvelope> handler) {}

  private final List<Subscriber> subscribers = new ArrayList<>();

  void deliver(long publisherId, long sequence, RouterEvent... events) {
    deliver(publisherId, sequence, RouterEventCodec.encode(List.of(events)));
  }

  void deliver(long publisherId, long sequence, byte[] payload) {
    deliver(KvEventFeed.TOPIC, publisherId, sequence, payload);
  }

  void deliver(String topic, long publisherId, long sequence, byte[] payload) {
    EventEnvelope envelope = EventEnvelope.of(publisherId, sequence, 0, topic, payload);
    for (Subscriber subscriber : subscribers) {
      if (subscriber.topic.equals(topic)) {
        subscriber.lane.execute(() -> subscriber.handler.accept(envelope));
      }
    }
  }

  @Override
  public EventSubscription subscribe(
      EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
    Subscriber subscriber = new Subscriber(topic, lane, handler);
    subscribers.add(subscriber);
    return new EventSubscription() {
      @Override
      public long droppedCount() {
        return 3;
      }

      @Override
      public void close() {
        subscribers.remove(subscriber);
      }
    };
  }

  @Override
  public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
    throw new UnsupportedOperationException("the test delivers");
  }

  @Override
  public void close() {
    subscribers.clear();
  }
}
