// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.FeedCounter;
import io.dynamo4j.indexer.KvEventFeed;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.RecoveryTargets;
import io.dynamo4j.indexer.SourceStatus;
import io.dynamo4j.plane.EventPlane;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.plane.memory.InMemoryRequestPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.fault.EventFault;
import io.dynamo4j.testkit.fault.FaultyEventPlane;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A source on one side, a router's feed on the other, a plane that loses what it is told to. */
class KvEventSourceTest {

  private record FailureSink(List<String> failures) implements ResponseSink<byte[]> {

    @Override
    public void onCancel(Runnable action) {}

    @Override
    public void open() {}

    @Override
    public boolean next(byte[] item) {
      return true;
    }

    @Override
    public void complete() {}

    @Override
    public void fail(DynamoException error) {
      failures.add(error.toString());
    }
  }

  private static final EventScope SCOPE = new EventScope.Endpoint("ns", "backend", "generate");
  private static final WorkerWithDpRank RANK = WorkerWithDpRank.of(7);

  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final Environment network = simulation.environment("network");
  private final Environment worker = simulation.environment("worker");
  private final Environment router = simulation.environment("router");
  private final EventPlane plane = InMemoryEventPlane.create(network);
  private final InMemoryRequestPlane<byte[], byte[]> requests =
      InMemoryRequestPlane.create(network);
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private final WorkerInstance instance =
      WorkerInstance.builder(7, InMemoryRequestPlane.address("w7")).build();
  private boolean isLosing;
  private final KvIndexer indexer = KvIndexer.builder().environment(router).blockSize(16).build();
  private final KvEventFeed feed =
      KvEventFeed.builder()
          .eventPlane(
              FaultyEventPlane.over(
                  plane, envelope -> isLosing ? EventFault.lost() : EventFault.none()),
              SCOPE)
          .directory(directory)
          .indexer(indexer)
          .environment(router)
          .recovery(requests, RecoveryTargets.besideWorker())
          .connect();
  private final KvEventSource source =
      KvEventSource.builder(RANK, 70)
          .eventPlane(plane, SCOPE)
          .environment(worker)
          .serveRecovery(requests, RecoveryTargets.besideWorker(instance, RANK))
          .announcementInterval(Duration.ofMillis(500))
          .ringEvents(8)
          .start();

  private void publish(long... hashes) {
    source.publish(List.of(KvCacheEvent.of(0, 0, KvCacheEventData.Stored.atRoot(hashes, hashes))));
  }

  private int depth(long... query) {
    OverlapScores out = OverlapScores.create();
    return indexer.depthOf(RANK, query, query.length, out);
  }

  private void runMillis(long millis) {
    simulation.runFor(millis * 1_000_000);
  }

  @Test
  void shouldBeKnownToARouterThatLostItsLastEvents() {
    directory.register(instance);
    publish(5, 6);
    runMillis(100);
    assertThat(depth(5, 6)).isEqualTo(2);
    isLosing = true;
    publish(8, 9);
    runMillis(100);
    isLosing = false;
    assertThat(depth(8, 9)).isZero();
    runMillis(1_500);
    assertThat(depth(8, 9)).isEqualTo(2);
    assertThat(feed.status().count(FeedCounter.LOST_TAILS)).isEqualTo(1);
  }

  @Test
  void shouldBeKnownToARouterThatHeardNothingOfIt() {
    isLosing = true;
    for (long hash = 1; hash < 100; hash++) {
      publish(hash, hash + 1_000);
    }
    directory.register(instance);
    runMillis(1_000);
    assertThat(depth(42, 1_042)).isEqualTo(2);
    assertThat(indexer.status().blocks()).isEqualTo(198);
  }

  @Test
  void shouldEndWithItsWorker() {
    directory.register(instance);
    publish(5, 6);
    runMillis(100);
    source.close();
    source.close();
    publish(8);
    runMillis(1_000);
    feed.close();
    runMillis(1_000);
    assertThat(depth(8)).isZero();
    assertThat(simulation.pendingTaskCount()).isZero();
  }

  @Test
  void shouldFailAQueryThatCannotBeRead() {
    directory.register(instance);
    runMillis(100);
    assertThat(feed.sources())
        .containsExactly(new SourceStatus(RANK, SourceStatus.State.EXACT, 0, null));
    List<String> failures = new ArrayList<>();
    source.handle("r", new byte[] {1}, new FailureSink(failures));
    runMillis(10);
    assertThat(failures).singleElement().asString().contains("not readable");
  }

  @Test
  void shouldNameWhatIsMissingInItsSettings() {
    assertThatThrownBy(() -> KvEventSource.builder(RANK, 70).start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("eventPlane=missing");
    assertThatThrownBy(() -> KvEventSource.builder(RANK, 70).announcementInterval(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
