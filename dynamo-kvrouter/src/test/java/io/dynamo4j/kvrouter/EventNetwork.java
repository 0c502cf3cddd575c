// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/** An event plane between nodes: every message takes a while, and may be lost, doubled or late. */
final class EventNetwork {
  final long delayNanos;
  private final Simulation simulation;
  private final RandomSource random;
  private final List<Receiver> receivers = new ArrayList<>();
  private double loss;
  private double doubling;
  private long maxLatenessNanos;
  long delivered;
  long lost;
  long doubled;

  EventNetwork(Simulation simulation, long delayNanos) {
    this.simulation = simulation;
    this.delayNanos = delayNanos;
    this.random = simulation.random("network");
  }

  private record Receiver(
      String node,
      EventScope scope,
      String topic,
      Scheduler lane,
      Consumer<EventEnvelope> handler) {}

  /** From now on messages are lost and doubled by chance, and late by up to so much. */
  void disturb(double lossRate, double doublingRate, long latenessNanos) {
    loss = lossRate;
    doubling = doublingRate;
    maxLatenessNanos = latenessNanos;
  }

  void calm() {
    disturb(0, 0, 0);
  }

  EventPlane plane(String node) {
    return new Plane(node);
  }

  private void send(EventScope scope, EventEnvelope envelope) {
    for (Receiver receiver : List.copyOf(receivers)) {
      if (receiver.scope().equals(scope) && receiver.topic().equals(envelope.topic())) {
        send(receiver, envelope);
      }
    }
  }

  private void send(Receiver receiver, EventEnvelope envelope) {
    if (random.nextDouble() < loss) {
      lost++;
      return;
    }
    deliver(receiver, envelope);
    if (random.nextDouble() < doubling) {
      doubled++;
      deliver(receiver, envelope);
    }
  }

  private void deliver(Receiver receiver, EventEnvelope envelope) {
    long lateness = (long) (random.nextDouble() * maxLatenessNanos);
    try {
      receiver
          .lane()
          .schedule(
              () -> {
                if (receivers.contains(receiver)) {
                  delivered++;
                  receiver.handler().accept(envelope);
                }
              },
              delayNanos + lateness);
    } catch (RejectedExecutionException crashed) {
      receivers.remove(receiver);
    }
  }

  private final class Plane implements EventPlane {
    private final String node;

    Plane(String node) {
      this.node = node;
    }

    @Override
    public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
      return new EventPublisher() {
        private long sequence;

        @Override
        public long publish(byte[] payload) {
          long now = simulation.nowNanos() / 1_000_000;
          send(scope, EventEnvelope.of(publisherId, sequence, now, topic, payload));
          return sequence++;
        }

        @Override
        public void close() {
          // Nothing is held.
        }
      };
    }

    @Override
    public EventSubscription subscribe(
        EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
      Receiver receiver = new Receiver(node, scope, topic, lane, handler);
      receivers.add(receiver);
      return new EventSubscription() {
        @Override
        public long droppedCount() {
          return 0;
        }

        @Override
        public void close() {
          receivers.remove(receiver);
        }
      };
    }

    @Override
    public void close() {
      receivers.removeIf(receiver -> receiver.node().equals(node));
    }
  }
}
