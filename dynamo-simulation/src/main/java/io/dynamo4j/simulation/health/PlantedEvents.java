// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.health;

import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Delivers late, and what the plan spoils spoiled. */
final class PlantedEvents implements EventPlane {
  private static final byte[] GARBAGE = "no events".getBytes(StandardCharsets.UTF_8);

  private static final long HOUR_MILLIS = 3_600_000;

  private final EventPlane plane;
  private final Plan plan;
  private final long delayNanos;
  private int count;

  PlantedEvents(EventPlane plane, Plan plan, long delayNanos) {
    this.plane = plane;
    this.plan = plan;
    this.delayNanos = delayNanos;
  }

  @Override
  public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
    return plane.publisher(scope, topic, publisherId);
  }

  @Override
  public EventSubscription subscribe(
      EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
    EventScope heard =
        plan.is(HealthPlant.OTHER_SCOPE) || plan.is(HealthPlant.ALONE)
            ? new EventScope.Endpoint("dynamo", "backend", "other")
            : scope;
    return plane.subscribe(
        plan.is(HealthPlant.ALONE) && topic.startsWith("kv-event") ? scope : heard,
        topic,
        lane,
        envelope -> deliver(envelope, lane, handler));
  }

  private void deliver(EventEnvelope envelope, Scheduler lane, Consumer<EventEnvelope> handler) {
    if (!isLost(envelope)) {
      EventEnvelope delivered =
          isSpoiled(envelope) ? with(envelope, 0, GARBAGE) : stampedByItsClock(envelope);
      lane.schedule(() -> handler.accept(delivered), delayNanos);
    }
  }

  private boolean isLost(EventEnvelope envelope) {
    if (!WatchedWorker.isWorkers(envelope.publisherId())) {
      return false;
    }
    int worker = WatchedWorker.positionOf(envelope.publisherId());
    return plan.is(HealthPlant.MUTE_WORKER, worker)
        || (plan.is(HealthPlant.MUTE_RANK, worker)
            && WatchedWorker.dpRankOf(envelope.publisherId()) == 0)
        || ((plan.is(HealthPlant.ORPHANS, worker) || plan.is(HealthPlant.NO_RECOVERY, worker))
            && count++ % 2 == 0);
  }

  private boolean isSpoiled(EventEnvelope envelope) {
    return envelope.topic().equals("kv-events")
        && WatchedWorker.isWorkers(envelope.publisherId())
        && plan.is(HealthPlant.GARBAGE, WatchedWorker.positionOf(envelope.publisherId()))
        && count++ % 3 == 0;
  }

  private EventEnvelope stampedByItsClock(EventEnvelope envelope) {
    if (!WatchedWorker.isWorkers(envelope.publisherId())) {
      return envelope;
    }
    int worker = WatchedWorker.positionOf(envelope.publisherId());
    long ahead =
        plan.is(HealthPlant.CLOCK_AHEAD, worker)
            ? HOUR_MILLIS
            : plan.is(HealthPlant.CLOCK_BEHIND, worker) ? -HOUR_MILLIS : 0;
    return ahead == 0 ? envelope : with(envelope, ahead, envelope.payload());
  }

  private static EventEnvelope with(EventEnvelope envelope, long aheadMillis, byte[] payload) {
    return EventEnvelope.of(
        envelope.publisherId(),
        envelope.sequence(),
        envelope.publishedAtMillis() + aheadMillis,
        envelope.topic(),
        payload);
  }

  @Override
  public void close() {
    plane.close();
  }
}
