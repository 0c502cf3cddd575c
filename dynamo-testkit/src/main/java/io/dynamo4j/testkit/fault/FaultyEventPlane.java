// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.fault;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * An event plane that loses, repeats, delays or reorders envelopes on their way to a subscription,
 * as a plan says. What it loses shows as a gap in the publisher's sequence, or, where the envelope
 * was the last before silence, not at all.
 */
public final class FaultyEventPlane implements EventPlane {
  /** How long a publisher must be silent for its last envelope to count as one before idleness. */
  public static final long DEFAULT_IDLE_NANOS = 100_000_000;

  private final EventPlane plane;
  private final EventFaultPlan plan;
  private final long idleNanos;
  private volatile boolean closed;

  private FaultyEventPlane(EventPlane plane, EventFaultPlan plan, long idleNanos) {
    this.plane = Objects.requireNonNull(plane, "plane");
    this.plan = Objects.requireNonNull(plan, "plan");
    this.idleNanos = idleNanos;
  }

  /** Puts faults before a plane, which stays the caller's until this one is closed. */
  public static FaultyEventPlane over(EventPlane plane, EventFaultPlan plan) {
    return over(plane, plan, DEFAULT_IDLE_NANOS);
  }

  /**
   * Puts faults before a plane.
   *
   * @param idleNanos how long a publisher must be silent to count as idle
   */
  public static FaultyEventPlane over(EventPlane plane, EventFaultPlan plan, long idleNanos) {
    if (idleNanos < 1) {
      throw new IllegalArgumentException("idleNanos must be positive: idleNanos=" + idleNanos);
    }
    return new FaultyEventPlane(plane, plan, idleNanos);
  }

  @Override
  public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
    return plane.publisher(scope, topic, publisherId);
  }

  @Override
  public EventSubscription subscribe(
      EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
    FaultyDelivery delivery = new FaultyDelivery(plan, idleNanos, () -> closed, lane, handler);
    EventSubscription subscription = plane.subscribe(scope, topic, lane, delivery::arrived);
    return new EventSubscription() {
      @Override
      public long droppedCount() {
        return subscription.droppedCount();
      }

      @Override
      public void close() {
        delivery.close();
        subscription.close();
      }
    };
  }

  @Override
  public void close() {
    closed = true;
    plane.close();
  }
}
