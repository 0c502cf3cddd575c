// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.BLOCK;
import static io.dynamo4j.kvrouter.RouterFixture.instance;
import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.plane.EventPublisher;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.simulation.Simulation;
import io.dynamo4j.wire.ActiveLoad;
import io.dynamo4j.wire.ActiveLoadCodec;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Workers' own reports, over a plane, to decisions. */
class WorkerLoadFeedTest {
  private static final EventScope SCOPE = new EventScope.Endpoint("ns", "backend", "generate");
  private static final long SECOND = 1_000_000_000L;

  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final InMemoryEventPlane plane =
      InMemoryEventPlane.create(simulation.environment("network"));
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private final LoadMonitor monitor =
      LoadMonitor.builder(simulation.environment("router").lanes().lane("monitor").clock())
          .thresholds(LoadThresholds.builder().activeDecodeBlocks(0.5).build())
          .lifetimeNanos(30 * SECOND)
          .build();
  private final WorkerLoadFeed feed;
  private final KvRouter router;
  private final EventPublisher publisher = plane.publisher(SCOPE, ActiveLoadCodec.TOPIC, 5);

  WorkerLoadFeedTest() {
    directory.register(instance(1).totalKvBlocks(20).build());
    directory.register(instance(2).totalKvBlocks(20).build());
    feed =
        WorkerLoadFeed.connect(
            monitor,
            directory,
            plane,
            SCOPE,
            simulation.environment("router").lanes().lane("loads"));
    router =
        KvRouter.builder()
            .environment(simulation.environment("router"))
            .directory(directory)
            .config(KvRouterConfig.loadAware())
            .blockSize(BLOCK)
            .loadMonitor(monitor)
            .build();
    simulation.runFor(1);
  }

  private void tell(WorkerWithDpRank rank, long usedBlocks) {
    publish(
        ActiveLoadCodec.encode(
            new ActiveLoad(rank, ActiveLoad.UNKNOWN, ActiveLoad.UNKNOWN, usedBlocks)));
  }

  private void publish(byte[] payload) {
    publisher.publish(payload);
    simulation.runFor(1);
  }

  private Set<Long> chosenWorkers() {
    Set<Long> chosen = new TreeSet<>();
    for (int i = 0; i < 60; i++) {
      chosen.add(router.query(request("q", tokens(0, BLOCK))).worker().workerId());
    }
    return chosen;
  }

  @Test
  void shouldExcludeAWorkerThatSaysThatItIsFullUntilItSaysOtherwise() {
    assertThat(chosenWorkers()).containsExactly(1L, 2L);

    tell(worker(2), 11);
    assertThat(chosenWorkers()).containsExactly(1L);

    tell(worker(2), 10);
    assertThat(chosenWorkers()).containsExactly(1L, 2L);
    assertThat(feed.appliedCount()).isEqualTo(2);
  }

  @Test
  void s3ShouldLetWhatASilentWorkerSaidAgeAndKeepWhatOneRepeats() {
    tell(worker(1), 11);
    tell(worker(2), 11);
    simulation.runFor(20 * SECOND);
    tell(worker(2), 11);
    simulation.runFor(10 * SECOND);

    assertThat(chosenWorkers()).containsExactly(1L);
  }

  @Test
  void shouldForgetAWorkerThatLeavesAndWhatItsFormerLifeSaid() {
    tell(worker(2), 11);
    directory.unregister(2);
    simulation.runFor(1);
    directory.register(instance(2).incarnation(1).totalKvBlocks(20).build());
    simulation.runFor(1);

    assertThat(chosenWorkers()).containsExactly(1L, 2L);
  }

  @Test
  void shouldCountAndDropWhatIsNotOfTheFleetOrCannotBeRead() {
    tell(worker(9), 20);
    tell(new WorkerWithDpRank(2, 1), 20);
    publish(new byte[] {(byte) 0xc1});

    assertThat(chosenWorkers()).containsExactly(1L, 2L);
    assertThat(feed.foreignCount()).isEqualTo(2);
    assertThat(feed.unreadableCount()).isEqualTo(1);
    assertThat(feed.appliedCount()).isZero();
  }

  @Test
  void shouldHearNothingOnceClosed() {
    feed.close();
    feed.close();
    simulation.runFor(1);

    tell(worker(2), 11);

    assertThat(feed.appliedCount()).isZero();
  }
}
