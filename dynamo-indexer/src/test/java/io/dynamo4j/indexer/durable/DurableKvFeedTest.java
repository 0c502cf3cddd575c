// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.indexer.durable.DurableFleet.Router;
import io.dynamo4j.indexer.durable.DurableFleet.Worker;
import io.dynamo4j.plane.DurableEventLog;
import io.dynamo4j.plane.DurableLogException;
import io.dynamo4j.plane.LogEntry;
import io.dynamo4j.plane.LogListener;
import io.dynamo4j.plane.LogSubscription;
import io.dynamo4j.plane.SnapshotStore;
import io.dynamo4j.plane.SnapshotUpload;
import io.dynamo4j.testkit.durable.ModelCache;
import io.dynamo4j.testkit.durable.SimulatedLogSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class DurableKvFeedTest {

  private static DurableFleet fleet(SimulatedLogSettings settings) {
    return new DurableFleet(7, settings, UnaryOperator.identity());
  }

  private static DurableFleet fleet() {
    return fleet(DurableFleet.settings());
  }

  private static void seconds(DurableFleet fleet, int count) {
    fleet.runFor(count * DurableFleet.SECOND);
  }

  private static void quiet(DurableFleet fleet) {
    fleet.stopWork();
    seconds(fleet, 3);
  }

  @Test
  void shouldFollowWritersAndBeLive() {
    DurableFleet fleet = fleet();
    seconds(fleet, 5);
    quiet(fleet);
    for (Router router : fleet.routers) {
      fleet.check(router, "live");
      DurableFeedStatus status = router.feed().status();
      assertThat(status.state()).isEqualTo(DurableFeedState.LIVE);
      assertThat(status.isWhole()).isTrue();
      assertThat(status.incompleteRanks()).isZero();
      assertThat(status.lastFailure()).isNull();
    }
  }

  @Test
  void shouldWriteOneSnapshotForAllRouters() {
    DurableFleet fleet = fleet();
    seconds(fleet, 12);
    quiet(fleet);
    long written =
        fleet.routers.stream()
            .mapToLong(router -> router.feed().status().count(DurableFeedCounter.SNAPSHOTS_WRITTEN))
            .sum();
    long applied = fleet.routers.get(0).feed().status().count(DurableFeedCounter.EVENTS);
    assertThat(written).isPositive();
    assertThat(written).isLessThanOrEqualTo(applied / DurableFleet.config().snapshotThreshold());
    assertThat(fleet.routers)
        .allSatisfy(router -> assertThat(router.feed().status().coveredSequence()).isPositive());
  }

  @Test
  void shouldKeepOldLiveBlocksForNewcomerBeyondRetention() {
    DurableFleet fleet = fleet();
    seconds(fleet, 3);
    fleet.stopWork();
    // Nothing happens for three times the retention: entries go, blocks stay.
    seconds(fleet, 130);
    assertThat(fleet.server.snapshotNames()).isNotEmpty();
    fleet.routers.forEach(Router::kill);
    seconds(fleet, 5);
    Router alone = fleet.routers.get(2);
    alone.start();
    fleet.simulation.await(alone.feed().caughtUp());
    fleet.check(alone, "newcomer");
    assertThat(alone.feed().status().isWhole()).isTrue();
  }

  @Test
  void shouldNotReadWhatItsSnapshotCovers() {
    DurableFleet fleet =
        new DurableFleet(7, SimulatedLogSettings.ofDefaults(), PlantedLogs::neverPurging);
    seconds(fleet, 20);
    quiet(fleet);
    fleet.routers.forEach(Router::kill);
    long covered = coveredBy(fleet, 0);
    long entries = fleet.server.entryCount();
    assertThat(fleet.server.firstSequence()).isEqualTo(1);
    Router late = fleet.routers.get(0);
    late.start();
    fleet.simulation.await(late.feed().caughtUp());
    seconds(fleet, 1);
    fleet.check(late, "late");
    assertThat(late.feed().status().count(DurableFeedCounter.ENTRIES))
        .isEqualTo(fleet.server.entryCount() - covered)
        .isLessThan(entries / 2);
  }

  @Test
  void shouldReadFromWhereTheOlderSnapshotEndsIfTheNewestIsRefused() {
    DurableFleet fleet =
        new DurableFleet(7, SimulatedLogSettings.ofDefaults(), PlantedLogs::neverPurging);
    seconds(fleet, 20);
    quiet(fleet);
    fleet.routers.forEach(Router::kill);
    fleet.server.corruptSnapshots(true);
    Router late = fleet.routers.get(0);
    late.start();
    fleet.simulation.await(late.feed().caughtUp());
    seconds(fleet, 1);
    fleet.check(late, "late");
    DurableFeedStatus status = late.feed().status();
    assertThat(status.count(DurableFeedCounter.SNAPSHOTS_REFUSED)).isEqualTo(1);
    assertThat(status.count(DurableFeedCounter.HOLES)).isZero();
    assertThat(status.count(DurableFeedCounter.REBUILDS)).isZero();
    // What is behind the newest was on its way when that was refused.
    assertThat(status.count(DurableFeedCounter.ENTRIES))
        .isEqualTo(2 * fleet.server.entryCount() - coveredBy(fleet, 0) - coveredBy(fleet, 1));
  }

  /** Returns what a snapshot covers, by its age. */
  private static long coveredBy(DurableFleet fleet, int age) {
    List<String> names = fleet.server.snapshotNames();
    return DurableSnapshotFormat.coveredBy(names.get(names.size() - 1 - age));
  }

  @Test
  void shouldSayThatEntriesAreGoneThatNoSnapshotCovers() {
    DurableFleet fleet = fleet();
    Router late = startBehindHole(fleet);
    assertThat(late.feed().status().isWhole()).isFalse();
    assertThat(late.feed().status().count(DurableFeedCounter.HOLES)).isEqualTo(1);
  }

  @Test
  void shouldMarkEveryRankThatMayHaveWrittenWhatIsLostUntilItBeginsAnew() {
    DurableFleet fleet = fleet();
    seconds(fleet, 20);
    quiet(fleet);
    assertThat(fleet.server.snapshotNames()).hasSize(2);
    // Of the new life nothing is left, and nothing comes: only the hole says that something lacks.
    fleet.workers.get(0).kill();
    seconds(fleet, 1);
    fleet.workers.get(0).start();
    fleet.resumeWork();
    seconds(fleet, 2);
    quiet(fleet);
    fleet.routers.forEach(Router::kill);
    fleet.server.corruptSnapshots(true);
    seconds(fleet, 60);
    Router late = fleet.routers.get(0);
    late.start();
    fleet.simulation.await(late.feed().caughtUp());
    seconds(fleet, 3);
    List<WorkerWithDpRank> ranks = ranks(fleet);
    assertThat(late.feed().status().isWhole()).isFalse();
    assertThat(ranks).hasSize(5).allMatch(late.index()::isStale);
    assertThat(late.feed().status().incompleteRanks()).isEqualTo(5);
    assertThat(late.feed().status().firstIncomplete()).containsExactlyElementsOf(ranks);
    fleet.checkStale(late);

    fleet.workers.get(1).kill();
    seconds(fleet, 1);
    fleet.workers.get(1).start();
    seconds(fleet, 3);
    assertThat(late.feed().status().firstIncomplete())
        .containsExactlyElementsOf(ranks.stream().filter(rank -> rank.workerId() != 2).toList());
    assertThat(late.index().isStale(new WorkerWithDpRank(2, 0))).isFalse();
    fleet.workers.forEach(Worker::kill);
    fleet.workers.forEach(Worker::start);
    fleet.resumeWork();
    seconds(fleet, 5);
    quiet(fleet);
    assertThat(late.feed().status().incompleteRanks()).isZero();
    assertThat(ranks).noneMatch(late.index()::isStale);
    fleet.check(late, "all ranks began anew");
  }

  /** Starts a router once what the others would have covered has aged out of the log. */
  private static Router startBehindHole(DurableFleet fleet) {
    fleet.routers.forEach(Router::kill);
    seconds(fleet, 4);
    fleet.stopWork();
    seconds(fleet, 60);
    Router late = fleet.routers.get(0);
    late.start();
    fleet.simulation.await(late.feed().caughtUp());
    return late;
  }

  private static List<WorkerWithDpRank> ranks(DurableFleet fleet) {
    return fleet.workers.stream()
        .flatMap(worker -> worker.engines.stream())
        .map(ModelCache::rank)
        .toList();
  }

  @Test
  void shouldMarkRanksThatOnlyTheDirectoryKnowsAndTellNewcomersByTheSnapshot() {
    DurableFleet fleet = fleet();
    Router late = startBehindHole(fleet);
    seconds(fleet, 2);
    assertThat(late.feed().status().firstIncomplete()).containsExactlyElementsOf(ranks(fleet));
    assertThat(ranks(fleet)).allMatch(late.index()::isStale);
    fleet.resumeWork();
    seconds(fleet, 1);
    quiet(fleet);
    seconds(fleet, 30);
    assertThat(fleet.server.snapshotNames()).isNotEmpty();
    List<WorkerWithDpRank> stale = late.feed().status().firstIncomplete();
    assertThat(stale).isNotEmpty();
    late.kill();
    Router newcomer = fleet.routers.get(1);
    newcomer.start();
    fleet.simulation.await(newcomer.feed().caughtUp());
    assertThat(newcomer.feed().status().isWhole()).isTrue();
    fleet.checkStale(newcomer);
    assertThat(ranks(fleet).stream().filter(newcomer.index()::isStale).toList()).isEqualTo(stale);
  }

  @Test
  void shouldRefuseResetWhileRoutersLiveAndNameThem() {
    DurableFleet fleet = fleet();
    seconds(fleet, 12);
    quiet(fleet);
    DurableReset.Outcome outcome = reset(fleet, false);
    assertThat(outcome.isDone()).isFalse();
    assertThat(outcome.liveRouters()).hasSize(3).allMatch(name -> name.startsWith("router-"));
    assertThat(fleet.server.snapshotNames()).isNotEmpty();
    fleet.check(fleet.routers.get(0), "after refusal");
  }

  @Test
  void shouldHaveRoutersForgetEverythingOnceResetIsForced() {
    DurableFleet fleet = fleet();
    seconds(fleet, 12);
    quiet(fleet);
    fleet.server.putSnapshot("of-somebody-else", new byte[] {1});
    DurableReset.Outcome outcome = reset(fleet, true);
    assertThat(outcome.isDone()).isTrue();
    assertThat(outcome.deletedSnapshots()).isPositive();
    assertThat(fleet.server.snapshotNames()).containsExactly("of-somebody-else");
    fleet.runFor(DurableFleet.SECOND / 5);
    for (Router router : fleet.routers) {
      assertThat(router.index().status().blocks()).isZero();
      assertThat(router.feed().status().count(DurableFeedCounter.RESETS)).isEqualTo(1);
    }
  }

  @Test
  void shouldHaveLiveWritersWriteAnewOnceResetIsForcedIdleOnesToo() {
    DurableFleet fleet = fleet();
    seconds(fleet, 12);
    quiet(fleet);
    assertThat(reset(fleet, true).isDone()).isTrue();
    seconds(fleet, 15);
    checkWrittenAnew(fleet, 1);
    fleet.resumeWork();
    seconds(fleet, 3);
    assertThat(reset(fleet, true).isDone()).isTrue();
    seconds(fleet, 12);
    quiet(fleet);
    checkWrittenAnew(fleet, 2);
  }

  @Test
  void shouldHaveLiveWritersWriteAnewThoughTheMarkIsGoneBeforeTheyLook() {
    DurableFleet fleet = fleet();
    seconds(fleet, 12);
    quiet(fleet);
    assertThat(reset(fleet, true).isDone()).isTrue();
    DurableEventLog log = fleet.server.log(fleet.simulation.environment("stranger"));
    long sequence = fleet.simulation.await(log.append("later", new byte[] {1}));
    fleet.simulation.await(log.purgeThrough(sequence));
    fleet.server.reachable(false);
    seconds(fleet, 20);
    fleet.server.reachable(true);
    seconds(fleet, 15);
    checkWrittenAnew(fleet, 1);
  }

  @Test
  void shouldHaveWritersWriteAnewIntoALogThatSomebodyMadeAnew() {
    DurableFleet fleet = fleet();
    seconds(fleet, 12);
    quiet(fleet);
    List<String> former = fleet.server.snapshotNames();
    assertThat(former).isNotEmpty();
    fleet.server.forgetLog();
    seconds(fleet, 30);
    checkWrittenAnew(fleet, 1);
    // By their numbers they would pass for snapshots of the new log some day.
    assertThat(fleet.server.snapshotNames()).doesNotContainAnyElementsOf(former);
  }

  @Test
  void shouldNotHaveWritersWriteAnewForWhatAgesOrSnapshotsCover() {
    DurableFleet fleet = fleet();
    for (int i = 0; i < 4; i++) {
      fleet.resumeWork();
      seconds(fleet, 40);
      fleet.stopWork();
      seconds(fleet, 60);
    }
    assertThat(fleet.server.firstSequence()).isGreaterThan(100);
    checkWrittenAnew(fleet, 0);
  }

  private static void checkWrittenAnew(DurableFleet fleet, int times) {
    for (Router router : fleet.routers) {
      fleet.check(router, "written anew " + times + " times");
      assertThat(router.feed().status().incompleteRanks()).isZero();
    }
    fleet.workers.forEach(Worker::count);
    assertThat(fleet.writerCounts.getOrDefault(DurableWriterCounter.RESETS, 0L))
        .isEqualTo((long) times * fleet.writerCount());
    fleet.writerCounts.clear();
  }

  private static DurableReset.Outcome reset(DurableFleet fleet, boolean force) {
    Environment environment = fleet.simulation.environment("operator");
    return fleet.simulation.await(
        DurableReset.reset(
            fleet.server.log(environment),
            fleet.server.snapshots(environment),
            environment,
            force));
  }

  @Test
  void shouldRefuseSnapshotsThatAreNotFitAndUseAnOlderOne() throws IOException {
    DurableFleet fleet = fleet();
    seconds(fleet, 20);
    quiet(fleet);
    assertThat(fleet.server.snapshotNames()).hasSize(2);
    fleet.server.corruptSnapshots(true);
    Environment operator = fleet.simulation.environment("operator");
    SnapshotStore store = fleet.server.snapshots(operator);
    put(fleet, store, "radix-state", "what upstream once wrote");
    put(fleet, store, DurableSnapshotFormat.name(4_000_000, 9), "of a log with more entries");
    fleet.routers.forEach(Router::kill);
    Router alone = fleet.routers.get(0);
    alone.start();
    fleet.simulation.await(alone.feed().caughtUp());
    fleet.check(alone, "from the older one");
    DurableFeedStatus status = alone.feed().status();
    assertThat(status.isWhole()).isTrue();
    assertThat(status.count(DurableFeedCounter.SNAPSHOTS_REFUSED)).isEqualTo(3);
    assertThat(status.refusals())
        .anyMatch(line -> line.contains("foreign"))
        .anyMatch(line -> line.contains("never had"));
  }

  private static void put(DurableFleet fleet, SnapshotStore store, String name, String content)
      throws IOException {
    SnapshotUpload upload = store.create(name);
    upload.output().write(content.getBytes(StandardCharsets.UTF_8));
    fleet.simulation.await(upload.commit());
  }

  @Test
  void shouldRefuseSnapshotOfNewerVersionAndUseAnOlderOne() {
    DurableFleet fleet = fleet();
    seconds(fleet, 20);
    quiet(fleet);
    List<String> names = fleet.server.snapshotNames();
    String newest = names.get(names.size() - 1);
    byte[] newer = fleet.server.snapshot(newest).clone();
    newer[9]++;
    long covered = DurableSnapshotFormat.coveredBy(newest);
    fleet.server.putSnapshot(DurableSnapshotFormat.name(covered, -1), newer);
    fleet.routers.forEach(Router::kill);
    Router alone = fleet.routers.get(0);
    alone.start();
    fleet.simulation.await(alone.feed().caughtUp());
    fleet.check(alone, "from the older one");
    assertThat(alone.feed().status().isWhole()).isTrue();
    assertThat(alone.feed().status().refusals())
        .singleElement()
        .asString()
        .contains("another version: version=2");
  }

  @Test
  void shouldPurgeNothingBeforeEveryReaderHasAcknowledged() {
    DurableFleet fleet =
        fleet(
            SimulatedLogSettings.builder()
                .retention(Duration.ofHours(1))
                .requestTimeout(Duration.ofMillis(700))
                .build());
    Environment reader = fleet.simulation.environment("reader");
    LogSubscription stuck =
        fleet
            .server
            .log(reader)
            .consume("router-stuck", 1, reader.lanes().lane("reader"), new NeverAcknowledging());
    seconds(fleet, 40);
    assertThat(fleet.server.snapshotNames()).hasSize(2);
    assertThat(fleet.server.firstSequence()).isEqualTo(1);
    stuck.close();
    // Nobody attends to it any more: it is removed after its grace.
    seconds(fleet, 20);
    assertThat(fleet.server.consumerNames()).doesNotContain("router-stuck");
    assertThat(fleet.server.firstSequence()).isGreaterThan(1);
    quiet(fleet);
    fleet.check(fleet.routers.get(0), "after the purge");
  }

  private static final class NeverAcknowledging implements LogListener {
    @Override
    public void ready() {}

    @Override
    public void entry(LogEntry entry) {}

    @Override
    public void failed(DurableLogException failure) {
      throw new AssertionError("reader fails", failure);
    }
  }

  @Test
  void shouldKeepNothingBetweenComponents() {
    DurableFleet one = fleet();
    seconds(one, 20);
    quiet(one);
    byte[] snapshot = one.server.snapshot(one.server.snapshotNames().get(0));
    one.routers.forEach(Router::kill);
    one.scope("other");
    one.server.putSnapshot(DurableSnapshotFormat.name(1, 1), snapshot);
    Router alone = one.routers.get(0);
    alone.start();
    one.simulation.await(alone.feed().caughtUp());
    assertThat(alone.feed().status().refusals()).anyMatch(line -> line.contains("another scope"));
  }

  @Test
  void shouldMakeRoomByItselfWhenTheLogIsFull() {
    DurableFleet fleet =
        fleet(
            SimulatedLogSettings.builder()
                .retention(Duration.ofHours(1))
                .maxEntries(40)
                .requestTimeout(Duration.ofMillis(700))
                .build());
    seconds(fleet, 40);
    quiet(fleet);
    seconds(fleet, 20);
    fleet.check(fleet.routers.get(0), "after a full log");
    assertThat(fleet.server.largestEntryCount()).isLessThanOrEqualTo(40);
    assertThat(fleet.routers)
        .anyMatch(router -> router.feed().status().count(DurableFeedCounter.PURGES) > 0);
  }

  @Test
  void shouldCountEntriesOfOthersAndGoOn() {
    DurableFleet fleet = fleet();
    DurableEventLog log = fleet.server.log(fleet.simulation.environment("stranger"));
    List.of("nothing of ours", "{\"kind\":\"reset\"}", "")
        .forEach(
            text ->
                fleet.simulation.await(
                    log.append("strange" + text, text.getBytes(StandardCharsets.UTF_8))));
    seconds(fleet, 5);
    quiet(fleet);
    Router router = fleet.routers.get(0);
    fleet.check(router, "beside others");
    assertThat(router.feed().status().count(DurableFeedCounter.FOREIGN_ENTRIES)).isEqualTo(3);
  }
}
