// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.DurableSources;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.source.KvEventSource;
import io.dynamo4j.plane.Address;
import io.dynamo4j.plane.EventScope;
import io.dynamo4j.plane.WorkerInstance;
import io.dynamo4j.plane.memory.InMemoryEventPlane;
import io.dynamo4j.plane.memory.InMemoryWorkerDirectory;
import io.dynamo4j.testkit.durable.SimulatedLogServer;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Ranks that publish live, of which some write to the log and some do not. */
class LiveSourcesTest {
  private static final long SECOND = 1_000_000_000L;
  private static final EventScope SCOPE = new EventScope.Endpoint("ns", "backend", "generate");

  private final Simulation simulation = Simulation.builder().seed(3).build();
  private final SimulatedLogServer server =
      SimulatedLogServer.start(simulation, "log", DurableFleet.settings());
  private final InMemoryEventPlane plane =
      InMemoryEventPlane.create(simulation.environment("network"));
  private final DurableSources sources = DurableSources.create(true);
  private final InMemoryWorkerDirectory directory = InMemoryWorkerDirectory.create();
  private final Rank both = new Rank(new WorkerWithDpRank(1, 0), true, true);
  private final Rank live = new Rank(new WorkerWithDpRank(2, 1), true, false);

  /** One rank, which stores a block a second. */
  private final class Rank {
    private final WorkerWithDpRank rank;
    private final Environment environment;
    private final Scheduler lane;
    private final @Nullable KvEventSource source;
    private @Nullable DurableKvPublisher publisher;
    private long stored;
    private boolean isIdle;

    Rank(WorkerWithDpRank rank, boolean isLive, boolean isDurable) {
      this.rank = rank;
      this.environment = simulation.environment("worker-" + rank.workerId());
      this.lane = environment.lanes().lane("engine");
      this.source =
          isLive
              ? KvEventSource.builder(rank, rank.workerId())
                  .eventPlane(plane, SCOPE)
                  .environment(environment)
                  .start()
              : null;
      if (isDurable) {
        writeToLog();
      }
      lane.execute(this::store);
    }

    void writeToLog() {
      publisher = DurableKvPublisher.start(rank, server.log(environment), environment);
    }

    private void store() {
      long[] hash = {rank.workerId() << 32 | ++stored};
      KvCacheEventData block = KvCacheEventData.Stored.atRoot(hash, hash);
      // The log first: a rank that then says nothing for long is not to be blamed.
      if (publisher != null) {
        publisher.publish(StorageTier.DEVICE, List.of(block));
      }
      if (source != null) {
        source.publish(StorageTier.DEVICE, List.of(block));
      }
      lane.schedule(
          () -> {
            if (!isIdle) {
              store();
            }
          },
          SECOND);
    }
  }

  private DurableKvFeed startRouter() {
    Environment environment = simulation.environment("router");
    return DurableKvFeed.builder()
        .log(server.log(environment))
        .snapshots(server.snapshots(environment))
        .scope("ns", "backend")
        .index(KvIndexer.builder().environment(environment).blockSize(16).build())
        .environment(environment)
        .config(DurableFleet.config())
        .liveEvents(plane, SCOPE, sources)
        .start();
  }

  @Test
  void shouldNameRankThatPublishesAndDoesNotWriteWithinAMinute() {
    DurableKvFeed router = startRouter();
    simulation.runFor(60 * SECOND);
    assertThat(sources.oneSided()).containsExactly(live.rank);
    live.writeToLog();
    simulation.runFor(10 * SECOND);
    assertThat(sources.oneSided()).isEmpty();
    assertThat(router.status().isWhole()).isTrue();
  }

  @Test
  void shouldBlameNobodyWhileTheLogIsAway() {
    startRouter();
    live.writeToLog();
    simulation.runFor(10 * SECOND);
    server.reachable(false);
    simulation.runFor(120 * SECOND);
    assertThat(sources.oneSided()).isEmpty();
    server.reachable(true);
    simulation.runFor(60 * SECOND);
    assertThat(sources.oneSided()).isEmpty();
    assertThat(both.stored).isPositive();
  }

  @Test
  void shouldBlameNobodyWhoWritesToBothAndThenIsIdle() {
    startRouter();
    live.writeToLog();
    simulation.runFor(10 * SECOND);
    both.isIdle = true;
    live.isIdle = true;
    simulation.runFor(60 * SECOND);
    assertThat(sources.oneSided()).isEmpty();
  }

  @Test
  void shouldNameRankThatWritesToTheLogAloneToARouterThatDoesNotReadIt() {
    DurableSources ofLive = DurableSources.create(false);
    Rank durable = new Rank(new WorkerWithDpRank(3, 0), false, true);
    Environment environment = simulation.environment("live router");
    WorkerInstance instance =
        WorkerInstance.builder(3, new Address("memory", "worker-3")).dpRanks(0, 1).build();
    directory.register(instance);
    DurableLogWatch watch =
        DurableLogWatch.start(
            server.log(environment), plane, SCOPE, directory, ofLive, environment);
    simulation.runFor(60 * SECOND);
    assertThat(ofLive.oneSided()).containsExactly(durable.rank);
    assertThat(server.consumerNames()).isEmpty();
    durable.isIdle = true;
    directory.unregister(instance);
    simulation.runFor(10 * SECOND);
    assertThat(ofLive.oneSided()).isEmpty();
    watch.close();
  }

  @Test
  void shouldWatchNoLogThatTheRouterReads() {
    Environment environment = simulation.environment("router");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                DurableLogWatch.start(
                    server.log(environment), plane, SCOPE, directory, sources, environment));
  }

  @Test
  void shouldRefuseSourcesOfARouterThatDoesNotReadTheLog() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> DurableKvFeed.builder().liveEvents(plane, SCOPE, DurableSources.create(false)));
  }
}
