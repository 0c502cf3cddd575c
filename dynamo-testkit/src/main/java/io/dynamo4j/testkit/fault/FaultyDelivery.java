// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.fault;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The envelopes of one subscription on their way to its handler.
 *
 * <p>An envelope that is to be lost before idleness is held until its publisher's next arrives,
 * which frees it, or the publisher has been silent for long enough, which destroys it.
 *
 * <p><b>Threads.</b> The subscription's lane; {@link #close} from any thread.
 */
final class FaultyDelivery {
  private final EventFaultPlan plan;
  private final long idleNanos;
  private final BooleanSupplier planeClosed;
  private final Scheduler lane;
  private final Consumer<EventEnvelope> handler;
  private final Map<String, Source> sources = new TreeMap<>();
  private volatile boolean closed;

  FaultyDelivery(
      EventFaultPlan plan,
      long idleNanos,
      BooleanSupplier planeClosed,
      Scheduler lane,
      Consumer<EventEnvelope> handler) {
    this.plan = plan;
    this.idleNanos = idleNanos;
    this.planeClosed = planeClosed;
    this.lane = lane;
    this.handler = handler;
  }

  void arrived(EventEnvelope envelope) {
    Source source =
        sources.computeIfAbsent(Long.toUnsignedString(envelope.publisherId()), id -> new Source());
    source.releaseHeld();
    EventFault fault = plan.faultOf(envelope);
    if (plan.isLostBeforeIdle(envelope)) {
      source.hold(envelope, fault);
    } else {
      source.send(envelope, fault);
    }
  }

  void close() {
    closed = true;
  }

  private void handle(EventEnvelope envelope) {
    if (!closed && !planeClosed.getAsBoolean()) {
      handler.accept(envelope);
    }
  }

  /** What is under way from one publisher. */
  private final class Source {
    private @Nullable EventEnvelope held;
    private EventFault heldFault = EventFault.none();
    private @Nullable Cancellable idleTimer;
    private long notBeforeNanos;
    private int late;

    void hold(EventEnvelope envelope, EventFault fault) {
      held = envelope;
      heldFault = fault;
      idleTimer = lane.schedule(() -> held = null, idleNanos);
    }

    void releaseHeld() {
      EventEnvelope freed = held;
      if (idleTimer != null) {
        idleTimer.cancel();
        idleTimer = null;
      }
      held = null;
      if (freed != null) {
        send(freed, heldFault);
      }
    }

    void send(EventEnvelope envelope, EventFault fault) {
      for (int copy = 0; copy < fault.copies(); copy++) {
        if (fault.overtakable()) {
          lane.schedule(() -> handle(envelope), fault.delayNanos());
        } else {
          sendInOrder(envelope, fault.delayNanos());
        }
      }
    }

    private void sendInOrder(EventEnvelope envelope, long delayNanos) {
      long now = lane.clock().nanoTime();
      if (delayNanos == 0 && late == 0) {
        handle(envelope);
        return;
      }
      long due = now + delayNanos;
      if (late > 0 && due - notBeforeNanos < 0) {
        due = notBeforeNanos;
      }
      notBeforeNanos = due;
      late++;
      lane.schedule(
          () -> {
            late--;
            handle(envelope);
          },
          due - now);
    }
  }
}
