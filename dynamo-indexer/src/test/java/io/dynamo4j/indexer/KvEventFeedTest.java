// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import static io.dynamo4j.indexer.IndexerFixture.event;
import static io.dynamo4j.indexer.IndexerFixture.instance;
import static io.dynamo4j.indexer.IndexerFixture.remove;
import static io.dynamo4j.indexer.IndexerFixture.scores;
import static io.dynamo4j.indexer.IndexerFixture.store;
import static io.dynamo4j.indexer.IndexerFixture.storeUnder;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Mode;
import io.dynamo4j.testkit.simulation.Simulation;
import io.dynamo4j.wire.RouterEventCodec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KvEventFeedTest {
  private static final EventScope SCOPE = new EventScope.Endpoint("ns", "backend", "generate");
  private static final WorkerWithDpRank W1 = WorkerWithDpRank.of(1);
  private static final long PUBLISHER = 70;
  private static final long OTHER_PUBLISHER = 71;

  private Simulation simulation = Simulation.builder().seed(1).build();
  private ScriptedEventPlane plane = new ScriptedEventPlane();
  private InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private KvIndexer indexer = index(simulation.environment("router"));
  private KvEventFeed feed = connect();

  @BeforeEach
  void start() {
    simulation = Simulation.builder().seed(1).build();
    plane = new ScriptedEventPlane();
    directory = InMemoryWorkerDirectory.create();
    indexer = index(simulation.environment("router"));
    feed = connect();
  }

  private KvEventFeed connect() {
    return KvEventFeed.connect(plane, SCOPE, directory, indexer, simulation.environment("router"));
  }

  private static KvIndexer index(Environment environment) {
    return KvIndexer.builder().environment(environment).blockSize(16).build();
  }

  private void settle() {
    simulation.runFor(1_000_000);
  }

  private void waitOutHold() {
    simulation.runFor(2 * KvEventFeed.HOLD_NANOS);
  }

  private long count(FeedCounter counter) {
    return feed.status().count(counter);
  }

  /* --------------- Membership --------------- */

  @Test
  void shouldApplyEventsOfARegisteredWorker() {
    directory.register(instance(1, 1));
    plane.deliver(PUBLISHER, 0, store(1, 5, 6));
    plane.deliver(PUBLISHER, 1, remove(1, 6));
    settle();

    assertThat(scores(indexer, 5, 6)).isEqualTo(Map.of(W1, 1));
    assertThat(count(FeedCounter.SUBMITTED_EVENTS)).isEqualTo(2);
    assertThat(feed.status().overrunEnvelopes()).isEqualTo(3);
  }

  @Test
  void shouldForgetAWorkerThatIsUnregistered() {
    directory.register(instance(1, 1));
    directory.register(instance(2, 1));
    plane.deliver(PUBLISHER, 0, store(1, 5));
    plane.deliver(OTHER_PUBLISHER, 0, store(2, 5));
    settle();
    directory.unregister(1);
    settle();

    assertThat(scores(indexer, 5)).isEqualTo(Map.of(WorkerWithDpRank.of(2), 1));
  }

  @Test
  void shouldForgetAWorkerThatIsReplaced() {
    directory.register(instance(1, 1));
    plane.deliver(PUBLISHER, 0, store(1, 5));
    settle();
    directory.register(instance(1, 2));
    settle();

    assertThat(scores(indexer, 5)).isEmpty();
  }

  @Test
  void shouldKeepBlocksWhenOnlyTheRecordChanges() {
    directory.register(instance(1, 1));
    plane.deliver(PUBLISHER, 0, store(1, 5));
    settle();
    directory.register(instance(1, 1));
    plane.deliver(PUBLISHER, 1, storeUnder(1, 5, 6));
    settle();

    assertThat(scores(indexer, 5, 6)).isEqualTo(Map.of(W1, 2));
  }

  @Test
  void shouldDropLateEventsOfALifeThatIsOver() {
    directory.register(instance(1, 1));
    plane.deliver(PUBLISHER, 0, store(1, 5));
    settle();
    directory.unregister(1);
    settle();
    plane.deliver(PUBLISHER, 1, store(1, 6));
    directory.register(instance(1, 2));
    plane.deliver(PUBLISHER, 2, store(1, 7));
    settle();

    assertThat(scores(indexer, 5)).isEmpty();
    assertThat(scores(indexer, 6)).isEmpty();
    assertThat(scores(indexer, 7)).isEmpty();
    assertThat(count(FeedCounter.LATE_EVENTS)).isEqualTo(2);
  }

  @Test
  void shouldGoOnListeningWhenTheSameLifeComesBack() {
    directory.register(instance(1, 1));
    plane.deliver(PUBLISHER, 0, store(1, 5));
    settle();
    directory.unregister(1);
    settle();
    directory.register(instance(1, 1));
    plane.deliver(PUBLISHER, 1, store(1, 6));
    settle();

    assertThat(scores(indexer, 5)).isEmpty();
    assertThat(scores(indexer, 6)).isEqualTo(Map.of(W1, 1));
  }

  @Test
  void shouldRefuseARankThatTheWorkerDoesNotDeclare() {
    directory.register(instance(1, 1));
    plane.deliver(PUBLISHER, 0, event(1, 1, store(1, 5).event().data()), store(1, 6));
    settle();

    assertThat(count(FeedCounter.UNDECLARED_RANK_EVENTS)).isEqualTo(1);
    assertThat(scores(indexer, 6)).isEqualTo(Map.of(W1, 1));
  }

  /* --------------- Early events --------------- */

  @Test
  void shouldHoldEventsUntilTheirWorkerIsRegistered() {
    plane.deliver(PUBLISHER, 0, store(1, 5));
    plane.deliver(PUBLISHER, 1, storeUnder(1, 5, 6));
    settle();
    assertThat(scores(indexer, 5)).isEmpty();
    assertThat(feed.status().heldEvents()).isEqualTo(2);
    directory.register(instance(1, 1));
    settle();

    assertThat(scores(indexer, 5, 6)).isEqualTo(Map.of(W1, 2));
    assertThat(feed.status().heldEvents()).isZero();
    assertThat(count(FeedCounter.CLAIMED_EVENTS)).isEqualTo(2);
  }

  @Test
  void shouldDropEventsOfAWorkerThatNeverComes() {
    plane.deliver(PUBLISHER, 0, store(1, 5));
    waitOutHold();
    directory.register(instance(1, 1));
    settle();

    assertThat(scores(indexer, 5)).isEmpty();
    assertThat(count(FeedCounter.UNREGISTERED_EVENTS)).isEqualTo(1);
    assertThat(simulation.pendingTaskCount()).isZero();
  }

  @Test
  void shouldBoundWhatIsHeld() {
    byte[] large =
        RouterEventCodec.encode(
            List.of(event(1, 0, KvCacheEventData.Removed.of(new long[1 << 19]))));
    plane.deliver(PUBLISHER, 0, large);
    plane.deliver(PUBLISHER, 1, large);
    plane.deliver(PUBLISHER, 2, store(1, 5));
    settle();

    assertThat(feed.status().heldEvents()).isEqualTo(2);
    assertThat(count(FeedCounter.UNREGISTERED_EVENTS)).isEqualTo(1);
  }

  @Test
  void shouldNotLoseFirstEventsInAnyOrderWithRegistrationAndReplacement() {
    for (long seed = 0; seed < 60; seed++) {
      Simulation random = Simulation.builder().seed(seed).mode(Mode.RANDOM_TIES).build();
      Environment environment = random.environment("router");
      InMemoryEventPlane events = InMemoryEventPlane.create(random.environment("plane"));
      InMemoryWorkerDirectory workers = InMemoryWorkerDirectory.create();
      KvIndexer index = index(environment);
      KvEventFeed.connect(events, SCOPE, workers, index, environment);
      EventPublisher first = events.publisher(SCOPE, KvEventFeed.TOPIC, PUBLISHER);
      random.node("worker").lane("a").execute(() -> workers.register(instance(1, 1)));
      random.node("worker").lane("b").execute(() -> publish(first, 5));
      random.runFor(1_000_000);
      assertThat(scores(index, 5)).as("seed=%d", seed).isEqualTo(Map.of(W1, 1));

      first.close();
      EventPublisher second = events.publisher(SCOPE, KvEventFeed.TOPIC, PUBLISHER + seed % 2);
      random.node("worker").lane("a").execute(() -> workers.register(instance(1, 2)));
      random.node("worker").lane("b").execute(() -> publish(second, 6));
      random.runFor(1_000_000);
      assertThat(scores(index, 5)).as("seed=%d", seed).isEmpty();
      assertThat(scores(index, 6)).as("seed=%d", seed).isEqualTo(Map.of(W1, 1));
    }
  }

  private static void publish(EventPublisher publisher, long hash) {
    publisher.publish(RouterEventCodec.encode(List.of(store(1, hash))));
  }

  /* --------------- Sequences --------------- */

  @Test
  void shouldCountAGapAndGoOn() {
    directory.register(instance(1, 1));
    plane.deliver(PUBLISHER, 2, store(1, 5));
    plane.deliver(PUBLISHER, 6, store(1, 6));
    settle();

    assertThat(count(FeedCounter.MISSED_ENVELOPES)).isEqualTo(2 + 3);
    assertThat(scores(indexer, 6)).isEqualTo(Map.of(W1, 1));
  }

  @Test
  void shouldNotLetAForgedSequenceWreckTheCounter() {
    directory.register(instance(1, 1));
    plane.deliver(PUBLISHER, -1, store(1, 5));
    settle();

    assertThat(count(FeedCounter.MISSED_ENVELOPES)).isPositive().isLessThan(1L << 32);
  }

  @Test
  void shouldDropARepeatedEnvelope() {
    directory.register(instance(1, 1));
    plane.deliver(PUBLISHER, 0, store(1, 5));
    plane.deliver(PUBLISHER, 1, remove(1, 5));
    plane.deliver(PUBLISHER, 0, store(1, 5));
    settle();

    assertThat(scores(indexer, 5)).isEmpty();
    assertThat(count(FeedCounter.REPEATED_ENVELOPES)).isEqualTo(1);
    assertThat(count(FeedCounter.RESTARTS)).isZero();
  }

  @Test
  void shouldForgetAtOnceWhenAPublisherRestarts() {
    directory.register(instance(1, 1));
    plane.deliver(PUBLISHER, 0, store(1, 5));
    plane.deliver(PUBLISHER, 1, store(1, 6));
    plane.deliver(PUBLISHER, 0, store(1, 7));
    settle();

    assertThat(scores(indexer, 5)).isEmpty();
    assertThat(scores(indexer, 6)).isEmpty();
    assertThat(count(FeedCounter.RESTARTS)).isEqualTo(1);
    plane.deliver(PUBLISHER, 1, storeUnder(1, 7, 8));
    waitOutHold(); // no other incarnation is registered: it was a restart in place
    plane.deliver(PUBLISHER, 2, storeUnder(1, 8, 9));
    settle();
    assertThat(scores(indexer, 7, 8, 9)).isEqualTo(Map.of(W1, 3));
    assertThat(count(FeedCounter.TAKEOVERS)).isEqualTo(1);
  }

  @Test
  void shouldNotLetASecondLivePublisherWrite() {
    directory.register(instance(1, 1));
    plane.deliver(PUBLISHER, 0, store(1, 5));
    plane.deliver(OTHER_PUBLISHER, 0, remove(1, 5));
    settle();
    plane.deliver(PUBLISHER, 1, storeUnder(1, 5, 6));
    waitOutHold();

    assertThat(scores(indexer, 5, 6)).isEqualTo(Map.of(W1, 2));
    assertThat(count(FeedCounter.CONFLICTING_EVENTS)).isEqualTo(1);
  }

  /* --------------- Bad payloads --------------- */

  @Test
  void shouldCountAnUnreadablePayloadAndGoOn() {
    directory.register(instance(1, 1));
    plane.deliver(PUBLISHER, 0, new byte[] {1, 2, 3});
    plane.deliver(PUBLISHER, 1, new byte[] {(byte) 0x91, 5});
    plane.deliver(PUBLISHER, 2, store(1, 5));
    settle();

    assertThat(count(FeedCounter.UNREADABLE_ENVELOPES)).isEqualTo(1);
    assertThat(count(FeedCounter.UNUSABLE_EVENTS)).isEqualTo(1);
    assertThat(scores(indexer, 5)).isEqualTo(Map.of(W1, 1));
    assertThat(feed.status().toString()).contains("UNREADABLE_ENVELOPES=1");
  }

  @Test
  void shouldTakeNothingAfterClose() {
    directory.register(instance(1, 1));
    settle();
    plane.deliver(PUBLISHER, 0, store(1, 5));
    feed.close();
    feed.close();
    directory.unregister(1);
    settle();

    assertThat(scores(indexer, 5)).isEmpty();
    assertThat(count(FeedCounter.ENVELOPES)).isZero();
  }
}
