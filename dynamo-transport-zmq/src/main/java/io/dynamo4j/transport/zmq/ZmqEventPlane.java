// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.AddressPolicy;
import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.plane.EventChannelDirectory;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.transport.Counts;
import io.dynamo4j.wire.EventSubjects;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dynamo's event plane over ZeroMQ: every publisher has a socket of its own that subscribers find
 * through a directory, or all meet at brokers.
 *
 * <p>There is no handshake between subscriber and publisher: what another process publishes before
 * the connection stands is missed, as with Dynamo, and shows as a first number above 0. Connect
 * first, then ask workers for what was before.
 *
 * <p><b>Loss.</b> A subscription whose lane falls behind loses the newest envelopes, which {@link
 * EventSubscription#droppedCount} counts; a subscriber elsewhere that is at the high-water mark
 * loses what comes until it has read half of it. Either shows as a gap in the publisher's numbers
 * and in {@link #status}.
 *
 * <p><b>Security.</b> Neither authentication nor encryption: Dynamo's plane has none. Whoever
 * reaches the port reads everything; hence the default of binding to the loopback address.
 *
 * <p><b>Threads.</b> Any.
 */
public final class ZmqEventPlane implements EventPlane {
  private static final Logger LOG = LoggerFactory.getLogger(ZmqEventPlane.class);

  private final ZmqLoop loop;
  private final ZmqEventPlaneBuilder settings;
  private final Counts<EventPlaneCounter> counts = Counts.of(EventPlaneCounter.class);
  private final List<PlanePublisher> publishers = new CopyOnWriteArrayList<>();
  private final List<PlaneSubscription> subscriptions = new CopyOnWriteArrayList<>();
  private final Runnable onEnd = this::end;
  private volatile boolean closed;
  private volatile List<PlaneTopic> topics = List.of();
  private @Nullable Subscription watch;

  /** By subject, which names scope and topic in one. */
  private final Map<String, PlaneTopic> topicsBySubject = new TreeMap<>();

  private final List<EventChannel> channels = new ArrayList<>();

  private ZmqEventPlane(ZmqEventPlaneBuilder settings) {
    this.settings = settings;
    this.loop = settings.transport.loop();
  }

  /** Starts describing a plane whose publishers find each other through a directory. */
  public static ZmqEventPlaneBuilder direct(
      ZmqTransport transport, EventChannelDirectory directory) {
    return new ZmqEventPlaneBuilder(
        transport, Objects.requireNonNull(directory, "directory"), null);
  }

  /** Starts describing a plane whose publishers and subscribers meet at brokers. */
  public static ZmqEventPlaneBuilder brokered(ZmqTransport transport, ZmqBrokers brokers) {
    return new ZmqEventPlaneBuilder(transport, null, Objects.requireNonNull(brokers, "brokers"));
  }

  static ZmqEventPlane open(ZmqEventPlaneBuilder settings) {
    ZmqEventPlane plane = new ZmqEventPlane(settings);
    plane.loop.execute(plane::start);
    return plane;
  }

  private void start() {
    loop.atEnd(onEnd);
    if (settings.directory != null) {
      Scheduler lane = settings.transport.environment().lanes().lane("zmq-channels");
      watch = settings.directory.watch(lane, new ChannelListener());
    }
  }

  /* --------------- Contract --------------- */

  @Override
  public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
    Objects.requireNonNull(scope, "scope");
    Objects.requireNonNull(topic, "topic");
    requireOpen();
    PlanePublisher publisher = new PlanePublisher(this, scope, topic, publisherId);
    publishers.add(publisher);
    loop.execute(publisher::open);
    if (closed) {
      publisher.close();
    }
    return publisher;
  }

  @Override
  public EventSubscription subscribe(
      EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
    Objects.requireNonNull(scope, "scope");
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(lane, "lane");
    Objects.requireNonNull(handler, "handler");
    requireOpen();
    PlaneSubscription subscription =
        new PlaneSubscription(
            lane, handler, settings.queueCapacity, closing -> unsubscribe(scope, topic, closing));
    subscriptions.add(subscription);
    loop.execute(() -> topicOf(scope, topic).add(subscription));
    if (closed) {
      subscription.close();
    }
    return subscription;
  }

  private void unsubscribe(EventScope scope, String topic, PlaneSubscription subscription) {
    subscriptions.remove(subscription);
    loop.execute(
        () -> {
          if (topicOf(scope, topic).remove(subscription)) {
            topicsBySubject.remove(EventSubjects.of(scope, topic));
            topics = List.copyOf(topicsBySubject.values());
          }
        });
  }

  private void requireOpen() {
    if (closed || loop.isEnded()) {
      throw new DynamoException(ErrorType.CLOSED, "event plane is closed");
    }
  }

  /** Returns what is known now. */
  public EventPlaneStatus status() {
    int wanted = 0;
    int connected = 0;
    for (PlaneTopic topic : topics) {
      wanted += topic.wanted();
      connected += topic.connected();
    }
    Map<EventPlaneCounter, Long> snapshot = new TreeMap<>(counts.snapshot());
    for (PlanePublisher publisher : publishers) {
      snapshot.merge(EventPlaneCounter.PUBLISH_DROPS, publisher.dropped(), Long::sum);
      snapshot.merge(EventPlaneCounter.FULL_SUBSCRIBERS, publisher.fullSubscribers(), Long::sum);
    }
    return new EventPlaneStatus(wanted, connected, snapshot);
  }

  /** Ends all publishers and subscriptions; returns at once, idempotent. */
  @Override
  public void close() {
    closed = true;
    publishers.forEach(PlanePublisher::refuse);
    subscriptions.forEach(PlaneSubscription::close);
    loop.execute(
        () -> {
          loop.notAtEnd(onEnd);
          end();
        });
  }

  private void end() {
    closed = true;
    if (watch != null) {
      watch.close();
    }
    publishers.forEach(PlanePublisher::closeSocket);
    subscriptions.forEach(PlaneSubscription::close);
    topicsBySubject.values().forEach(PlaneTopic::close);
    topicsBySubject.clear();
    topics = List.of();
  }

  /* --------------- For publishers and topics, on the owner thread --------------- */

  ZmqLoop loop() {
    return loop;
  }

  @Nullable ZmqBrokers brokers() {
    return settings.brokers;
  }

  int queueCapacity() {
    return settings.queueCapacity;
  }

  int highWater() {
    return settings.highWater;
  }

  String bindHost() {
    String host = settings.bindHost;
    return host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
  }

  /** Returns how others reach an address that is bound here. */
  String advertised(String bound) {
    String host = settings.advertisedHost;
    return host == null
        ? bound
        : EngineEndpoints.atHost("tcp://*" + bound.substring(bound.lastIndexOf(':')), host);
  }

  long seed() {
    return settings.transport.environment().random().split("zmq-event-plane").nextLong();
  }

  long nowMillis() {
    return settings.transport.environment().wallClock().millis();
  }

  @Nullable Subscription announce(EventChannel channel) {
    return settings.directory == null ? null : settings.directory.register(channel);
  }

  void addressFailed(RuntimeException failure) {
    count(EventPlaneCounter.FAILED_ADDRESSES, 1);
    LOG.warn("event publisher cannot use its address: {}", failure.toString());
  }

  boolean mayDial(String endpoint) {
    int colon = endpoint.lastIndexOf(':');
    if (!endpoint.startsWith("tcp://") || colon < "tcp://".length()) {
      return false;
    }
    String host = endpoint.substring("tcp://".length(), colon).replace("[", "").replace("]", "");
    try {
      int port = Integer.parseInt(endpoint.substring(colon + 1));
      return settings.addressPolicy.allows(AddressPolicy.literal(host, port));
    } catch (IllegalArgumentException notAnAddress) {
      return false;
    }
  }

  void count(EventPlaneCounter counter, long amount) {
    if (amount != 0) {
      counts.add(counter, amount);
    }
  }

  List<EventChannel> channels() {
    return List.copyOf(channels);
  }

  boolean isOwn(EventChannel channel) {
    return publishers.stream().anyMatch(publisher -> publisher.isAnnouncedAs(channel));
  }

  boolean isOwn(EventScope scope, String topic, long publisherId) {
    return publishers.stream().anyMatch(publisher -> publisher.isOf(scope, topic, publisherId));
  }

  void deliver(EventScope scope, String topic, EventEnvelope envelope) {
    PlaneTopic known = topicsBySubject.get(EventSubjects.of(scope, topic));
    if (known != null) {
      known.deliver(envelope);
    }
  }

  void remove(PlanePublisher publisher) {
    publishers.remove(publisher);
    count(EventPlaneCounter.PUBLISH_DROPS, publisher.dropped());
    count(EventPlaneCounter.FULL_SUBSCRIBERS, publisher.fullSubscribers());
    publisher.closeSocket();
  }

  private PlaneTopic topicOf(EventScope scope, String topic) {
    PlaneTopic known =
        topicsBySubject.computeIfAbsent(
            EventSubjects.of(scope, topic), subject -> new PlaneTopic(this, scope, topic));
    topics = List.copyOf(topicsBySubject.values());
    return known;
  }

  /** Takes the directory's changes over to the owner thread. */
  private final class ChannelListener implements EventChannelDirectory.Listener {

    @Override
    public void added(EventChannel channel) {
      if (channel.address().transport().equals("zmq")) {
        loop.execute(
            () -> {
              if (!closed) {
                channels.add(channel);
                topics.forEach(topic -> topic.connect(channel));
              }
            });
      }
    }

    @Override
    public void removed(EventChannel channel) {
      loop.execute(
          () -> {
            channels.remove(channel);
            topics.forEach(topic -> topic.disconnect(channel));
          });
    }
  }
}
