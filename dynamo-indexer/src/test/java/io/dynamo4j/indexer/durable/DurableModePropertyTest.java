// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.testing.SoakFacts;
import io.dynamo4j.indexer.durable.DurableFleet.Router;
import io.dynamo4j.indexer.durable.DurableFleet.Worker;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.testkit.durable.SimulatedLogSettings;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Three routers, three workers, and a log that goes away, loses answers, forgets readers and is
 * reset while all of them live: every router that lives at the end, and one that starts alone after
 * all others died, know exactly what the engines hold; only where the newest snapshot is damaged
 * and what came behind the older one has aged may the last one say that it is not whole. {@code
 * -Ddynamo4j.durable.seeds} sets how many runs there are, {@code -Ddynamo4j.durable.first} the
 * first.
 */
class DurableModePropertyTest {
  private static final int SEEDS = Integer.getInteger("dynamo4j.durable.seeds", 60);
  private static final long FIRST = Long.getLong("dynamo4j.durable.first", 1);
  private static final int ENOUGH = 60;

  /** One run in ten or so shows a fault of the log. */
  private static final int MOST_PLANTED_RUNS = 60;

  private final Map<DurableFeedCounter, Long> feeds = new EnumMap<>(DurableFeedCounter.class);
  private final Map<DurableWriterCounter, Long> writers = new EnumMap<>(DurableWriterCounter.class);

  @Test
  void shouldKnowWhatEnginesHoldWhateverBefalls() {
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      try {
        run(seed, DurableFleet.settings(), UnaryOperator.identity());
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("run failed: seed=" + seed + ", why=" + e.getMessage(), e);
      }
    }
    SoakFacts.write(Map.of("seeds", (long) SEEDS));
    SoakFacts.write(feeds);
    Map<String, Long> written = new TreeMap<>();
    writers.forEach((key, value) -> written.put("writers: " + key, value));
    SoakFacts.write(written);
    if (SEEDS >= ENOUGH) {
      assertEverythingOccurred();
    }
  }

  private void assertEverythingOccurred() {
    for (DurableFeedCounter each :
        new DurableFeedCounter[] {
          DurableFeedCounter.REPEATED_EVENTS,
          DurableFeedCounter.HOLES,
          DurableFeedCounter.REBUILDS,
          DurableFeedCounter.RESETS,
          DurableFeedCounter.CONSUMERS_RENEWED,
          DurableFeedCounter.SNAPSHOTS_WRITTEN,
          DurableFeedCounter.SNAPSHOTS_REFUSED,
          DurableFeedCounter.PURGES,
          DurableFeedCounter.ORPHANS_REMOVED,
          DurableFeedCounter.WORKERS_FORGOTTEN
        }) {
      assertThat(feeds.get(each)).as("it came to %s", each).isPositive();
    }
    for (DurableWriterCounter each :
        new DurableWriterCounter[] {
          DurableWriterCounter.RETRIES,
          DurableWriterCounter.OVERFLOWS,
          DurableWriterCounter.REWRITES,
          DurableWriterCounter.RESETS
        }) {
      assertThat(writers.get(each)).as("it came to %s", each).isPositive();
    }
  }

  @Test
  void shouldCatchLogThatLosesWhatItHasAcknowledged() {
    assertThat(isCaught(DurableFleet.settings(), PlantedLogs::losing)).isTrue();
  }

  @Test
  void shouldCatchPurgeOfWhatNoSnapshotCovers() {
    assertThat(isCaught(DurableFleet.settings(), PlantedLogs::purgingTooMuch)).isTrue();
  }

  @Test
  void shouldCatchLogThatGrowsWithoutBound() {
    assertThat(isCaught(SimulatedLogSettings.ofDefaults(), PlantedLogs::neverPurging)).isTrue();
  }

  private boolean isCaught(SimulatedLogSettings settings, UnaryOperator<DurableEventLog> planted) {
    for (long seed = 1; seed <= MOST_PLANTED_RUNS; seed++) {
      try {
        run(seed, settings, planted);
      } catch (AssertionError caught) {
        return true;
      }
    }
    return false;
  }

  private void run(
      long seed, SimulatedLogSettings settings, UnaryOperator<DurableEventLog> planted) {
    DurableFleet fleet = new DurableFleet(seed, settings, planted);
    for (int step = 0; step < 50; step++) {
      fleet.runFor(DurableFleet.SECOND);
      befall(fleet);
    }
    heal(fleet);
    fleet.runFor(30 * DurableFleet.SECOND);
    for (Router router : fleet.routers) {
      fleet.check(router, "survivor");
    }
    assertBounded(fleet);
    boolean corrupt = fleet.random.nextInt(3) == 0;
    if (corrupt) {
      fleet.server.corruptSnapshots(true);
    }
    List<String> snapshots = fleet.server.snapshotNames();
    fleet.routers.forEach(Router::kill);
    fleet.runFor((long) (fleet.random.nextDouble() * 5 * DurableFleet.SECOND));
    Router alone = fleet.routers.get(fleet.random.nextInt(fleet.routers.size()));
    alone.start();
    fleet.simulation.await(alone.feed().caughtUp());
    fleet.runFor(20 * DurableFleet.SECOND);
    if (alone.feed().status().isWhole()) {
      fleet.check(alone, "alone");
    } else {
      // What came behind the older snapshot may have aged by the time that the newest is damaged.
      assertThat(corrupt && fleet.server.firstSequence() > coveredBySecond(snapshots) + 1)
          .as("something is lost for good: %s", alone.feed().status())
          .isTrue();
      fleet.checkStale(alone);
    }
    alone.kill();
    fleet.workers.forEach(Worker::count);
    fleet.feedCounts.forEach((key, value) -> feeds.merge(key, value, Long::sum));
    fleet.writerCounts.forEach((key, value) -> writers.merge(key, value, Long::sum));
  }

  private static long coveredBySecond(List<String> snapshots) {
    return snapshots.size() < 2
        ? 0
        : DurableSnapshotFormat.coveredBy(snapshots.get(snapshots.size() - 2));
  }

  private static void assertBounded(DurableFleet fleet) {
    long events = DurableFleet.config().snapshotThreshold();
    assertThat(fleet.server.entryCount())
        .as("entries once readers have caught up")
        .isLessThan(7 * events);
    assertThat(fleet.server.snapshotNames()).as("snapshots").hasSizeLessThanOrEqualTo(4);
    assertThat(fleet.server.consumerNames()).as("readers").hasSizeLessThanOrEqualTo(3);
  }

  private static void befall(DurableFleet fleet) {
    switch (fleet.random.nextInt(17)) {
      case 0 -> fleet.server.reachable(false);
      case 1, 2, 3 -> fleet.server.reachable(true);
      case 4 -> fleet.server.lostReplies(fleet.random.nextInt(300));
      case 5 -> fleet.server.lostReplies(0);
      case 6, 7 -> fleet.routers.get(fleet.random.nextInt(fleet.routers.size())).kill();
      case 8, 9, 10 -> startOneRouter(fleet);
      case 11 -> fleet.workers.get(fleet.random.nextInt(fleet.workers.size())).kill();
      case 12, 13 -> startOneWorker(fleet);
      case 14 ->
          fleet.server.consumerNames().stream().findFirst().ifPresent(fleet.server::forgetConsumer);
      case 15 -> fleet.forceReset();
      default -> {
        // A quiet second.
      }
    }
  }

  private static void startOneRouter(DurableFleet fleet) {
    fleet.routers.stream().filter(each -> !each.isAlive()).findFirst().ifPresent(Router::start);
  }

  private static void startOneWorker(DurableFleet fleet) {
    fleet.workers.stream().filter(each -> !each.isAlive()).findFirst().ifPresent(Worker::start);
  }

  private static void heal(DurableFleet fleet) {
    fleet.server.reachable(true);
    fleet.server.lostReplies(0);
    fleet.stopWork();
    for (Router router : fleet.routers) {
      if (!router.isAlive()) {
        router.start();
      }
    }
  }
}
