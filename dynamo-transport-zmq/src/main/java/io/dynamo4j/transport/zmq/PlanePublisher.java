// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.wire.EventSubjects;
import io.dynamo4j.wire.ZmqEventMessage;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One source of envelopes with a socket of its own, which is announced once it is bound.
 *
 * <p><b>Threads.</b> As the contract says; everything else on the owner thread.
 */
final class PlanePublisher implements EventPublisher {
  private final ZmqEventPlane plane;
  private final EventScope scope;
  private final String topic;
  private final long publisherId;
  private final String filter;
  private final PublishQueue queue;
  private volatile @Nullable PublishingSocket socket;
  private volatile @Nullable EventChannel channel;
  private @Nullable Subscription announcement;

  PlanePublisher(ZmqEventPlane plane, EventScope scope, String topic, long publisherId) {
    this.plane = plane;
    this.scope = scope;
    this.topic = topic;
    this.publisherId = publisherId;
    this.filter = plane.brokers() == null ? topic : EventSubjects.of(scope, topic);
    this.queue =
        new PublishQueue(
            plane.loop(),
            "topic=" + topic + ", publisherId=" + Long.toUnsignedString(publisherId),
            plane.queueCapacity(),
            this::send);
  }

  boolean isOf(EventScope otherScope, String otherTopic, long otherId) {
    return publisherId == otherId && topic.equals(otherTopic) && scope.equals(otherScope);
  }

  boolean isAnnouncedAs(EventChannel other) {
    return other.equals(channel);
  }

  void open() {
    PublishingSocket opened =
        new PublishingSocket(
            plane.loop(), plane.highWater(), filter.getBytes(StandardCharsets.UTF_8));
    socket = opened;
    ZmqBrokers brokers = plane.brokers();
    try {
      if (brokers != null) {
        brokers.forPublishers().forEach(opened::connect);
      } else {
        String bound = opened.bind("tcp://" + plane.bindHost() + ":*");
        EventChannel announced =
            new EventChannel(
                scope, topic, publisherId, new Address("zmq", plane.advertised(bound)));
        channel = announced;
        announcement = plane.announce(announced);
      }
    } catch (RuntimeException e) {
      plane.addressFailed(e);
    }
  }

  @Override
  public long publish(byte[] payload) {
    return queue.publish(payload);
  }

  private void send(long sequence, byte[] payload) {
    EventEnvelope envelope =
        EventEnvelope.of(publisherId, sequence, plane.nowMillis(), topic, payload);
    PublishingSocket open = socket;
    if (open != null) {
      open.send(ZmqEventMessage.of(filter, envelope).encode());
    }
    plane.deliver(scope, topic, envelope);
  }

  long dropped() {
    return queue.dropped();
  }

  long fullSubscribers() {
    PublishingSocket open = socket;
    return open == null ? 0 : open.fullSubscribers();
  }

  int subscriptions() {
    PublishingSocket open = socket;
    return open == null ? 0 : open.subscriptions();
  }

  boolean isClosed() {
    return queue.isClosed();
  }

  /** Refuses what comes later; from any thread. */
  boolean refuse() {
    return queue.close();
  }

  @Override
  public void close() {
    if (refuse()) {
      plane.loop().execute(() -> plane.remove(this));
    }
  }

  void closeSocket() {
    queue.close();
    if (announcement != null) {
      announcement.close();
    }
    if (socket != null) {
      socket.close();
    }
  }
}
