// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.collect.LongObjectMap;
import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.transport.SequenceWatch;
import io.dynamo4j.wire.EventSubjects;
import io.dynamo4j.wire.WireFormatException;
import io.dynamo4j.wire.ZmqEventMessage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who subscribes to one topic of one scope here, and the links by which others' envelopes come.
 *
 * <p>Envelopes of this plane's own publishers take no socket: they are handed over as they are
 * published.
 *
 * <p><b>Threads.</b> The owner thread.
 */
final class PlaneTopic {
  /** Publishers through brokers whose numbers are watched; there can be no end of them. */
  private static final int MAX_WATCHED = 65_536;

  private final ZmqEventPlane plane;
  private final EventScope scope;
  private final String topic;
  private final String subject;
  private final List<PlaneSubscription> subscriptions = new ArrayList<>();
  private final Map<EventChannel, PlaneLink> links = new LinkedHashMap<>();
  private final Map<EventChannel, PlaneLink> draining = new LinkedHashMap<>();
  private final LongObjectMap<SequenceWatch> watches;
  private @Nullable PlaneLink brokerLink;

  PlaneTopic(ZmqEventPlane plane, EventScope scope, String topic) {
    this.plane = plane;
    this.scope = scope;
    this.topic = topic;
    this.subject = EventSubjects.of(scope, topic);
    this.watches = LongObjectMap.create(plane.seed());
  }

  boolean isOf(EventChannel channel) {
    return channel.topic().equals(topic) && channel.scope().equals(scope);
  }

  String filter() {
    return plane.brokers() == null ? topic : subject;
  }

  void add(PlaneSubscription subscription) {
    subscriptions.add(subscription);
    if (subscriptions.size() > 1) {
      return;
    }
    ZmqBrokers brokers = plane.brokers();
    if (brokers != null) {
      brokerLink = link(brokers.forSubscribers(), this::fromBroker);
    } else {
      plane.channels().forEach(this::connect);
    }
  }

  /** Returns whether nobody is left. */
  boolean remove(PlaneSubscription subscription) {
    subscriptions.remove(subscription);
    if (subscriptions.isEmpty()) {
      close();
    }
    return subscriptions.isEmpty();
  }

  /** Connects to a publisher that appeared, if it is of this topic and somebody wants it. */
  void connect(EventChannel channel) {
    if (subscriptions.isEmpty() || !isOf(channel) || plane.isOwn(channel)) {
      return;
    }
    closeNow(links.remove(channel));
    closeNow(draining.remove(channel));
    String endpoint = channel.address().value();
    if (!plane.mayDial(endpoint)) {
      plane.count(EventPlaneCounter.REFUSED_ADDRESSES, 1);
      return;
    }
    SequenceWatch watch = SequenceWatch.create();
    links.put(channel, link(List.of(endpoint), frames -> fromPublisher(channel, watch, frames)));
  }

  /** Lets go of a publisher that is no longer announced, once its last messages have come. */
  void disconnect(EventChannel channel) {
    PlaneLink link = links.remove(channel);
    if (link != null) {
      draining.values().removeIf(PlaneLink::isClosed);
      draining.put(channel, link);
      link.drain();
    }
  }

  private static void closeNow(@Nullable PlaneLink link) {
    if (link != null) {
      link.close();
    }
  }

  private PlaneLink link(List<String> endpoints, LoopSocket.Receiver receiver) {
    PlaneLink link =
        new PlaneLink(
            plane.loop(),
            endpoints,
            filter(),
            plane.highWater(),
            () -> plane.count(EventPlaneCounter.FAILED_ADDRESSES, 1),
            receiver);
    link.open();
    return link;
  }

  private void fromPublisher(EventChannel channel, SequenceWatch watch, List<byte[]> frames) {
    EventEnvelope envelope = decode(frames);
    if (envelope == null) {
      return;
    }
    if (envelope.publisherId() != channel.publisherId()) {
      plane.count(EventPlaneCounter.WRONG_PUBLISHER, 1);
      return;
    }
    judge(watch, envelope);
  }

  private void fromBroker(List<byte[]> frames) {
    EventEnvelope envelope = decode(frames);
    if (envelope == null || plane.isOwn(scope, topic, envelope.publisherId())) {
      return;
    }
    SequenceWatch watch = watches.get(envelope.publisherId());
    if (watch == null) {
      if (watches.size() == MAX_WATCHED) {
        plane.count(EventPlaneCounter.UNTRACKED, 1);
        return;
      }
      ZmqBrokers brokers = plane.brokers();
      boolean severalWays = brokers != null && brokers.forSubscribers().size() > 1;
      watch = severalWays ? SequenceWatch.ofSeveralWays() : SequenceWatch.create();
      watches.put(envelope.publisherId(), watch);
    }
    judge(watch, envelope);
  }

  private @Nullable EventEnvelope decode(List<byte[]> frames) {
    ZmqEventMessage message;
    try {
      message = ZmqEventMessage.decode(frames);
    } catch (WireFormatException e) {
      plane.count(EventPlaneCounter.UNREADABLE, 1);
      return null;
    }
    if (!message.filter().equals(filter()) || !message.envelope().topic().equals(topic)) {
      plane.count(EventPlaneCounter.OTHER_TOPIC, 1);
      return null;
    }
    return message.envelope();
  }

  private void judge(SequenceWatch watch, EventEnvelope envelope) {
    switch (watch.judge(envelope)) {
      case REPEATED -> {
        plane.count(EventPlaneCounter.REPEATED, 1);
        return;
      }
      case RESTARTED -> plane.count(EventPlaneCounter.RESTARTS, 1);
      case NEW -> plane.count(EventPlaneCounter.MISSED, watch.missed());
    }
    plane.count(EventPlaneCounter.RECEIVED, 1);
    deliver(envelope);
  }

  void deliver(EventEnvelope envelope) {
    for (int i = 0; i < subscriptions.size(); i++) {
      if (!subscriptions.get(i).offer(envelope)) {
        plane.count(EventPlaneCounter.SUBSCRIBER_DROPS, 1);
      }
    }
  }

  int wanted() {
    return links.size() + (brokerLink == null ? 0 : 1);
  }

  int connected() {
    int connected = brokerLink != null && brokerLink.isConnected() ? 1 : 0;
    for (PlaneLink link : links.values()) {
      connected += link.isConnected() ? 1 : 0;
    }
    return connected;
  }

  void close() {
    links.values().forEach(PlaneLink::close);
    links.clear();
    draining.values().forEach(PlaneLink::close);
    draining.clear();
    if (brokerLink != null) {
      brokerLink.close();
      brokerLink = null;
    }
  }
}
