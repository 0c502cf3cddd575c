// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import static io.dynamo4j.transport.zmq.ZmqRun.eventually;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One plane that publishes and another that subscribes, in contexts of their own, seen as one: what
 * is published goes over real connections. Opening a publisher or a subscription waits until the
 * two sides know each other, which ZeroMQ itself never tells.
 */
final class PlanePair implements EventPlane {
  private final ZmqTransport publishing;
  private final ZmqTransport subscribing;
  private final ZmqEventPlane publishers;
  private final ZmqEventPlane subscribers;
  private final Runnable atEnd;
  private final Map<String, Integer> subscriptions = new HashMap<>();
  private final Map<String, List<PlanePublisher>> open = new HashMap<>();

  PlanePair(
      Environment environment,
      Function<ZmqTransport, ZmqEventPlaneBuilder> planes,
      int queueCapacity,
      Runnable atEnd) {
    ZmqOptions options = ZmqOptions.builder().build();
    publishing = ZmqTransport.create(environment, options);
    subscribing = ZmqTransport.create(environment, options);
    publishers = planes.apply(publishing).build();
    subscribers = planes.apply(subscribing).queueCapacity(queueCapacity).build();
    this.atEnd = atEnd;
  }

  @Override
  public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
    EventPublisher publisher = publishers.publisher(scope, topic, publisherId);
    String key = scope + topic;
    open.computeIfAbsent(key, k -> new ArrayList<>()).add((PlanePublisher) publisher);
    awaitConnected(key);
    return publisher;
  }

  @Override
  public EventSubscription subscribe(
      EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
    EventSubscription subscription = subscribers.subscribe(scope, topic, lane, handler);
    subscriptions.merge(scope + topic, 1, Integer::sum);
    awaitConnected(scope + topic);
    return subscription;
  }

  private void awaitConnected(String key) {
    if (subscriptions.containsKey(key)) {
      for (PlanePublisher publisher : open.getOrDefault(key, List.of())) {
        eventually(() -> publisher.isClosed() || publisher.subscriptions() > 0);
      }
    }
  }

  EventPlaneStatus status() {
    return subscribers.status();
  }

  @Override
  public void close() {
    publishers.close();
    subscribers.close();
    publishing.close();
    subscribing.close();
    atEnd.run();
  }
}
