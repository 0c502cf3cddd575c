// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.wire.ActiveSequenceCodec;
import io.dynamo4j.wire.RouterLeaseCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A router's place on an event plane: both topics, published to and subscribed to, or neither. A
 * plane that cannot be joined, or throws as it sends, may be down for a while: the router routes
 * without it meanwhile and tries again.
 *
 * <p><b>Threads.</b> One call at a time, but {@link #stopListening} and {@link #isOpen} from
 * anywhere.
 */
final class ReplicaLink {
  /** Returned for a message that was not sent. */
  static final long UNSENT = -1;

  private static final Logger LOG = LoggerFactory.getLogger(ReplicaSync.class);

  private final ReplicaSyncOptions options;
  private final Consumer<EventEnvelope> onEvents;
  private final Consumer<EventEnvelope> onLease;
  private final AtomicReference<@Nullable Joined> joined = new AtomicReference<>();
  private volatile boolean closed;
  private boolean hasFailed;

  /** What the plane gave; some of it while joining fails half way. */
  private static final class Joined {
    final List<AutoCloseable> subscriptions = new ArrayList<>();
    final List<AutoCloseable> publishers = new ArrayList<>();
    @Nullable EventPublisher events;
    @Nullable EventPublisher leases;
  }

  ReplicaLink(
      ReplicaSyncOptions options,
      Consumer<EventEnvelope> onEvents,
      Consumer<EventEnvelope> onLease) {
    this.options = options;
    this.onEvents = onEvents;
    this.onLease = onLease;
  }

  boolean isOpen() {
    return joined.get() != null;
  }

  /** Joins the plane unless it is joined; a failure is logged once until it is over. */
  void open() {
    if (isOpen() || closed) {
      return;
    }
    Joined fresh = new Joined();
    try {
      join(fresh);
    } catch (Throwable refused) {
      leave(fresh.subscriptions);
      leave(fresh.publishers);
      if (!hasFailed) {
        LOG.warn("event plane cannot be joined, tried again from now on", refused);
      }
      hasFailed = true;
      return;
    }
    joined.set(fresh);
    if (hasFailed) {
      LOG.info("over: event plane cannot be joined");
    }
    hasFailed = false;
    if (closed) {
      close(); // It came between the first look and the set.
    }
  }

  private void join(Joined fresh) {
    EventPlane plane = options.plane();
    EventScope scope = options.scope();
    fresh.events = plane.publisher(scope, ActiveSequenceCodec.TOPIC, options.publisherId());
    fresh.publishers.add(fresh.events);
    fresh.leases = plane.publisher(scope, RouterLeaseCodec.TOPIC, options.publisherId());
    fresh.publishers.add(fresh.leases);
    fresh.subscriptions.add(
        plane.subscribe(scope, ActiveSequenceCodec.TOPIC, options.lane(), onEvents));
    fresh.subscriptions.add(
        plane.subscribe(scope, RouterLeaseCodec.TOPIC, options.lane(), onLease));
  }

  /** Sends bookings; returns the message's number, or {@link #UNSENT}. */
  long publish(byte[] payload) {
    Joined now = joined.get();
    return now == null ? UNSENT : publish(now.events, payload);
  }

  /** Sends a word between routers; returns the message's number, or {@link #UNSENT}. */
  long send(byte[] payload) {
    Joined now = joined.get();
    return now == null ? UNSENT : publish(now.leases, payload);
  }

  private static long publish(@Nullable EventPublisher publisher, byte[] payload) {
    try {
      return publisher == null ? UNSENT : publisher.publish(payload);
    } catch (Throwable unsent) {
      return UNSENT;
    }
  }

  /** Hears nothing more and joins no more; what is sent is still sent. */
  void stopListening() {
    closed = true;
    Joined now = joined.get();
    if (now != null) {
      leave(now.subscriptions);
    }
  }

  /** Leaves the plane for good. */
  void close() {
    stopListening();
    Joined last = joined.getAndSet(null);
    if (last != null) {
      leave(last.publishers);
    }
  }

  private static void leave(List<AutoCloseable> parts) {
    for (AutoCloseable part : parts) {
      try {
        part.close();
      } catch (Throwable failure) {
        LOG.warn("event plane cannot be left in order", failure);
      }
    }
  }
}
