// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import static io.dynamo4j.indexer.RecoveryFixture.clear;
import static io.dynamo4j.indexer.RecoveryFixture.remove;
import static io.dynamo4j.indexer.RecoveryFixture.renumbered;
import static io.dynamo4j.indexer.RecoveryFixture.store;
import static io.dynamo4j.indexer.RecoveryFixture.under;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.SourceStatus.State;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is lost, repeated, out of order or forged on the way, and how it is put right. */
class KvFeedRecoveryTest {
  private static final WorkerWithDpRank W1 = WorkerWithDpRank.of(1);

  private RecoveryFixture fixture = new RecoveryFixture();

  private RecoveryFixture.Worker started() {
    RecoveryFixture.Worker worker = fixture.worker(1).serve().register();
    fixture.settle();
    return worker;
  }

  private long count(FeedCounter counter) {
    return fixture.count(counter);
  }

  private void assertExact(RecoveryFixture.Worker worker) {
    assertThat(fixture.source(worker.rank).state()).isEqualTo(State.EXACT);
    assertThat(fixture.indexer.isStale(worker.rank)).isFalse();
    assertThat(fixture.indexer.status().blocks()).isEqualTo(worker.local.blockCount());
  }

  /* --------------- R1: the past, and gaps --------------- */

  @Test
  void shouldLearnWhatWasPublishedBeforeTheRouterStarted() {
    RecoveryFixture.Worker worker = fixture.worker(1).serve();
    worker.record(store(5, 6), under(6, 7), remove(7));
    worker.sequence = 3;
    worker.register();
    fixture.settle();

    assertThat(fixture.scores(5, 6, 7)).isEqualTo(Map.of(W1, 2));
    assertThat(fixture.feed.progress()).isEqualTo(new RecoveryProgress(1, 1, 0, 0, 2));
    assertThat(fixture.feed.progress().isSettled()).isTrue();
    worker.publish(under(6, 8));
    fixture.settle();
    assertThat(fixture.scores(5, 6, 8)).isEqualTo(Map.of(W1, 3));
    assertThat(count(FeedCounter.GAPS)).isZero();
    assertExact(worker);
  }

  @Test
  void shouldAskForTheMissingEventsWhenALaterOneShowsAGap() {
    RecoveryFixture.Worker worker = started();
    worker.publish(store(5)).lose(under(5, 6)).publish(under(6, 7));
    fixture.settle();

    assertThat(fixture.scores(5, 6, 7)).isEqualTo(Map.of(W1, 3));
    assertThat(count(FeedCounter.GAPS)).isEqualTo(1);
    assertThat(count(FeedCounter.CATCH_UPS)).isEqualTo(1);
    assertThat(count(FeedCounter.RESTORES)).isEqualTo(1); // the one at the start
    assertThat(worker.queriesByNanos.values())
        .last()
        .satisfies(query -> assertThat(query.startEventId()).hasValue(2));
    assertExact(worker);
  }

  @Test
  void shouldTakeEverythingWhenTheRingIsTooShort() {
    RecoveryFixture.Worker worker = fixture.new Worker(1, 1, 2).serve().register();
    fixture.settle();
    worker.publish(store(5));
    for (int hash = 6; hash < 12; hash++) {
      worker.lose(under(hash - 1, hash));
    }
    worker.lose(remove(11)).publish(under(10, 12));
    fixture.settle();

    assertThat(fixture.scores(5, 6, 7, 8, 9, 10, 12)).isEqualTo(Map.of(W1, 7));
    assertThat(count(FeedCounter.RESTORES)).isEqualTo(2);
    assertExact(worker);
  }

  @Test
  void shouldNoticeALostRemovalAtTheEndWhenTheSourceAnnouncesItsNewestNumber() {
    RecoveryFixture.Worker worker = started();
    worker.publish(store(5, 6)).lose(remove(6), store(8));
    worker.announce();
    fixture.settle();
    assertThat(count(FeedCounter.LOST_TAILS)).isZero(); // it may be under way
    worker.announce();
    fixture.settle();

    assertThat(fixture.scores(5, 6)).isEqualTo(Map.of(W1, 1));
    assertThat(fixture.scores(8)).isEqualTo(Map.of(W1, 1));
    assertThat(count(FeedCounter.LOST_TAILS)).isEqualTo(1);
    assertExact(worker);
  }

  @Test
  void shouldNoticeALostRemovalAtTheEndByAskingASourceThatAnnouncesNothing() {
    RecoveryFixture.Worker worker = started();
    worker.publish(store(5, 6)).lose(remove(6));
    fixture.runMillis(3 * 10_000);

    assertThat(fixture.scores(5, 6)).isEqualTo(Map.of(W1, 1));
    assertThat(count(FeedCounter.LOST_TAILS)).isEqualTo(1);
    assertExact(worker);
  }

  @Test
  void shouldNotAskASourceThatAnnouncesAllIsWell() {
    RecoveryFixture.Worker worker = started();
    worker.publish(store(5, 6));
    for (int second = 0; second < 60; second++) {
      worker.announce();
      fixture.runMillis(1_000);
    }
    assertThat(worker.queriesByNanos).hasSize(1);
  }

  @Test
  void shouldNotRestoreASourceAgainAndAgainThatHasNothingYet() {
    RecoveryFixture.Worker worker = started();
    fixture.runMillis(60_000);
    assertThat(worker.queriesByNanos.size()).isBetween(2, 14);
    assertThat(count(FeedCounter.RESTORES)).isEqualTo(1);
    assertThat(count(FeedCounter.REGRESSIONS)).isZero();
    assertExact(worker);
  }

  @Test
  void shouldDropEventsOfALifeBeforeWhenTheSourceHasNothingYet() {
    RecoveryFixture.Worker worker = started();
    worker.deliver(renumbered(fixture.worker(1).record(store(99))[0], 8));
    fixture.runMillis(1_000);
    assertThat(fixture.scores(99)).isEmpty();
    worker.publish(store(5));
    fixture.settle();
    assertThat(fixture.scores(5)).isEqualTo(Map.of(W1, 1));
    assertThat(worker.queriesByNanos.size()).isLessThan(6);
    assertExact(worker);
  }

  /* --------------- R1: repetition, order, forged numbers --------------- */

  @Test
  void shouldPutEventsInOrderThatThePlaneDeliversOutOfOrder() {
    RecoveryFixture.Worker worker = started();
    RouterEvent[] events = worker.record(store(5), under(5, 6), remove(6), under(5, 7));
    for (int i : new int[] {0, 3, 1, 2, 1}) {
      fixture.plane.deliver(worker.publisherId, i, events[i]);
    }
    fixture.settle();

    assertThat(fixture.scores(5, 6)).isEqualTo(Map.of(W1, 1));
    assertThat(fixture.scores(5, 7)).isEqualTo(Map.of(W1, 2));
    assertThat(count(FeedCounter.RESTARTS)).isZero();
    assertExact(worker);
  }

  @Test
  void shouldIgnoreAStoreThatIsRepeatedAfterItsRemoval() {
    RecoveryFixture.Worker worker = started();
    worker.publish(store(5)).publish(store(6)).publish(remove(5));
    fixture.plane.deliver(worker.publisherId, 0, worker.recorded.get(0));
    fixture.settle();

    assertThat(fixture.scores(5)).isEmpty();
    assertThat(count(FeedCounter.REPEATED_ENVELOPES)).isEqualTo(1);
    assertExact(worker);
  }

  @Test
  void shouldNotBeDeafenedByANumberThatTheSourceNeverGave() {
    RecoveryFixture.Worker worker = started();
    worker.publish(store(5));
    RouterEvent bogus = renumbered(fixture.worker(1).record(store(99))[0], 1_000_000);
    worker.deliver(bogus);
    fixture.settle();
    assertThat(fixture.scores(99)).isEmpty();
    for (int hash = 6; hash < 10; hash++) {
      worker.publish(under(hash - 1, hash));
      fixture.settle();
      assertThat(fixture.scores(5, 6, 7, 8, 9)).isEqualTo(Map.of(W1, hash - 4));
    }
    assertThat(count(FeedCounter.BOGUS_EVENTS)).isEqualTo(1);
    assertExact(worker);
  }

  @Test
  void shouldAskForEverythingWhenNumbersGoBack() {
    RecoveryFixture.Worker worker = started();
    worker.publish(store(5), store(6), store(7));
    worker.deliver(renumbered(worker.recorded.get(0), 2));
    fixture.settle();

    assertThat(count(FeedCounter.REGRESSIONS)).isEqualTo(1);
    assertThat(count(FeedCounter.RESTORES)).isEqualTo(2);
    assertExact(worker);
  }

  @Test
  void shouldAskForEverythingWhenAParentIsUnknownThoughNoNumberIsMissing() {
    RecoveryFixture.Worker worker = started();
    worker.publish(store(5));
    fixture.settle();
    fixture.indexer.removeWorkerDpRank(W1); // behind the feed's back
    worker.publish(under(5, 6));
    fixture.settle();

    assertThat(fixture.scores(5, 6)).isEqualTo(Map.of(W1, 2));
    assertThat(count(FeedCounter.ORPHANS)).isEqualTo(1);
    assertExact(worker);
  }

  @Test
  void shouldAskEverMoreSeldomWhenASourceGoesOnSendingOrphans() {
    RecoveryFixture.Worker worker = started();
    for (int i = 0; i < 600; i++) {
      // Stores that its own tree refuses, sent nevertheless.
      RouterEvent good = worker.record(store(1_000 + i))[0];
      worker.deliver(
          RouterEvent.of(
              1, good.tier(), KvCacheEvent.of(good.event().eventId(), 0, under(77, 2_000 + i))));
      fixture.runMillis(100);
    }
    assertThat(count(FeedCounter.RESTORES)).isBetween(4L, 9L);
  }

  /* --------------- Clears, queues, foreign events --------------- */

  @Test
  void shouldEmptyTheRankWhenItsEngineClearedEverythingBehindAGap() {
    RecoveryFixture.Worker worker = started();
    worker.publish(store(5, 6)).lose(store(8), clear(), store(9)).publish(store(10));
    fixture.settle();

    assertThat(fixture.scores(5)).isEmpty();
    assertThat(fixture.scores(8)).isEmpty();
    assertThat(fixture.scores(9)).isEqualTo(Map.of(W1, 1));
    assertExact(worker);
  }

  @Test
  void shouldRestoreMoreThanTheIndexTakesAtOnce() {
    fixture = new RecoveryFixture(RecoveryConfig.ofDefaults(), 4);
    RecoveryFixture.Worker worker = fixture.worker(1).serve();
    for (int i = 0; i < 500; i++) {
      worker.record(store(1_000 + i));
    }
    worker.register();
    fixture.runMillis(1_000);

    assertThat(fixture.indexer.status().blocks()).isEqualTo(500);
    assertExact(worker);
  }

  @Test
  void shouldAskForEverythingWhenTheIndexWasTooBusyForAnEvent() {
    fixture = new RecoveryFixture(RecoveryConfig.ofDefaults(), 4);
    RecoveryFixture.Worker worker = started();
    worker.publish(store(1), store(2), store(3), store(4), store(5), store(6), store(7));
    fixture.runMillis(1_000);

    assertThat(fixture.indexer.status().events(EventOutcome.QUEUE_FULL)).isPositive();
    assertThat(fixture.indexer.status().blocks()).isEqualTo(7);
    assertExact(worker);
  }

  @Test
  void shouldLeaveOtherRanksAloneWhileOneRecovers() {
    RecoveryFixture.Worker worker = started();
    RecoveryFixture.Worker other = fixture.worker(2).serve().register();
    fixture.settle();
    worker.isSilent = true;
    worker.publish(store(5)).lose(under(5, 6)).publish(under(6, 7));
    other.publish(store(5), under(5, 6));
    fixture.settle();

    assertThat(fixture.scores(5, 6)).isEqualTo(Map.of(W1, 1, other.rank, 2));
    assertThat(fixture.indexer.isStale(W1)).isTrue();
    assertThat(fixture.indexer.isStale(other.rank)).isFalse();
    assertThat(fixture.source(W1).state()).isEqualTo(State.CATCHING_UP);
    assertThat(other.queriesByNanos).hasSize(1);
  }

  @Test
  void shouldApplyEventsThatStandOnTheirOwnWhileARankRecovers() {
    RecoveryFixture.Worker worker = started();
    worker.isSilent = true;
    worker.publish(store(5)).lose(under(5, 6)).publish(store(8, 9)).publish(remove(5));
    fixture.settle();

    assertThat(fixture.scores(8, 9)).isEqualTo(Map.of(W1, 2));
    assertThat(fixture.scores(5)).isEqualTo(Map.of(W1, 1)); // in its turn
    worker.isSilent = false;
    fixture.runMillis(30_000);
    assertThat(fixture.scores(5)).isEmpty();
    assertExact(worker);
  }
}
