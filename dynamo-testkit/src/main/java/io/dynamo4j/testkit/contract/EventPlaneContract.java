// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.plane.EventEnvelope;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.EventSubscription;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What every {@link EventPlane} must do. Each test makes its own lanes and plane. */
public abstract class EventPlaneContract {
  private static final EventScope SCOPE = new EventScope.Endpoint("ns", "worker", "generate");
  private static final String TOPIC = "kv-events";

  /** Returns fresh lanes; closed by the test. */
  protected abstract LaneHarness newHarness();

  /**
   * Returns a fresh plane; closed by the test.
   *
   * @param queueCapacity envelopes that wait for one subscription at most
   */
  protected abstract EventPlane newPlane(Environment environment, int queueCapacity);

  /** Returns how long the plane may take to do something that it should not; default 5 ms. */
  protected long settleNanos() {
    return 5_000_000;
  }

  private Run run() {
    return new Run(1_000_000);
  }

  // delivery

  @Test
  public void shouldDeliverInOrderWithConsecutiveSequences() {
    try (Run run = run()) {
      EventProbe probe = run.subscribe(SCOPE, TOPIC);
      EventPublisher publisher = run.plane.publisher(SCOPE, TOPIC, -3);
      for (long i = 0; i < 500; i++) {
        assertThat(publisher.publish(bytes("e" + i))).isEqualTo(i);
      }
      run.await(probe.received(500));
      assertThat(probe.sequences(-3)).isEqualTo(upTo(500));
      assertThat(probe.texts()).startsWith("e0", "e1").endsWith("e498", "e499");
    }
  }

  @Test
  public void shouldDescribeEnvelopeAsPublished() {
    try (Run run = run()) {
      EventProbe probe = run.subscribe(SCOPE, TOPIC);
      run.plane.publisher(SCOPE, TOPIC, Long.MIN_VALUE).publish(bytes("x"));
      run.await(probe.received(1));
      EventEnvelope envelope = probe.envelopes().get(0);
      assertThat(envelope.publisherId()).isEqualTo(Long.MIN_VALUE);
      assertThat(envelope.topic()).isEqualTo(TOPIC);
      assertThat(envelope.publishedAtMillis()).isZero();
      assertThat(envelope.payload()).isEqualTo(bytes("x"));
    }
  }

  @Test
  public void shouldDeliverToEverySubscription() {
    try (Run run = run()) {
      EventProbe first = run.subscribe(SCOPE, TOPIC);
      EventProbe second = run.subscribe(SCOPE, TOPIC);
      EventPublisher publisher = run.plane.publisher(SCOPE, TOPIC, 1);
      publisher.publish(bytes("a"));
      publisher.publish(bytes("b"));
      run.await(first.received(2));
      run.await(second.received(2));
      assertThat(first.texts()).containsExactly("a", "b");
      assertThat(second.texts()).containsExactly("a", "b");
    }
  }

  @Test
  public void shouldKeepEachPublishersOrderOnOneTopic() {
    try (Run run = run()) {
      EventProbe probe = run.subscribe(SCOPE, TOPIC);
      EventPublisher one = run.plane.publisher(SCOPE, TOPIC, 1);
      EventPublisher two = run.plane.publisher(SCOPE, TOPIC, 2);
      for (int i = 0; i < 50; i++) {
        one.publish(bytes("1"));
        two.publish(bytes("2"));
      }
      run.await(probe.received(100));
      assertThat(probe.sequences(1)).isEqualTo(upTo(50));
      assertThat(probe.sequences(2)).isEqualTo(upTo(50));
    }
  }

  @Test
  public void shouldMatchScopeAndTopicExactly() {
    List<EventScope> scopes =
        List.of(
            new EventScope.Namespace("a"),
            new EventScope.Namespace("ab"),
            new EventScope.Component("a", "b"),
            new EventScope.Component("ab", "b"),
            new EventScope.Component("a", "bc"),
            new EventScope.Endpoint("a", "b", "c"),
            new EventScope.Endpoint("a", "b", "cd"),
            new EventScope.Endpoint("a", "bc", "c"));
    List<String> topics = List.of("t", "tt");
    try (Run run = run()) {
      List<EventProbe> probes = new ArrayList<>();
      List<String> expected = new ArrayList<>();
      for (EventScope scope : scopes) {
        for (String topic : topics) {
          probes.add(run.subscribe(scope, topic));
          expected.add(scope + topic);
        }
      }
      for (EventScope scope : scopes) {
        for (String topic : topics) {
          run.plane.publisher(scope, topic, 1).publish(bytes(scope + topic));
        }
      }
      for (int i = 0; i < probes.size(); i++) {
        run.await(probes.get(i).received(1));
      }
      run.settle();
      for (int i = 0; i < probes.size(); i++) {
        assertThat(probes.get(i).texts()).containsExactly(expected.get(i));
      }
    }
  }

  @Test
  public void shouldDeliverNothingPublishedBeforeSubscription() {
    try (Run run = run()) {
      EventPublisher publisher = run.plane.publisher(SCOPE, TOPIC, 1);
      assertThat(publisher.publish(bytes("early"))).isZero();
      run.settle();
      EventProbe probe = run.subscribe(SCOPE, TOPIC);
      publisher.publish(bytes("late"));
      run.await(probe.received(1));
      run.settle();
      assertThat(probe.texts()).containsExactly("late");
      assertThat(probe.sequences(1)).containsExactly(1L);
    }
  }

  @Test
  public void shouldNeverHandleInline() {
    try (Run run = run()) {
      EventProbe probe = run.subscribe(SCOPE, TOPIC);
      EventPublisher publisher = run.plane.publisher(SCOPE, TOPIC, 1);
      probe.lane.execute(() -> probe.call(() -> publisher.publish(bytes("from its lane"))));
      run.await(probe.received(1));
      probe.call(() -> publisher.publish(bytes("from outside")));
      run.await(probe.received(2));
    }
  }

  @Test
  public void shouldKeepSequenceOrderWhenSeveralLanesPublish() {
    int lanes = 4;
    int all = lanes * 250;
    try (Run run = run()) {
      EventProbe probe = run.subscribe(SCOPE, TOPIC);
      EventPublisher publisher = run.plane.publisher(SCOPE, TOPIC, 1);
      for (int i = 0; i < lanes; i++) {
        Scheduler lane = run.harness.lanes().lane("publisher-" + i);
        for (int j = 0; j < all / lanes; j++) {
          lane.execute(() -> publisher.publish(bytes("x")));
        }
      }
      run.await(probe.received(all));
      assertThat(probe.sequences(1)).isEqualTo(upTo(all));
    }
  }

  // loss

  @Test
  public void shouldDropNewestAndShowItWhenQueueIsFull() {
    try (Run run = new Run(4)) {
      EventProbe slow = run.probe();
      EventSubscription subscription = run.plane.subscribe(SCOPE, TOPIC, slow.lane, slow);
      EventProbe quick = run.subscribe(SCOPE, TOPIC);
      EventPublisher publisher = run.plane.publisher(SCOPE, TOPIC, 1);
      slow.lane.hold();
      for (int i = 0; i < 10; i++) {
        publisher.publish(bytes("e" + i));
        run.await(quick.received(i + 1));
      }
      slow.lane.release();
      run.await(slow.received(4));
      publisher.publish(bytes("after"));
      run.await(slow.received(5));
      assertThat(slow.sequences(1)).containsExactly(0L, 1L, 2L, 3L, 10L);
      assertThat(subscription.droppedCount()).isEqualTo(6);
      run.await(quick.received(11));
      assertThat(quick.sequences(1)).isEqualTo(upTo(11));
    }
  }

  @Test
  public void shouldLoseOneEnvelopeOnlyWhenHandlerThrows() {
    try (Run run = run()) {
      EventProbe probe = run.probe().throwAt(2);
      run.plane.subscribe(SCOPE, TOPIC, probe.lane, probe);
      EventPublisher publisher = run.plane.publisher(SCOPE, TOPIC, 1);
      for (int i = 0; i < 5; i++) {
        publisher.publish(bytes("e" + i));
      }
      run.await(probe.received(5));
      assertThat(probe.sequences(1)).isEqualTo(upTo(5));
      assertThat(probe.lane.failures()).hasSize(1);
    }
  }

  // end

  @Test
  public void shouldDeliverNothingAfterSubscriptionIsClosed() {
    try (Run run = run()) {
      EventProbe probe = run.probe();
      EventSubscription subscription = run.plane.subscribe(SCOPE, TOPIC, probe.lane, probe);
      EventProbe other = run.subscribe(SCOPE, TOPIC);
      EventPublisher publisher = run.plane.publisher(SCOPE, TOPIC, 1);
      probe.onReceive(subscription::close);
      for (int i = 0; i < 5; i++) {
        publisher.publish(bytes("e" + i));
      }
      run.await(other.received(5));
      run.settle();
      assertThat(probe.texts()).containsExactly("e0");
      subscription.close();
    }
  }

  @Test
  public void shouldRefuseToPublishAfterPublisherIsClosed() {
    try (Run run = run()) {
      EventProbe probe = run.subscribe(SCOPE, TOPIC);
      EventPublisher one = run.plane.publisher(SCOPE, TOPIC, 1);
      EventPublisher two = run.plane.publisher(SCOPE, TOPIC, 2);
      one.publish(bytes("sent before"));
      one.close();
      one.close();
      assertClosed(() -> one.publish(bytes("x")));
      two.publish(bytes("still open"));
      run.await(probe.received(2));
      assertThat(probe.texts()).containsExactlyInAnyOrder("sent before", "still open");
    }
  }

  @Test
  public void shouldStartNewPublisherAtZero() {
    try (Run run = run()) {
      EventProbe probe = run.subscribe(SCOPE, TOPIC);
      EventPublisher first = run.plane.publisher(SCOPE, TOPIC, 1);
      first.publish(bytes("a"));
      first.close();
      assertThat(run.plane.publisher(SCOPE, TOPIC, 1).publish(bytes("b"))).isZero();
      run.await(probe.received(2));
      assertThat(probe.texts()).containsExactly("a", "b");
    }
  }

  @Test
  public void shouldEndEverythingWhenPlaneIsClosed() {
    try (Run run = run()) {
      EventProbe probe = run.subscribe(SCOPE, TOPIC);
      EventPublisher publisher = run.plane.publisher(SCOPE, TOPIC, 1);
      publisher.publish(bytes("a"));
      run.await(probe.received(1));
      run.plane.close();
      run.plane.close();
      assertClosed(() -> publisher.publish(bytes("b")));
      assertClosed(() -> run.plane.publisher(SCOPE, TOPIC, 2));
      assertClosed(() -> run.plane.subscribe(SCOPE, TOPIC, probe.lane, probe));
      run.settle();
      assertThat(probe.texts()).containsExactly("a");
    }
  }

  private static void assertClosed(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            DynamoException.class, e -> assertThat(e.errorType()).isEqualTo(ErrorType.CLOSED));
  }

  private static long[] upTo(long count) {
    return LongStream.range(0, count).toArray();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Lanes, a plane, and probes whose breaches fail the test at the end. */
  private final class Run implements AutoCloseable {
    final LaneHarness harness = newHarness();
    final EventPlane plane;
    private final List<EventProbe> probes = new ArrayList<>();

    Run(int queueCapacity) {
      plane = newPlane(RequestPlaneRun.environment(harness), queueCapacity);
    }

    EventProbe probe() {
      EventProbe probe =
          new EventProbe(ProbeLane.over(harness.lanes().lane("subscriber-" + probes.size())));
      probes.add(probe);
      return probe;
    }

    EventProbe subscribe(EventScope scope, String topic) {
      EventProbe probe = probe();
      plane.subscribe(scope, topic, probe.lane, probe);
      return probe;
    }

    void await(CompletionStage<?> stage) {
      harness.await(stage);
    }

    void settle() {
      RequestPlaneRun.settle(harness, harness.lanes().lane("settle"), settleNanos());
      for (EventProbe probe : probes) {
        CompletableFuture<Void> ran = new CompletableFuture<>();
        probe.lane.execute(() -> ran.complete(null));
        await(ran);
      }
    }

    @Override
    public void close() {
      try {
        for (EventProbe probe : probes) {
          assertThat(probe.violations()).as("breaches").isEmpty();
        }
      } finally {
        plane.close();
        harness.close();
      }
    }
  }
}
