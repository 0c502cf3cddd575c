// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.Scheduler;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.LogFacts;
import io.dynamo4j.testkit.durable.SimulatedLogServer;
import io.dynamo4j.testkit.durable.SimulatedLogSettings;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever befalls those who write snapshots, the log keeps what no fit one covers. */
class SnapshotPurgeTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long STEP = SECOND / 20;
  private static final int SEEDS = 20;
  private static final int ROUTERS = 3;

  /** Routers whose uploads are slow, and damaged now and then, beside one writer. */
  private static final class Rig {
    private final Simulation simulation;
    private final RandomSource random;
    final SimulatedLogServer server;
    final UnsteadyStores stores;
    final List<DurableKvFeed> feeds = new ArrayList<>();
    private final Scheduler engine;
    private final DurableKvPublisher publisher;
    private long stored;

    Rig(long seed, int retained) {
      this(seed, retained, settings().build());
    }

    Rig(long seed, int retained, SimulatedLogSettings settings) {
      simulation = Simulation.builder().seed(seed).maxExecuteJitterNanos(500_000).build();
      random = simulation.random("purge");
      server = SimulatedLogServer.start(simulation, "log", settings);
      stores = new UnsteadyStores(random);
      Environment worker = simulation.environment("worker");
      engine = worker.lanes().lane("engine");
      publisher = DurableKvPublisher.start(new WorkerWithDpRank(1, 0), server.log(worker), worker);
      for (int i = 0; i < ROUTERS; i++) {
        feeds.add(feed("router-" + i, retained));
      }
      engine.execute(this::store);
    }

    static SimulatedLogSettings.Builder settings() {
      return SimulatedLogSettings.builder()
          .retention(Duration.ofHours(1))
          .maxLatency(Duration.ofMillis(2))
          .requestTimeout(Duration.ofMillis(700));
    }

    private DurableKvFeed feed(String node, int retained) {
      Environment environment = simulation.environment(node);
      return DurableKvFeed.builder()
          .log(server.log(environment))
          .snapshots(stores.of(server.snapshots(environment), environment))
          .scope("ns", "backend")
          .index(KvIndexer.builder().environment(environment).blockSize(16).build())
          .environment(environment)
          .config(
              DurableConfig.builder()
                  .snapshotThreshold(25)
                  .retainedSnapshots(retained)
                  .lease(Duration.ofSeconds(3))
                  .orphanGrace(Duration.ofSeconds(4))
                  .purgeDelay(Duration.ofMillis(10))
                  .build())
          .start();
    }

    void store() {
      long[] hash = {++stored};
      publisher.publish(StorageTier.DEVICE, List.of(KvCacheEventData.Stored.atRoot(hash, hash)));
      engine.schedule(this::store, SECOND / 10);
    }

    /** A router that stands still for a while, or whose clock is another. */
    void befall() {
      var node = simulation.node("router-" + random.nextInt(ROUTERS));
      switch (random.nextInt(120)) {
        case 0 -> node.stallUntil(simulation.nowNanos() + random.nextInt(15) * SECOND);
        case 1 -> node.adjustClock(random.nextInt(20) * SECOND, 0);
        default -> {
          // Nothing this time.
        }
      }
    }

    /** Up to where snapshots that are fit cover the log. */
    long coveredByFit() {
      return server.snapshotNames().stream()
          .filter(stores::isFit)
          .mapToLong(DurableSnapshotFormat::coveredBy)
          .max()
          .orElse(0);
    }
  }

  @Test
  void shouldPurgeNothingThatNoFitSnapshotCoversWhoeverIsSlowPausedOrOfAnotherClock() {
    long purged = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
      int retained = 1 + seed % 2;
      Rig rig = new Rig(seed, retained);
      for (long at = 0; at < 90 * SECOND; at += STEP) {
        rig.simulation.runFor(STEP);
        rig.befall();
        assertThat(rig.server.firstSequence() - 1)
            .as("purged through: seed=%d, retained=%d, at=%d ns", seed, retained, at)
            .isLessThanOrEqualTo(rig.coveredByFit());
      }
      purged += rig.server.firstSequence() - 1;
    }
    assertThat(purged).as("entries that were purged").isPositive();
  }

  @Test
  void shouldLetNoSnapshotOfMoreThanTheLogHoldsStandForOurs() {
    Rig rig = new Rig(4, 2);
    rig.stores.steady();
    rig.simulation.runFor(5 * SECOND);
    for (int i = 1; i <= 3; i++) {
      rig.server.putSnapshot(DurableSnapshotFormat.name(1_000_000L * i, 9), new byte[] {1});
    }
    rig.simulation.runFor(60 * SECOND);
    long written =
        rig.feeds.stream()
            .mapToLong(feed -> feed.status().count(DurableFeedCounter.SNAPSHOTS_WRITTEN))
            .sum();
    assertThat(written).as("one in 25 events").isBetween(10L, rig.stored / 25);
    assertThat(rig.coveredByFit()).isGreaterThan(rig.stored / 2);
    assertThat(rig.server.firstSequence()).isBetween(2L, rig.coveredByFit() + 1);
  }

  @Test
  void shouldGoOnWritingSnapshotsWhateverTermAStrangerClaims() {
    Rig rig = new Rig(5, 2);
    rig.stores.steady();
    rig.simulation.runFor(5 * SECOND);
    Environment stranger = rig.simulation.environment("stranger");
    LogRecord.Claim claim = new LogRecord.Claim(99, Long.MAX_VALUE);
    rig.simulation.await(
        rig.server.log(stranger).append("strange", LogRecord.encode(claim, 99, 1, 0)));
    rig.simulation.runFor(60 * SECOND);
    assertThat(rig.coveredByFit()).isGreaterThan(rig.stored / 2);
  }

  @Test
  void shouldKeepTheMarkOfAResetForWritersInALogThatIsNearlyFull() {
    SimulatedLogSettings small = Rig.settings().maxEntries(40).build();
    DurableFleet fleet = new DurableFleet(7, small, log -> log);
    fleet.runFor(10 * SECOND);
    Environment operator = fleet.simulation.environment("operator");
    DurableEventLog log = fleet.server.log(operator);
    fleet.simulation.await(
        DurableReset.reset(log, fleet.server.snapshots(operator), operator, true));
    long mark = fleet.simulation.await(log.facts()).firstSequence();
    for (int i = 0; i < 35; i++) {
      fleet.simulation.await(log.append("filling" + i, new byte[] {1}));
    }
    assertThat(SnapshotKeeper.isNearlyFull(fleet.simulation.await(log.facts()))).isTrue();
    fleet.runFor(6 * SECOND);
    LogFacts facts = fleet.simulation.await(log.facts());
    assertThat(facts.firstSequence()).as("every writer has had time to look").isEqualTo(mark);
    fleet.runFor(30 * SECOND);
    fleet.stopWork();
    fleet.runFor(40 * SECOND);
    assertThat(fleet.server.firstSequence()).isGreaterThan(mark);
    fleet.routers.forEach(router -> fleet.check(router, "written anew"));
  }

  @Test
  void shouldEndAResetWhoseOwnerIsGoneBetweenMarkAndPurge() {
    DurableFleet fleet = new DurableFleet(7, DurableFleet.settings(), log -> log);
    fleet.runFor(12 * SECOND);
    fleet.stopWork();
    fleet.runFor(3 * SECOND);
    Environment operator = fleet.simulation.environment("operator");
    byte[] mark = LogRecord.encode(new LogRecord.Reset(9), 9, 1, 0);
    long sequence = fleet.simulation.await(fleet.server.log(operator).append("mark", mark));
    fleet.runFor(SECOND);
    assertThat(fleet.server.firstSequence()).isEqualTo(sequence);
    fleet.runFor(12 * SECOND);
    fleet.routers.forEach(router -> fleet.check(router, "written anew"));
  }
}
