// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.EventChannel;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.Subscription;
import io.dynamo4j.plane.transport.Counts;
import io.dynamo4j.wire.EventSubjects;
import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dynamo's event plane over core NATS: a subject for each scope and topic, an envelope a message.
 *
 * <p>Publishing never waits, whatever becomes of the server: while it is away envelopes wait in a
 * bounded queue, in order. What is published elsewhere meanwhile is missed.
 *
 * <p><b>Loss.</b> Always visible as a gap in the publisher's numbers, and counted in {@link
 * #status}: by whoever lost it, and as {@link NatsEventCounter#MISSED} where the next envelope of
 * that publisher comes. A subscription whose lane falls behind loses the newest, which {@link
 * EventSubscription#droppedCount} counts.
 *
 * <p>A process receives its own envelopes from the server like those of others, in the order in
 * which subscriptions and publications were asked for.
 *
 * <p>Dynamo's routers expect each active-sequence event in an envelope of its own on this plane:
 * set {@code eventsPerMessage(1)} where replicas are synchronized with them.
 *
 * <p><b>Threads.</b> Any. Handlers run on their lanes, never on a thread of the client.
 */
public final class NatsEventPlane implements EventPlane {
  private static final Logger LOG = LoggerFactory.getLogger(NatsEventPlane.class);

  private final NatsEventPlaneBuilder settings;
  private final NatsLink link;
  private final Counts<NatsEventCounter> counts = Counts.of(NatsEventCounter.class);
  private final AtomicLong pendingBytes = new AtomicLong();
  private final AtomicLong formerDrops = new AtomicLong();
  private final List<NatsPublisher> publishers = new CopyOnWriteArrayList<>();
  private final List<NatsSubscription> subscriptions = new CopyOnWriteArrayList<>();
  private final NatsLink.User user = new OnLink();
  private volatile boolean closed;
  private volatile int topicCount;
  private volatile @Nullable DynamoException lastRefusal;
  private volatile @Nullable Dispatcher dispatcher;

  // The link's thread alone.
  private final Map<String, NatsTopic> topics = new TreeMap<>();

  private NatsEventPlane(NatsEventPlaneBuilder settings) {
    this.settings = settings;
    this.link = settings.transport.link();
  }

  /** Starts describing a plane over a transport. */
  public static NatsEventPlaneBuilder builder(NatsTransport transport) {
    return new NatsEventPlaneBuilder(transport);
  }

  static NatsEventPlane open(NatsEventPlaneBuilder settings) {
    NatsEventPlane plane = new NatsEventPlane(settings);
    plane.link.execute(() -> plane.link.join(plane.user));
    return plane;
  }

  /* --------------- Contract --------------- */

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if the topic holds what NATS reads as more than a name
   */
  @Override
  public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
    Objects.requireNonNull(scope, "scope");
    requireName(topic);
    requireOpen();
    NatsPublisher publisher =
        new NatsPublisher(this, scope, topic, publisherId, announce(scope, topic, publisherId));
    publishers.add(publisher);
    if (closed) {
      publisher.close();
    }
    return publisher;
  }

  private @Nullable Subscription announce(EventScope scope, String topic, long publisherId) {
    if (settings.channels == null) {
      return null;
    }
    String subject = EventSubjects.of(scope, topic);
    String prefix = subject.substring(0, subject.length() - topic.length() - 1);
    return settings.channels.register(
        new EventChannel(scope, topic, publisherId, new Address("nats", prefix)));
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if the topic holds what NATS reads as more than a name
   */
  @Override
  public EventSubscription subscribe(
      EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
    Objects.requireNonNull(scope, "scope");
    requireName(topic);
    Objects.requireNonNull(lane, "lane");
    Objects.requireNonNull(handler, "handler");
    requireOpen();
    String subject = EventSubjects.of(scope, topic);
    NatsSubscription subscription =
        new NatsSubscription(
            lane, handler, settings.queueCapacity, closing -> unsubscribe(subject, closing));
    subscriptions.add(subscription);
    link.execute(() -> add(subject, topic, subscription));
    if (closed) {
      subscription.close();
    }
    return subscription;
  }

  private static void requireName(String topic) {
    boolean isName =
        !topic.isEmpty()
            && topic.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '*' && c != '>' && c != '.');
    if (!isName) {
      throw new IllegalArgumentException(
          "topic must be visible ASCII without wildcards and dots: topic=" + topic);
    }
  }

  private void requireOpen() {
    if (isClosed()) {
      throw new DynamoException(ErrorType.CLOSED, "event plane is closed");
    }
  }

  /** Returns what is known now. */
  public NatsEventPlaneStatus status() {
    int pending = 0;
    for (NatsPublisher publisher : publishers) {
      pending += publisher.waiting();
    }
    Map<NatsEventCounter, Long> snapshot = new TreeMap<>(counts.snapshot());
    Dispatcher open = dispatcher;
    long drops = formerDrops.get() + (open == null ? 0 : open.getDroppedCount());
    snapshot.put(NatsEventCounter.SLOW_CONSUMER_DROPS, drops);
    return new NatsEventPlaneStatus(link.status(), topicCount, pending, snapshot, lastRefusal);
  }

  /**
   * Ends all publishers and subscriptions; what was published before is still sent if there is a
   * server. Returns at once, idempotent.
   */
  @Override
  public void close() {
    closed = true;
    publishers.forEach(NatsPublisher::close);
    subscriptions.forEach(NatsSubscription::close);
    link.execute(
        () -> {
          link.leave(user);
          user.ending(link.current());
        });
  }

  boolean isClosed() {
    return closed || link.isEnded();
  }

  /* --------------- For publishers and topics --------------- */

  NatsLink link() {
    return link;
  }

  int queueCapacity() {
    return settings.queueCapacity;
  }

  long seed() {
    return settings.transport.environment().random().split("nats-event-plane").nextLong();
  }

  long nowMillis() {
    return settings.transport.environment().wallClock().millis();
  }

  void count(NatsEventCounter counter, long amount) {
    if (amount != 0) {
      counts.add(counter, amount);
    }
  }

  /** Takes room for a payload, or returns false. */
  boolean reserve(int bytes) {
    if (pendingBytes.addAndGet(bytes) > settings.maxPendingBytes) {
      release(bytes);
      return false;
    }
    return true;
  }

  void release(int bytes) {
    pendingBytes.addAndGet(-bytes);
  }

  void refused(String why) {
    count(NatsEventCounter.OVERSIZED, 1);
    if (lastRefusal == null) {
      LOG.warn("event is not published: {}", why);
    }
    lastRefusal = new DynamoException(ErrorType.INVALID_REQUEST, why);
  }

  void remove(NatsPublisher publisher) {
    publishers.remove(publisher);
  }

  /* --------------- On the link's thread --------------- */

  private void add(String subject, String topic, NatsSubscription subscription) {
    NatsTopic known = topics.computeIfAbsent(subject, name -> new NatsTopic(this, name, topic));
    topicCount = topics.size();
    known.add(subscription);
    Dispatcher open = dispatcher;
    if (open != null && !known.isSubscribed()) {
      known.subscribe(open);
    }
  }

  private void unsubscribe(String subject, NatsSubscription subscription) {
    subscriptions.remove(subscription);
    link.execute(
        () -> {
          NatsTopic known = topics.get(subject);
          if (known != null && known.remove(subscription)) {
            topics.remove(subject);
            topicCount = topics.size();
            Dispatcher open = dispatcher;
            if (open != null) {
              known.unsubscribe(open);
            }
          }
        });
  }

  /** Subscribes on each new connection, to everything that is wanted then. */
  private final class OnLink implements NatsLink.User {

    @Override
    public void connected(Connection connection) {
      Dispatcher former = dispatcher;
      if (former != null) {
        formerDrops.addAndGet(former.getDroppedCount());
      }
      Dispatcher made = connection.createDispatcher();
      made.setPendingLimits(settings.queueCapacity, settings.maxPendingBytes);
      dispatcher = made;
      topics.values().forEach(topic -> topic.subscribe(made));
    }

    @Override
    public void ending(@Nullable Connection connection) {
      closed = true;
      publishers.forEach(NatsPublisher::close);
      subscriptions.forEach(NatsSubscription::close);
      Dispatcher last = dispatcher;
      if (last != null && connection != null) {
        closeDispatcher(connection, last);
      }
      topics.clear();
      topicCount = 0;
    }

    private void closeDispatcher(Connection connection, Dispatcher last) {
      try {
        connection.closeDispatcher(last);
      } catch (IllegalStateException | IllegalArgumentException gone) {
        // It went with its connection.
      }
    }
  }
}
