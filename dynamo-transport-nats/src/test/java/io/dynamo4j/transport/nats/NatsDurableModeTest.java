// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import static io.dynamo4j.transport.nats.NatsRun.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.testing.SoakFacts;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.durable.DurableConfig;
import io.dynamo4j.indexer.durable.DurableFeedCounter;
import io.dynamo4j.indexer.durable.DurableKvFeed;
import io.dynamo4j.indexer.durable.DurableKvPublisher;
import io.dynamo4j.indexer.durable.DurableReset;
import io.dynamo4j.testkit.durable.ModelCache;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Three routers over a real server, killed at random: every survivor, and one that starts alone
 * after all others died, know exactly what the engines hold. {@code -Ddynamo4j.durable.nats.seeds}
 * sets how many runs there are.
 */
@ExtendWith(JetStreamExtension.class)
class NatsDurableModeTest {
  private static final int SEEDS = Integer.getInteger("dynamo4j.durable.nats.seeds", 20);
  private static final int ROUNDS = 12;
  private static final int CHANGES = 12;

  private final Map<DurableFeedCounter, Long> counts = new EnumMap<>(DurableFeedCounter.class);
  private long kills;

  @Test
  void shouldKnowWhatEnginesHoldWhoeverDies(NatsServer server) {
    for (int seed = 1; seed <= SEEDS; seed++) {
      NatsStorageRun run = new NatsStorageRun(server);
      try (Fleet fleet = new Fleet(seed, run, 1)) {
        fleet.play();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("run failed: seed=" + seed + ", why=" + e.getMessage(), e);
      } finally {
        run.close();
      }
    }
    SoakFacts.write(Map.of("seeds", (long) SEEDS));
    SoakFacts.write(Map.of("routers killed", kills));
    SoakFacts.write(counts);
  }

  @Test
  void shouldHaveLiveWritersWriteAnewOnceResetIsForced(NatsServer server) {
    NatsStorageRun run = new NatsStorageRun(server);
    try (Fleet fleet = new Fleet(1, run, DurableConfig.ofDefaults().purgeDelayNanos());
        NatsSnapshotStore snapshots =
            NatsSnapshotStore.open(
                run.transport(fleet.lanes.environment()), run.config().build())) {
      fleet.change();
      fleet.routers.forEach(router -> eventually(() -> fleet.holdsAll(router)));
      DurableReset.Outcome outcome =
          NatsRun.get(
              DurableReset.reset(fleet.log, snapshots, fleet.lanes.environment(), true)
                  .toCompletableFuture());
      assertThat(outcome.isDone()).isTrue();
      for (Fleet.Router router : fleet.routers) {
        eventually(() -> router.feed().status().count(DurableFeedCounter.RESETS) == 1);
        eventually(() -> fleet.holdsAll(router));
      }
    } finally {
      run.close();
    }
  }

  /** Engines, what writes for them, and routers of several lives. */
  private final class Fleet implements AutoCloseable {
    private final NatsStorageRun run;
    private final long purgeDelayNanos;
    private final RandomSource random;
    private final RealEnvironment lanes = RealEnvironment.create();
    private final NatsDurableLog log;
    private final List<ModelCache> engines = new ArrayList<>();
    private final List<DurableKvPublisher> publishers = new ArrayList<>();
    private final List<Router> routers = new ArrayList<>();

    Fleet(long seed, NatsStorageRun run, long purgeDelayNanos) {
      this.run = run;
      this.purgeDelayNanos = purgeDelayNanos;
      this.random = RandomSource.seeded(seed);
      Environment environment = lanes.environment();
      this.log = NatsDurableLog.open(run.transport(environment), run.config().build());
      for (int i = 0; i < 3; i++) {
        WorkerWithDpRank rank = new WorkerWithDpRank(1 + i / 2, i % 2);
        engines.add(ModelCache.of(rank));
        publishers.add(DurableKvPublisher.start(rank, log, environment));
      }
      for (int i = 0; i < 3; i++) {
        routers.add(new Router());
      }
    }

    void play() {
      for (int round = 0; round < ROUNDS; round++) {
        change();
        Router router = routers.get(random.nextInt(routers.size()));
        if (!router.isAlive()) {
          router.start();
        } else if (random.nextInt(2) == 0) {
          router.kill();
        }
      }
      routers.stream().filter(router -> !router.isAlive()).forEach(Router::start);
      routers.forEach(router -> eventually(() -> holdsAll(router)));
      eventually(() -> snapshots() > 0);
      routers.forEach(Router::kill);
      Router alone = routers.get(random.nextInt(routers.size()));
      alone.start();
      NatsRun.get(alone.feed().caughtUp().toCompletableFuture());
      eventually(() -> holdsAll(alone));
      assertThat(alone.feed().status().isWhole()).isTrue();
      assertThat(alone.feed().status().incompleteRanks()).isZero();
      alone.kill();
    }

    void change() {
      for (int i = 0; i < CHANGES; i++) {
        int which = random.nextInt(engines.size());
        publishers
            .get(which)
            .publish(StorageTier.DEVICE, List.of(engines.get(which).change(random)));
      }
    }

    private long snapshots() {
      return routers.stream().mapToLong(router -> router.feed().status().coveredSequence()).sum();
    }

    private boolean holdsAll(Router router) {
      OverlapScores out = OverlapScores.create();
      KvIndexer index = Objects.requireNonNull(router.index);
      int blocks = 0;
      for (ModelCache engine : engines) {
        blocks += engine.size();
        for (long[] path : engine.paths()) {
          if (index.depthOf(engine.rank(), path, path.length, out) != path.length) {
            return false;
          }
        }
      }
      return index.status().blocks() == blocks;
    }

    @Override
    public void close() {
      routers.forEach(Router::kill);
      publishers.forEach(DurableKvPublisher::close);
      log.close();
      lanes.close();
    }

    /** A process as far as the server can tell: lanes and connection of its own. */
    final class Router {
      @Nullable KvIndexer index;
      private @Nullable DurableKvFeed feed;
      private @Nullable RealEnvironment life;
      private @Nullable NatsDurableLog reading;
      private @Nullable NatsSnapshotStore snapshots;

      Router() {
        start();
      }

      boolean isAlive() {
        return feed != null;
      }

      DurableKvFeed feed() {
        return Objects.requireNonNull(feed);
      }

      void start() {
        RealEnvironment own = RealEnvironment.create();
        Environment environment = own.environment();
        NatsTransport transport = run.transport(environment);
        NatsDurableLog ownLog = NatsDurableLog.open(transport, run.config().build());
        NatsSnapshotStore ownSnapshots = NatsSnapshotStore.open(transport, run.config().build());
        KvIndexer fresh = KvIndexer.builder().environment(environment).blockSize(16).build();
        life = own;
        reading = ownLog;
        snapshots = ownSnapshots;
        index = fresh;
        feed =
            DurableKvFeed.builder()
                .log(ownLog)
                .snapshots(ownSnapshots)
                .scope(run.namespace, "backend")
                .index(fresh)
                .environment(environment)
                .config(
                    DurableConfig.builder()
                        .snapshotThreshold(40)
                        .checkInterval(Duration.ofMillis(20))
                        .lease(Duration.ofMillis(500))
                        .orphanGrace(Duration.ofMillis(500))
                        .retainedSnapshots(1)
                        .purgeDelay(Duration.ofNanos(purgeDelayNanos))
                        .build())
                .start();
      }

      /** Ends in the middle of whatever it does: its lanes stop, and nothing is said to anybody. */
      void kill() {
        if (feed != null) {
          kills++;
          feed.status().counts().forEach((key, value) -> counts.merge(key, value, Long::sum));
          feed = null;
          Objects.requireNonNull(life).close();
          Objects.requireNonNull(snapshots).close();
          Objects.requireNonNull(reading).close();
        }
      }
    }
  }
}
