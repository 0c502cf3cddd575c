// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.Cancellable;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.NanoClock;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The contract passes the right plane and catches a planted wrong one of each kind. */
class EventPlaneSelfTest {

  @Test
  void shouldPassTheRightPlaneThroughTheSameMachinery() {
    assertThat(failuresOf(Forwarding::new)).isEmpty();
  }

  @Test
  void shouldCatchHandlingInline() {
    assertThat(failuresOf(Inline::new)).contains("shouldNeverHandleInline");
  }

  @Test
  void shouldCatchEnvelopesOutOfOrder() {
    assertThat(failuresOf(right -> new OverHandler(right, Swapper::new)))
        .contains("shouldDeliverInOrderWithConsecutiveSequences");
  }

  @Test
  void shouldCatchLossWithoutGap() {
    assertThat(failuresOf(right -> new OverHandler(right, Renumberer::new)))
        .contains("shouldDropNewestAndShowItWhenQueueIsFull");
  }

  @Test
  void shouldCatchLossWithoutCount() {
    assertThat(failuresOf(Uncounted::new)).contains("shouldDropNewestAndShowItWhenQueueIsFull");
  }

  @Test
  void shouldCatchScopeMatchedByPrefix() {
    assertThat(failuresOf(WideScope::new)).contains("shouldMatchScopeAndTopicExactly");
  }

  @Test
  void shouldCatchSubscriptionThatStaysOpen() {
    assertThat(failuresOf(Unclosable::new))
        .contains("shouldDeliverNothingAfterSubscriptionIsClosed");
  }

  private static Set<String> failuresOf(UnaryOperator<EventPlane> wrong) {
    return ContractRun.failures(
            EventPlaneContract.class,
            () ->
                new EventPlaneContract() {
                  @Override
                  protected LaneHarness newHarness() {
                    return SimulatedLaneHarness.over(Simulation.builder().seed(4).build());
                  }

                  @Override
                  protected EventPlane newPlane(Environment environment, int queueCapacity) {
                    return wrong.apply(InMemoryEventPlane.create(environment, queueCapacity));
                  }
                })
        .keySet();
  }

  private static class Forwarding implements EventPlane {
    final EventPlane right;

    Forwarding(EventPlane right) {
      this.right = right;
    }

    @Override
    public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
      return right.publisher(scope, topic, publisherId);
    }

    @Override
    public EventSubscription subscribe(
        EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
      return right.subscribe(scope, topic, lane, handler);
    }

    @Override
    public void close() {
      right.close();
    }
  }

  private static final class Inline extends Forwarding {
    Inline(EventPlane right) {
      super(right);
    }

    @Override
    public EventSubscription subscribe(
        EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
      return super.subscribe(scope, topic, new InlineLane(lane), handler);
    }
  }

  private record InlineLane(Scheduler lane) implements Scheduler {
    @Override
    public NanoClock clock() {
      return lane.clock();
    }

    @Override
    public void execute(Runnable task) {
      task.run();
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
      return lane.schedule(task, delayNanos);
    }
  }

  private static final class OverHandler extends Forwarding {
    private final UnaryOperator<Consumer<EventEnvelope>> change;

    OverHandler(EventPlane right, UnaryOperator<Consumer<EventEnvelope>> change) {
      super(right);
      this.change = change;
    }

    @Override
    public EventSubscription subscribe(
        EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
      return super.subscribe(scope, topic, lane, change.apply(handler));
    }
  }

  /** Lets the 6th envelope pass the 5th. */
  private static final class Swapper implements Consumer<EventEnvelope> {
    private final Consumer<EventEnvelope> right;
    private final List<EventEnvelope> kept = new ArrayList<>();
    private int count;

    Swapper(Consumer<EventEnvelope> right) {
      this.right = right;
    }

    @Override
    public void accept(EventEnvelope envelope) {
      if (++count == 5) {
        kept.add(envelope);
        return;
      }
      right.accept(envelope);
      kept.forEach(right);
      kept.clear();
    }
  }

  /** Numbers what arrives, so that a loss leaves no gap. */
  private static final class Renumberer implements Consumer<EventEnvelope> {
    private final Consumer<EventEnvelope> right;
    private long next;

    Renumberer(Consumer<EventEnvelope> right) {
      this.right = right;
    }

    @Override
    public void accept(EventEnvelope e) {
      right.accept(
          EventEnvelope.of(e.publisherId(), next++, e.publishedAtMillis(), e.topic(), e.payload()));
    }
  }

  private static final class Uncounted extends Forwarding {
    Uncounted(EventPlane right) {
      super(right);
    }

    @Override
    public EventSubscription subscribe(
        EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
      return handle(0, super.subscribe(scope, topic, lane, handler)::close);
    }
  }

  private static final class Unclosable extends Forwarding {
    Unclosable(EventPlane right) {
      super(right);
    }

    @Override
    public EventSubscription subscribe(
        EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
      super.subscribe(scope, topic, lane, handler);
      return handle(0, () -> {});
    }
  }

  private static EventSubscription handle(long dropped, Runnable close) {
    return new EventSubscription() {
      @Override
      public long droppedCount() {
        return dropped;
      }

      @Override
      public void close() {
        close.run();
      }
    };
  }

  /** Puts every endpoint of a namespace into one scope. */
  private static final class WideScope extends Forwarding {
    WideScope(EventPlane right) {
      super(right);
    }

    @Override
    public EventPublisher publisher(EventScope scope, String topic, long publisherId) {
      return super.publisher(widened(scope), topic, publisherId);
    }

    @Override
    public EventSubscription subscribe(
        EventScope scope, String topic, Scheduler lane, Consumer<EventEnvelope> handler) {
      return super.subscribe(widened(scope), topic, lane, handler);
    }

    private static EventScope widened(EventScope scope) {
      return scope instanceof EventScope.Endpoint endpoint
          ? new EventScope.Namespace(endpoint.namespace())
          : scope;
    }
  }
}
