// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.dynamo4j.core.collect.LongObjectMap;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.transport.SequenceWatch;
import io.dynamo4j.wire.EventEnvelopeCodec;
import io.dynamo4j.wire.WireFormatException;
import io.nats.client.Dispatcher;
import io.nats.client.Subscription;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Who subscribes to one subject here, and what is known of its publishers' numbers, which outlives
 * connections: what was published while there was none shows as missed.
 *
 * <p><b>Threads.</b> Subscriptions change on the link's thread; messages come one at a time on a
 * thread of the client, another one after each connection of ours.
 */
final class NatsTopic {
  /** Publishers whose numbers are watched; there can be no end of them. */
  private static final int MAX_WATCHED = 65_536;

  private final NatsEventPlane plane;
  private final String subject;
  private final String topic;
  private final List<NatsSubscription> subscriptions = new CopyOnWriteArrayList<>();
  private final ReentrantLock receiving = new ReentrantLock();
  private final LongObjectMap<SequenceWatch> watches;
  private @Nullable Subscription onServer;

  NatsTopic(NatsEventPlane plane, String subject, String topic) {
    this.plane = plane;
    this.subject = subject;
    this.topic = topic;
    this.watches = LongObjectMap.create(plane.seed());
  }

  /* --------------- On the link's thread --------------- */

  void add(NatsSubscription subscription) {
    subscriptions.add(subscription);
  }

  /** Returns whether nobody is left. */
  boolean remove(NatsSubscription subscription) {
    subscriptions.remove(subscription);
    return subscriptions.isEmpty();
  }

  /** Subscribes on a connection that knows nothing of this topic. */
  void subscribe(Dispatcher dispatcher) {
    onServer = dispatcher.subscribe(subject, message -> received(message.getData()));
  }

  void unsubscribe(Dispatcher dispatcher) {
    Subscription former = onServer;
    onServer = null;
    if (former != null) {
      try {
        dispatcher.unsubscribe(former);
      } catch (IllegalStateException gone) {
        // It went with its connection.
      }
    }
  }

  boolean isSubscribed() {
    return onServer != null;
  }

  /* --------------- On the client's thread --------------- */

  void received(byte[] message) {
    EventEnvelope envelope = decode(message);
    if (envelope == null) {
      return;
    }
    receiving.lock();
    try {
      if (isWanted(envelope)) {
        plane.count(NatsEventCounter.RECEIVED, 1);
        deliver(envelope);
      }
    } finally {
      receiving.unlock();
    }
  }

  private @Nullable EventEnvelope decode(byte[] message) {
    try {
      EventEnvelope envelope = EventEnvelopeCodec.decode(message);
      if (envelope.topic().equals(topic)) {
        return envelope;
      }
      plane.count(NatsEventCounter.OTHER_TOPIC, 1);
    } catch (WireFormatException foreign) {
      plane.count(NatsEventCounter.UNREADABLE, 1);
    }
    return null;
  }

  private boolean isWanted(EventEnvelope envelope) {
    SequenceWatch watch = watches.get(envelope.publisherId());
    if (watch == null) {
      if (watches.size() == MAX_WATCHED) {
        plane.count(NatsEventCounter.UNTRACKED, 1);
        return false;
      }
      watch = SequenceWatch.ofReplacedConnections();
      watches.put(envelope.publisherId(), watch);
    }
    return switch (watch.judge(envelope)) {
      case REPEATED -> {
        plane.count(NatsEventCounter.LATE, 1);
        yield false;
      }
      case RESTARTED -> {
        plane.count(NatsEventCounter.RESTARTS, 1);
        yield true;
      }
      case NEW -> {
        plane.count(NatsEventCounter.MISSED, watch.missed());
        yield true;
      }
    };
  }

  private void deliver(EventEnvelope envelope) {
    for (NatsSubscription subscription : subscriptions) {
      if (!subscription.offer(envelope)) {
        plane.count(NatsEventCounter.SUBSCRIBER_DROPS, 1);
      }
    }
  }
}
