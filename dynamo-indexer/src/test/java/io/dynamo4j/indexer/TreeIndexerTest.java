// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import static io.dynamo4j.indexer.IndexerFixture.remove;
import static io.dynamo4j.indexer.IndexerFixture.scores;
import static io.dynamo4j.indexer.IndexerFixture.store;
import static io.dynamo4j.indexer.IndexerFixture.storeUnder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.testing.EventStreams;
import io.dynamo4j.core.testing.EventStreams.Hashes;
import io.dynamo4j.core.testing.IndexComparison;
import io.dynamo4j.core.testing.IndexStep;
import io.dynamo4j.core.testing.ReferenceIndex;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TreeIndexerTest {
  private static final WorkerWithDpRank W1 = WorkerWithDpRank.of(1);
  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final KvIndexer index =
      KvIndexer.builder()
          .environment(simulation.environment("router"))
          .blockSize(16)
          .maxPendingUpdates(3)
          .build();

  @Test
  void shouldApplyInOrderAndSayWhenItIsVisible() {
    index.submit(store(1, 5, 6));
    index.submit(remove(1, 6));
    assertThat(scores(index, 5)).isEmpty();
    simulation.await(index.flush());

    assertThat(scores(index, 5, 6)).isEqualTo(Map.of(W1, 1));
    assertThat(index.status().blocks()).isEqualTo(1);
    assertThat(index.status().pendingUpdates()).isZero();
    assertThat(index.blockSize()).isEqualTo(16);
  }

  @Test
  void shouldHaveRoomForEventsHoweverManyWaitForAFlush() {
    for (int i = 0; i < 10; i++) {
      index.flush();
      index.heldHashes(W1);
      index.removeWorkerDpRank(W1);
    }
    assertThat(index.status().pendingUpdates()).isZero();
    for (long hash = 5; hash < 8; hash++) {
      assertThat(index.submit(store(1, hash))).isTrue();
    }
    assertThat(index.submit(store(1, 8))).isFalse();
    simulation.await(index.flush());
    assertThat(index.status().blocks()).isEqualTo(3);
  }

  @Test
  void shouldCountEveryOutcome() {
    index.submit(store(1, 5));
    index.submit(store(1, 5));
    index.submit(storeUnder(1, 99, 6, 7));
    simulation.await(index.flush());
    index.submit(storeUnder(1, 5, 5));
    index.submit(remove(1, 5, 98, 97));
    RouterEvent onDisk = RouterEvent.of(1, StorageTier.DISK, store(1, 5).event());
    assertThat(index.submit(onDisk)).isTrue();
    simulation.await(index.flush());
    KvIndexerStatus status = index.status();

    assertThat(status.events(EventOutcome.APPLIED)).isEqualTo(2);
    assertThat(status.events(EventOutcome.DUPLICATE)).isEqualTo(1);
    assertThat(status.events(EventOutcome.PARENT_NOT_FOUND)).isEqualTo(1);
    assertThat(status.events(EventOutcome.SELF_REFERENCE)).isEqualTo(1);
    assertThat(status.events(EventOutcome.UNKNOWN_BLOCKS)).isEqualTo(1);
    assertThat(status.lowerTierBlocks()).isEqualTo(1);
    assertThat(status.rejectedBlocks()).isEqualTo(3);
    assertThat(status.unknownBlocks()).isEqualTo(2);
    assertThat(status.blocks()).isZero();
    assertThat(status.health()).isEqualTo(KvIndexerStatus.Health.EXACT);
    assertThat(status.toString()).contains("PARENT_NOT_FOUND=1");
  }

  @Test
  void shouldLookUpWithinAScope() {
    index.submit(store(1, 5, 6));
    index.submit(store(2, 5));
    simulation.await(index.flush());
    OverlapScores out = OverlapScores.create();
    long[] query = {5, 6};

    index.findMatches(query, 2, LookupScope.only(List.of(WorkerWithDpRank.of(2))), out);
    assertThat(out.size()).isEqualTo(1);
    assertThat(out.depthOf(WorkerWithDpRank.of(2))).isEqualTo(1);
    assertThat(index.depthOf(W1, query, 2, out)).isEqualTo(2);
    index.close();
    index.findMatches(query, 2, LookupScope.all(), out);
    assertThat(out.size()).isZero();
    assertThat(index.depthOf(W1, query, 2, out)).isZero();
  }

  @Test
  void shouldCountEventsBeyondItsBounds() {
    KvIndexer small =
        KvIndexer.builder()
            .environment(simulation.environment("router"))
            .blockSize(16)
            .maxRanks(1)
            .maxBlocks(2)
            .build();
    small.submit(store(1, 5, 6));
    small.submit(store(2, 5));
    small.submit(store(1, 5, 6, 7));
    simulation.await(small.flush());

    assertThat(small.status().events(EventOutcome.OUT_OF_CAPACITY)).isEqualTo(2);
    assertThat(small.status().rejectedBlocks()).isEqualTo(4);
    assertThat(scores(small, 5, 6, 7)).isEqualTo(Map.of(W1, 2));
  }

  @Test
  void shouldDropAndSayLossyWhenTheQueueIsFull() {
    for (int i = 0; i < 3; i++) {
      assertThat(index.submit(store(1, i))).isTrue();
    }
    assertThat(index.submit(store(1, 9))).isFalse();
    index.removeWorkerDpRank(W1); // never refused
    simulation.await(index.flush());

    assertThat(index.status().events(EventOutcome.QUEUE_FULL)).isEqualTo(1);
    assertThat(index.status().health()).isEqualTo(KvIndexerStatus.Health.LOSSY);
    assertThat(index.status().blocks()).isZero();
    assertThat(index.submit(store(1, 9))).isTrue();
  }

  @Test
  void shouldForgetInOrderWithEvents() {
    index.submit(store(1, 5));
    index.removeWorker(1);
    index.submit(store(1, 6));
    simulation.await(index.flush());

    assertThat(scores(index, 5)).isEmpty();
    assertThat(scores(index, 6)).isEqualTo(Map.of(W1, 1));
  }

  @Test
  void shouldFindNothingAndFailBarriersAfterClose() {
    index.submit(store(1, 5));
    simulation.await(index.flush());
    index.close();
    index.close();

    assertThat(scores(index, 5)).isEmpty();
    assertThat(index.submit(store(1, 6))).isFalse();
    assertThat(index.status().health()).isEqualTo(KvIndexerStatus.Health.CLOSED);
    assertThatThrownBy(() -> simulation.await(index.flush()))
        .rootCause()
        .isInstanceOfSatisfying(
            DynamoException.class, e -> assertThat(e.errorType()).isEqualTo(ErrorType.CLOSED));
  }

  @Test
  void shouldRefuseImpossibleSettings() {
    assertThatThrownBy(() -> KvIndexer.builder().blockSize(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("blockSize=0");
    assertThatThrownBy(() -> KvIndexer.builder().maxPendingUpdates(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> KvIndexer.builder().build()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldAgreeWithTheReferenceOnRealThreadsWhileOthersLookUp() throws Exception {
    try (RealEnvironment real = RealEnvironment.create();
        KvIndexer shared =
            KvIndexer.builder().environment(real.environment()).blockSize(16).build()) {
      ReferenceIndex reference = ReferenceIndex.create();
      OverlapScores out = OverlapScores.create();
      for (IndexStep step : EventStreams.of(9, Hashes.OF_WORKER_AND_CONTENT, 3_000)) {
        step.applyTo(reference);
        IndexerFixture.submit(shared, step);
        shared.findMatches(new long[] {0, 1, -1}, 3, out);
        for (int i = 0; i < out.size(); i++) {
          assertThat(out.depth(i)).isBetween(1, 3);
        }
      }
      CompletableFuture<Void> visible = shared.flush().toCompletableFuture();
      visible.get(30, TimeUnit.SECONDS);
      for (long first = -1; first <= 1; first++) {
        for (long second = -1; second <= 1; second++) {
          long[] query = {first, second, 0, 1};
          assertThat(scores(shared, query)).isEqualTo(IndexComparison.scores(reference, query));
        }
      }
      assertThat(shared.status().blocks()).isEqualTo(reference.blockCount());
    }
  }
}
