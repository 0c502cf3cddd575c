// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import static io.dynamo4j.indexer.RecoveryFixture.remove;
import static io.dynamo4j.indexer.RecoveryFixture.store;
import static io.dynamo4j.indexer.RecoveryFixture.under;
import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.SourceStatus.State;
import io.dynamo4j.wire.RecoveryQuery;
import io.dynamo4j.wire.SourceHead;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The index is held against what sources say they hold. */
class KvFeedProofTest {
  private static final WorkerWithDpRank W1 = WorkerWithDpRank.of(1);
  private static final int CHAINS = 100;
  private static final int CHAIN = 50;

  private final RecoveryFixture fixture = new RecoveryFixture();
  private final RecoveryFixture.Worker worker = fixture.worker(1).serve();

  private void start() {
    for (int i = 0; i < CHAINS; i++) {
      worker.record(store(chain(i)));
    }
    worker.sequence = CHAINS;
    worker.register();
    fixture.settle();
    assertThat(fixture.indexer.status().blocks()).isEqualTo(CHAINS * CHAIN);
  }

  private static long[] chain(int number) {
    long[] hashes = new long[CHAIN];
    for (int i = 0; i < CHAIN; i++) {
      hashes[i] = 1_000L * (number + 1) + i;
    }
    return hashes;
  }

  /** What nobody told the feed of. */
  private void behindItsBack(KvCacheEventData data) {
    fixture.indexer.submit(IndexerFixture.event(1, 0, data));
  }

  private void announceFor(int seconds) {
    for (int second = 0; second < seconds; second++) {
      worker.announce();
      fixture.runMillis(1_000);
    }
  }

  @Test
  void shouldBringBackABlockThatWasDeletedBehindItsBackAndLittleElse() {
    start();
    behindItsBack(remove(chain(3)[20]));
    fixture.settle();
    assertThat(fixture.scores(chain(3))).isEqualTo(Map.of(W1, 20));
    long before = worker.bytesAnswered + worker.bytesAsked;
    announceFor(62);

    assertThat(fixture.scores(chain(3))).isEqualTo(Map.of(W1, CHAIN));
    assertThat(fixture.count(FeedCounter.DISPROVED_RANKS)).isEqualTo(1);
    assertThat(fixture.count(FeedCounter.REPAIRED_BLOCKS)).isEqualTo(1);
    assertThat(fixture.count(FeedCounter.RESTORES)).isEqualTo(1); // the one at the start
    long repaired = worker.bytesAnswered + worker.bytesAsked - before;
    long whole = worker.local.answer(RecoveryQuery.ofEverything(W1).encode()).length;
    assertThat(repaired).isPositive().isLessThan(whole / 20);
    assertThat(fixture.source(W1).state()).isEqualTo(State.EXACT);
  }

  @Test
  void shouldForgetABlockThatNobodyHolds() {
    start();
    behindItsBack(under(chain(3)[CHAIN - 1], 77));
    announceFor(62);

    long[] longer = Arrays.copyOf(chain(3), CHAIN + 1);
    longer[CHAIN] = 77;
    assertThat(fixture.scores(longer)).isEqualTo(Map.of(W1, CHAIN));
    assertThat(fixture.indexer.status().blocks()).isEqualTo(CHAINS * CHAIN);
    assertThat(fixture.count(FeedCounter.REPAIRED_BLOCKS)).isEqualTo(1);
  }

  @Test
  void shouldBringBackChainsWithEachParentFirst() {
    start();
    behindItsBack(remove(Arrays.copyOfRange(chain(5), 10, 40)));
    behindItsBack(remove(chain(6)));
    announceFor(62);

    assertThat(fixture.scores(chain(5))).isEqualTo(Map.of(W1, CHAIN));
    assertThat(fixture.scores(chain(6))).isEqualTo(Map.of(W1, CHAIN));
    assertThat(fixture.count(FeedCounter.REPAIRED_BLOCKS)).isEqualTo(30 + CHAIN);
  }

  @Test
  void shouldGoOnWithEventsThatCameDuringTheRepair() {
    start();
    behindItsBack(remove(chain(3)[20]));
    announceFor(60);
    worker.isSilent = true;
    worker.announce();
    fixture.settle();
    assertThat(fixture.source(W1).state()).isEqualTo(State.CATCHING_UP);
    assertThat(fixture.indexer.isStale(W1)).isTrue();
    worker.publish(remove(chain(4)[30]), store(88));
    worker.isSilent = false;
    announceFor(150);

    assertThat(fixture.scores(chain(3))).isEqualTo(Map.of(W1, CHAIN));
    assertThat(fixture.scores(chain(4))).isEqualTo(Map.of(W1, 30));
    assertThat(fixture.scores(88)).isEqualTo(Map.of(W1, 1));
    assertThat(fixture.source(W1).state()).isEqualTo(State.EXACT);
  }

  @Test
  void shouldAskForEverythingWhenTheRepairDidNotHelp() {
    start();
    for (int second = 0; second < 125; second++) {
      fixture.plane.deliver(
          KvEventFeed.HEADS_TOPIC,
          worker.publisherId,
          0,
          new SourceHead(W1, worker.local.lastEventId(), 0, OptionalLong.of(4711)).encode());
      fixture.runMillis(1_000);
    }
    assertThat(fixture.count(FeedCounter.DISPROVED_RANKS)).isEqualTo(2);
    assertThat(fixture.count(FeedCounter.RESTORES)).isEqualTo(2);
    assertThat(fixture.indexer.status().blocks()).isEqualTo(CHAINS * CHAIN);
  }
}
