// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import static io.dynamo4j.indexer.RecoveryFixture.clear;
import static io.dynamo4j.indexer.RecoveryFixture.remove;
import static io.dynamo4j.indexer.RecoveryFixture.store;
import static io.dynamo4j.indexer.RecoveryFixture.under;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.SourceStatus.State;
import io.dynamo4j.plane.WorkerInstance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Sources that come, go, return, do not answer, or are two. */
class KvFeedSourcesTest {
  private static final WorkerWithDpRank W1 = WorkerWithDpRank.of(1);

  private RecoveryFixture fixture = new RecoveryFixture();

  private RecoveryFixture.Worker started() {
    RecoveryFixture.Worker worker = fixture.worker(1).serve().register();
    fixture.settle();
    return worker;
  }

  private void assertExact(RecoveryFixture.Worker worker) {
    assertThat(fixture.source(worker.rank).state()).isEqualTo(State.EXACT);
    assertThat(fixture.indexer.status().blocks()).isEqualTo(worker.local.blockCount());
  }

  /* --------------- Lives --------------- */

  @Test
  void shouldHoldWhatTheNextLifeHoldsAndNothingOfTheLast() {
    RecoveryFixture.Worker first = started();
    first.publish(store(5, 6));
    fixture.settle();
    first.die();
    RecoveryFixture.Worker second = fixture.new Worker(1, 2, 16).serve();
    second.record(store(5), store(8));
    second.register();
    first.deliver(first.record(under(6, 7)));
    fixture.settle();

    assertThat(fixture.scores(5, 6)).isEqualTo(Map.of(W1, 1));
    assertThat(fixture.scores(8)).isEqualTo(Map.of(W1, 1));
    assertExact(second);
  }

  /** The number that its event had is the next that the present life will give. */
  @Test
  void shouldNotTakeALifeThatWasNeverRegisteredForTheNext() {
    fixture.worker(1).publish(store(5));
    fixture.runMillis(1_000);
    RecoveryFixture.Worker next = fixture.new Worker(1, 2, 16).serve().register();
    fixture.settle();

    assertThat(fixture.scores(5)).isEmpty();
    assertThat(fixture.count(FeedCounter.CLAIMED_EVENTS)).isEqualTo(1);
    assertExact(next);
  }

  @Test
  void shouldApplyEarlyEventsOfASourceWhoseAnswerIsAwaited() {
    RecoveryFixture.Worker worker = fixture.worker(1);
    worker.publish(store(5));
    worker.register();
    fixture.runMillis(100);

    assertThat(fixture.scores(5)).isEqualTo(Map.of(W1, 1));
    assertThat(fixture.source(W1).state()).isEqualTo(State.RESTORING);
    worker.serve();
    fixture.runMillis(1_000);
    assertThat(fixture.scores(5)).isEqualTo(Map.of(W1, 1));
    assertExact(worker);
  }

  @Test
  void shouldForgetAWorkerThatComesBackUnderAnotherId() {
    RecoveryFixture.Worker first = started();
    first.publish(store(5, 6));
    fixture.settle();
    first.die();
    RecoveryFixture.Worker second = fixture.worker(2).serve();
    second.record(store(5));
    second.register();
    fixture.directory.unregister(1);
    fixture.settle();

    assertThat(fixture.scores(5, 6)).isEqualTo(Map.of(second.rank, 1));
    assertExact(second);
  }

  @Test
  void shouldRestoreAWorkerThatWasSuspendedAndUnregistered() {
    RecoveryFixture.Worker worker = started();
    worker.publish(store(5, 6));
    fixture.settle();
    fixture.directory.unregister(1);
    fixture.settle();
    assertThat(fixture.scores(5, 6)).isEmpty();
    assertThat(fixture.feed.sources()).isEmpty();
    worker.lose(remove(6));
    worker.register();
    fixture.settle();

    assertThat(fixture.scores(5, 6)).isEqualTo(Map.of(W1, 1));
    worker.publish(under(5, 7));
    fixture.settle();
    assertThat(fixture.scores(5, 7)).isEqualTo(Map.of(W1, 2));
    assertExact(worker);
  }

  @Test
  void shouldForgetARankThatIsRemovedAndRestoreItWhenItIsBack() {
    WorkerInstance both =
        WorkerInstance.builder(1, IndexerFixture.instance(1, 1).address())
            .incarnation(1)
            .dpRanks(0, 2)
            .build();
    RecoveryFixture.Worker rank0 = fixture.new Worker(both, 0, 16).serve();
    RecoveryFixture.Worker rank1 = fixture.new Worker(both, 1, 16).serve();
    fixture.directory.register(both);
    fixture.settle();
    rank0.publish(store(5));
    rank1.publish(store(5, 6));
    fixture.settle();
    assertThat(fixture.scores(5, 6)).isEqualTo(Map.of(rank0.rank, 1, rank1.rank, 2));

    fixture.directory.register(IndexerFixture.instance(1, 1));
    fixture.settle();
    assertThat(fixture.scores(5, 6)).isEqualTo(Map.of(rank0.rank, 1));
    rank1.lose(under(6, 7));
    fixture.directory.register(both);
    fixture.settle();
    assertThat(fixture.scores(5, 6, 7)).isEqualTo(Map.of(rank0.rank, 1, rank1.rank, 3));
    assertThat(rank0.queriesByNanos).hasSize(1);
  }

  @Test
  void shouldTakeARestartUnderTheSamePublisherForANewStart() {
    RecoveryFixture.Worker first = started();
    first.publish(store(5)).publish(store(6)).publish(store(7));
    fixture.settle();
    first.die();
    RecoveryFixture.Worker again = fixture.new Worker(first.instance, 0, 16).serve();
    again.publish(store(8));
    fixture.settle();

    assertThat(fixture.scores(5)).isEmpty();
    assertThat(fixture.scores(8)).isEqualTo(Map.of(W1, 1));
    assertThat(fixture.count(FeedCounter.RESTARTS)).isEqualTo(1);
    assertExact(again);
  }

  @Test
  void shouldEndARecoveryWhoseWorkerIsGoneAndBeginAnotherWhenItIsBack() {
    RecoveryFixture.Worker worker = fixture.worker(1).register();
    fixture.runMillis(500);
    assertThat(fixture.source(W1).failedAttempts()).isPositive();
    fixture.directory.unregister(1);
    fixture.settle();

    assertThat(fixture.feed.progress()).isEqualTo(new RecoveryProgress(0, 0, 0, 0, 0));
    long failures = fixture.count(FeedCounter.FAILED_QUERIES);
    fixture.runMillis(60_000);
    assertThat(fixture.count(FeedCounter.FAILED_QUERIES)).isEqualTo(failures);
    worker.record(store(5));
    worker.serve().register();
    fixture.settle();
    assertThat(fixture.scores(5)).isEqualTo(Map.of(W1, 1));
  }

  @Test
  void shouldDropAnAnswerThatComesAfterItsWorkerIsGone() {
    RecoveryFixture.Worker worker = fixture.worker(1).serve();
    worker.record(store(5));
    worker.register();
    simulationUntilAsked(worker);
    fixture.directory.unregister(1);
    fixture.settle();

    assertThat(fixture.scores(5)).isEmpty();
    assertThat(fixture.indexer.status().blocks()).isZero();
  }

  private void simulationUntilAsked(RecoveryFixture.Worker worker) {
    for (int step = 0; step < 10_000 && worker.queriesByNanos.isEmpty(); step++) {
      fixture.simulation.runFor(1_000);
    }
    assertThat(worker.queriesByNanos).hasSize(1);
  }

  /* --------------- R1: sources that do not answer --------------- */

  @Test
  void shouldAskEightTimesWithDoublingPausesAndGoOnAfterwards() {
    RecoveryFixture.Worker worker = fixture.worker(1).serve().register();
    worker.isBroken = true;
    fixture.runMillis(26_000);

    List<Long> times = new ArrayList<>(worker.queriesByNanos.keySet());
    assertThat(times).hasSize(8);
    for (int i = 1; i < times.size(); i++) {
      long pause = 200_000_000L << (i - 1);
      assertThat(times.get(i) - times.get(i - 1)).isBetween(pause / 2, pause + 10_000_000);
    }
    assertThat(fixture.source(W1).state()).isEqualTo(State.UNREACHABLE);
    assertThat(fixture.source(W1).lastFailure()).contains("worker_unavailable");
    assertThat(fixture.feed.progress().failed()).isEqualTo(1);
    assertThat(fixture.indexer.isStale(W1)).isTrue();

    worker.isBroken = false;
    worker.record(store(5));
    fixture.runMillis(31_000);
    assertThat(fixture.scores(5)).isEqualTo(Map.of(W1, 1));
    assertExact(worker);
  }

  @Test
  void shouldUseLiveEventsOfASourceWhosePastCannotBeHad() {
    RecoveryFixture.Worker worker = fixture.worker(1);
    worker.record(store(5));
    worker.sequence = 1;
    worker.register();
    fixture.settle();
    worker.publish(store(8)).publish(under(8, 9)).publish(under(5, 6));
    fixture.settle();

    assertThat(fixture.scores(8, 9)).isEqualTo(Map.of(W1, 2));
    assertThat(fixture.scores(5, 6)).isEmpty();
    fixture.runMillis(60_000);
    assertThat(fixture.source(W1).state().isStale()).isTrue();
    worker.serve();
    worker.publish(under(6, 7)); // its next event has it asked again at once
    fixture.runMillis(30_000);
    assertThat(fixture.scores(5, 6, 7)).isEqualTo(Map.of(W1, 3));
    assertExact(worker);
  }

  @Test
  void shouldGiveUpWaitingForASourceThatSaysNothing() {
    fixture =
        new RecoveryFixture(
            RecoveryConfig.builder().attemptTimeout(Duration.ofSeconds(1)).build(), 1 << 16);
    RecoveryFixture.Worker worker = fixture.worker(1).serve();
    worker.isSilent = true;
    worker.record(store(5));
    worker.register();
    fixture.runMillis(1_100);
    worker.isSilent = false;
    fixture.runMillis(1_000);

    assertThat(fixture.scores(5)).isEqualTo(Map.of(W1, 1));
    assertThat(fixture.count(FeedCounter.FAILED_QUERIES)).isEqualTo(1);
  }

  @Test
  void shouldAskSixteenSourcesAtOneTime() {
    List<RecoveryFixture.Worker> workers = new ArrayList<>();
    for (long id = 1; id <= 40; id++) {
      RecoveryFixture.Worker worker = fixture.worker(id).serve();
      worker.isSilent = true;
      worker.record(store(id));
      workers.add(worker.register());
    }
    fixture.settle();

    assertThat(fixture.feed.progress()).isEqualTo(new RecoveryProgress(40, 0, 0, 16, 0));
    assertThat(workers.stream().filter(worker -> !worker.queriesByNanos.isEmpty())).hasSize(16);
    workers.forEach(worker -> worker.isSilent = false);
    fixture.runMillis(60_000);
    assertThat(fixture.feed.progress()).isEqualTo(new RecoveryProgress(40, 40, 0, 0, 40));
  }

  @Test
  void shouldTakeLiveEventsOfASourceThatNobodyAnswersFor() {
    KvIndexer index = KvIndexer.builder().environment(fixture.router).blockSize(16).build();
    KvEventFeed feed =
        KvEventFeed.builder()
            .eventPlane(fixture.plane, RecoveryFixture.SCOPE)
            .directory(fixture.directory)
            .indexer(index)
            .environment(fixture.router)
            .recovery(fixture.requests, (worker, rank) -> null)
            .connect();
    fixture.worker(1).register().publish(store(5)).lose(store(6)).publish(store(7));
    fixture.settle();

    assertThat(IndexerFixture.scores(index, 7)).isEqualTo(Map.of(W1, 1));
    assertThat(feed.sources()).containsExactly(new SourceStatus(W1, State.LIVE_ONLY, 0, null));
    assertThat(feed.progress().done()).isEqualTo(1);
  }

  /* --------------- R1: two publishers --------------- */

  @Test
  void shouldNameTwoPublishersOfOneRankAndKeepTheViewOfTheFirst() {
    RecoveryFixture.Worker worker = started();
    worker.publish(store(5, 6));
    fixture.plane.deliver(999, 0, fixture.worker(1).record(clear()));
    fixture.settle();
    worker.publish(under(6, 7));
    fixture.settle();

    assertThat(fixture.feed.status().conflicts())
        .containsExactly(new SourceConflict(W1, worker.publisherId, 999));
    assertThat(fixture.scores(5, 6, 7)).isEqualTo(Map.of(W1, 3));
    fixture.runMillis(12_000);
    assertThat(fixture.feed.status().conflicts()).isEmpty();
    assertThat(fixture.count(FeedCounter.CONFLICTING_EVENTS)).isEqualTo(1);
  }

  @Test
  void shouldLetTheSecondPublisherWriteOnceTheFirstIsSilent() {
    RecoveryFixture.Worker first = started();
    first.publish(store(5, 6));
    fixture.settle();
    first.die();
    RecoveryFixture.Worker second =
        fixture
            .new Worker(
                WorkerInstance.builder(1, first.instance.address()).incarnation(7).build(), 0, 16)
            .serve();
    second.publish(store(8)); // the directory still knows the first life only
    fixture.runMillis(12_000);

    assertThat(fixture.scores(5)).isEmpty();
    assertThat(fixture.scores(8)).isEqualTo(Map.of(W1, 1));
    assertThat(fixture.count(FeedCounter.TAKEOVERS)).isEqualTo(1);
    assertExact(second);
  }

  /* --------------- Closing --------------- */

  @Test
  void shouldAskNothingAfterClose() {
    RecoveryFixture.Worker worker = fixture.worker(1).serve().register();
    worker.isBroken = true;
    fixture.settle();
    int asked = worker.queriesByNanos.size();
    fixture.feed.close();
    fixture.feed.close();
    fixture.runMillis(120_000);

    assertThat(worker.queriesByNanos).hasSize(asked);
    assertThat(fixture.indexer.isStale(W1)).isFalse();
    assertThat(fixture.simulation.pendingTaskCount()).isZero();
  }
}
