// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FaultyEventPlaneTest {
  private static final long MILLI = 1_000_000;
  private static final EventScope SCOPE = new EventScope.Endpoint("ns", "comp", "ep");

  private final Simulation simulation = Simulation.builder().seed(5).build();
  private final List<Long> seen = new ArrayList<>();

  private EventPlane plane(EventFaultPlan plan) {
    return FaultyEventPlane.over(
        InMemoryEventPlane.create(simulation.environment("bus")), plan, 10 * MILLI);
  }

  /** Publishes sequences 0, 1, … a millisecond apart. */
  private void publish(EventPublisher publisher, int count) {
    Scheduler lane = simulation.node("worker").lane("publisher");
    for (int i = 0; i < count; i++) {
      lane.schedule(() -> publisher.publish(new byte[] {1}), i * MILLI);
    }
  }

  private void run(EventFaultPlan plan, int count) {
    EventPlane plane = plane(plan);
    subscribe(plane);
    publish(plane.publisher(SCOPE, "topic", 1), count);
    simulation.run();
  }

  private AutoCloseable subscribe(EventPlane plane) {
    return plane.subscribe(
        SCOPE,
        "topic",
        simulation.node("router").lane("feed"),
        envelope -> seen.add(envelope.sequence()));
  }

  private static EventFaultPlan at(long sequence, EventFault fault) {
    return envelope -> envelope.sequence() == sequence ? fault : EventFault.none();
  }

  @Test
  void shouldChangeNothingWhenThereIsNoFault() {
    run(envelope -> EventFault.none(), 4);
    assertThat(seen).containsExactly(0L, 1L, 2L, 3L);
  }

  @Test
  void shouldLeaveAGapWhenEnvelopeIsLost() {
    run(at(1, EventFault.lost()), 4);
    assertThat(seen).containsExactly(0L, 2L, 3L);
  }

  @Test
  void shouldDeliverTwiceWhenDuplicated() {
    run(at(1, EventFault.duplicated()), 3);
    assertThat(seen).containsExactly(0L, 1L, 1L, 2L);
  }

  @Test
  void shouldHoldBackLaterEnvelopesWhenOneIsDelayed() {
    run(at(1, EventFault.delayed(5 * MILLI)), 4);
    assertThat(seen).containsExactly(0L, 1L, 2L, 3L);
    assertThat(simulation.nowNanos()).isEqualTo(6 * MILLI);
  }

  @Test
  void shouldNotHoldBackOtherPublishersWhenOneIsDelayed() {
    EventPlane plane =
        plane(
            envelope ->
                envelope.publisherId() == 1 ? EventFault.delayed(50 * MILLI) : EventFault.none());
    List<Long> publishers = new ArrayList<>();
    var unused =
        plane.subscribe(
            SCOPE,
            "topic",
            simulation.node("router").lane("feed"),
            envelope -> publishers.add(envelope.publisherId()));
    publish(plane.publisher(SCOPE, "topic", 1), 1);
    publish(plane.publisher(SCOPE, "topic", 2), 1);
    simulation.run();
    assertThat(publishers).containsExactly(2L, 1L);
  }

  @Test
  void shouldLetLaterEnvelopesPassWhenOneIsOvertaken() {
    run(at(1, EventFault.overtaken(5 * MILLI)), 4);
    assertThat(seen).containsExactly(0L, 2L, 3L, 1L);
  }

  @Test
  void shouldLoseExactlyTheLastEnvelopeBeforeIdleness() {
    EventFaultPlan plan =
        new EventFaultPlan() {
          @Override
          public EventFault faultOf(EventEnvelope envelope) {
            return EventFault.none();
          }

          @Override
          public boolean isLostBeforeIdle(EventEnvelope envelope) {
            return true;
          }
        };
    EventPlane plane = plane(plan);
    subscribe(plane);
    EventPublisher publisher = plane.publisher(SCOPE, "topic", 1);
    publish(publisher, 3);
    simulation.run();
    assertThat(seen).containsExactly(0L, 1L);
    publish(publisher, 2);
    simulation.run();
    assertThat(seen).containsExactly(0L, 1L, 3L);
  }

  @Test
  void shouldDeliverNothingMoreWhenSubscriptionOrPlaneIsClosed() throws Exception {
    EventPlane plane = plane(envelope -> EventFault.delayed(5 * MILLI));
    AutoCloseable subscription = subscribe(plane);
    publish(plane.publisher(SCOPE, "topic", 1), 3);
    simulation.runFor(2 * MILLI);
    subscription.close();
    simulation.run();
    assertThat(seen).isEmpty();

    subscribe(plane);
    publish(plane.publisher(SCOPE, "topic", 2), 3);
    simulation.runFor(2 * MILLI);
    plane.close();
    assertThat(simulation.pendingTaskCount()).isPositive();
    assertThat(seen).isEmpty();
  }

  @Test
  void shouldDrawEachKindAboutAsOftenAsToldTo() {
    RandomEventFaults plan =
        RandomEventFaults.builder(RandomSource.seeded(9))
            .loss(0.1)
            .duplication(0.2)
            .delay(0.1)
            .reorder(0.1)
            .lossBeforeIdle(0.5)
            .maxDelayNanos(1000)
            .build();
    TreeMap<String, Integer> kinds = new TreeMap<>();
    for (int i = 0; i < 4000; i++) {
      EventEnvelope envelope = EventEnvelope.of(3, i, 0, "topic", new byte[0]);
      EventFault fault = plan.faultOf(envelope);
      assertThat(plan.faultOf(envelope)).isEqualTo(fault);
      kinds.merge(kindOf(fault), 1, Integer::sum);
      kinds.merge("idle " + plan.isLostBeforeIdle(envelope), 1, Integer::sum);
    }
    assertThat(kinds.get("lost")).isBetween(320, 480);
    assertThat(kinds.get("duplicated")).isBetween(700, 900);
    assertThat(kinds.get("delayed")).isBetween(320, 480);
    assertThat(kinds.get("overtaken")).isBetween(320, 480);
    assertThat(kinds.get("idle true")).isBetween(1850, 2150);
  }

  private static String kindOf(EventFault fault) {
    if (fault.copies() != 1) {
      return fault.copies() == 0 ? "lost" : "duplicated";
    }
    return fault.overtakable() ? "overtaken" : fault.delayNanos() > 0 ? "delayed" : "none";
  }

  @Test
  void shouldRejectImpossibleSettings() {
    var builder = RandomEventFaults.builder(RandomSource.seeded(1));
    assertThatThrownBy(() -> builder.loss(-0.1)).hasMessageContaining("loss=-0.1");
    builder.loss(0.6).duplication(0.6);
    assertThatThrownBy(builder::build).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new EventFault(-1, 0, false))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.maxDelayNanos(0)).hasMessageContaining("nanos=0");
  }
}
