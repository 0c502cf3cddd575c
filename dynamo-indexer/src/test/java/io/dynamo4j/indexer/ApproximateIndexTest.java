// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import static io.dynamo4j.indexer.IndexerFixture.remove;
import static io.dynamo4j.indexer.IndexerFixture.scores;
import static io.dynamo4j.indexer.IndexerFixture.store;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The three lifetimes: none of engines' events, one of decisions without, one of those beside. */
class ApproximateIndexTest {
  private static final WorkerWithDpRank W1 = WorkerWithDpRank.of(1);
  private static final long SECOND = 1_000_000_000L;

  private final Simulation simulation = Simulation.builder().seed(1).build();

  private KvIndexerBuilder builder() {
    return KvIndexer.builder().environment(simulation.environment("router")).blockSize(4);
  }

  static DecisionLease decide(KvIndexer index, long workerId, long capacity, long... locals) {
    long[] sequence = new long[locals.length];
    SequenceHasher.hash(locals, locals.length, sequence);
    return index.record(
        RoutingDecision.of(WorkerWithDpRank.of(workerId), capacity, locals, sequence));
  }

  private Map<WorkerWithDpRank, Integer> settled(KvIndexer index, long... query) {
    simulation.await(index.flush());
    return scores(index, query);
  }

  /* --------------- Without events --------------- */

  @Test
  void shouldLearnFromDecisionsAloneWhenEventsAreOff() {
    KvIndexer index = builder().useKvEvents(false).build();
    assertThat(index.submit(store(1, 5, 6))).isFalse();
    assertThat(settled(index, 5, 6)).isEmpty();
    decide(index, 1, 0, 5, 6, 7);

    assertThat(settled(index, 5, 6, 9)).isEqualTo(Map.of(W1, 2));
    assertThat(index.status().events(EventOutcome.EVENTS_OFF)).isEqualTo(1);
    assertThat(index.status().health()).isEqualTo(KvIndexerStatus.Health.APPROXIMATE);
    assertThat(index.status().decidedBlocks()).isEqualTo(3);
    assertThat(index.isApproximate()).isTrue();
    assertThat(index.learnsFromDecisions()).isTrue();
    index.close();
    assertThat(decide(index, 1, 0, 5)).isSameAs(DecisionLease.none());
  }

  @Test
  void shouldForgetEachBlockATimeToLiveAfterItsLastDecision() {
    KvIndexer index = builder().useKvEvents(false).routerTtl(Duration.ofSeconds(10)).build();
    decide(index, 1, 0, 5, 6, 7, 8);
    simulation.runFor(6 * SECOND);
    decide(index, 1, 0, 5, 6);
    simulation.runFor(4 * SECOND - 1);
    assertThat(scores(index, 5, 6, 7, 8)).isEqualTo(Map.of(W1, 4));
    simulation.runFor(1);
    assertThat(scores(index, 5, 6, 7, 8)).isEqualTo(Map.of(W1, 2));
    assertThat(index.status().decidedBlocks()).isEqualTo(2);
    simulation.runFor(6 * SECOND);
    assertThat(scores(index, 5, 6)).isEmpty();
    assertThat(index.status().decidedBlocks()).isZero();
    assertThat(simulation.pendingTaskCount()).isZero();
  }

  @Test
  void shouldBelieveADecisionForTwoMinutesUnlessToldOtherwise() {
    KvIndexer index = builder().useKvEvents(false).build();
    decide(index, 1, 0, 5);
    simulation.runFor(120 * SECOND - 1);
    assertThat(scores(index, 5)).isEqualTo(Map.of(W1, 1));
    simulation.runFor(1);
    assertThat(scores(index, 5)).isEmpty();
  }

  @Test
  void shouldForgetTheLongestUnusedFirstBeyondItsBound() {
    KvIndexer index = builder().useKvEvents(false).maxDecidedBlocks(5).build();
    decide(index, 1, 0, 5, 6, 7);
    decide(index, 2, 0, 5, 6, 8);
    assertThat(settled(index, 5, 6, 7)).isEqualTo(Map.of(W1, 2, WorkerWithDpRank.of(2), 2));
    decide(index, 3, 0, 1, 2, 3, 4, 5, 6, 7);
    assertThat(settled(index, 1, 2, 3, 4, 5, 6, 7)).isEqualTo(Map.of(WorkerWithDpRank.of(3), 5));
    assertThat(index.status().decidedBlocks()).isEqualTo(5);
  }

  @Test
  void shouldForgetWorkersAndRanksThatAreGone() {
    KvIndexer index = builder().useKvEvents(false).eventLanes(2).build();
    decide(index, 1, 0, 5);
    decide(index, 2, 0, 5);
    index.removeWorker(1);
    index.removeWorkerDpRank(WorkerWithDpRank.of(2));
    assertThat(settled(index, 5)).isEmpty();
    assertThat(index.status().decidedBlocks()).isZero();
    decide(index, 1, 0, 5);
    assertThat(settled(index, 5)).isEqualTo(Map.of(W1, 1));
  }

  /* --------------- By room --------------- */

  @Test
  void shouldKeepWhatHasRoomAndWhatRunsWhenRoomDecides() {
    KvIndexer index =
        builder().useKvEvents(false).approximateCachePolicy(ApproximateCachePolicy.LRU).build();
    try (DecisionLease first = decide(index, 1, 6, 1, 2, 3, 4)) {
      first.addOutputBlock();
    }
    assertThat(settled(index, 1, 2, 3, 4)).isEqualTo(Map.of(W1, 4));
    DecisionLease second = decide(index, 1, 6, 11, 12, 13, 14);
    assertThat(settled(index, 1, 2, 3, 4)).isEqualTo(Map.of(W1, 2));
    second.addOutputBlock();
    assertThat(settled(index, 1, 2, 3, 4)).isEqualTo(Map.of(W1, 1));
    DecisionLease third = decide(index, 1, 6, 21, 22, 23, 24);
    assertThat(settled(index, 1, 2, 3, 4)).isEmpty();
    assertThat(settled(index, 11, 12, 13, 14)).isEqualTo(Map.of(W1, 4));
    simulation.runFor(1_000 * SECOND);
    assertThat(settled(index, 21, 22, 23, 24)).isEqualTo(Map.of(W1, 4));
    second.close();
    second.close();
    second.addOutputBlock();
    assertThat(settled(index, 11, 12, 13, 14)).isEqualTo(Map.of(W1, 2));
    third.close();
    assertThat(index.status().decidedBlocks()).isEqualTo(6);
  }

  @Test
  void shouldShareBlocksOfRunningRequestsWhenRoomDecides() {
    KvIndexer index =
        builder().useKvEvents(false).approximateCachePolicy(ApproximateCachePolicy.LRU).build();
    DecisionLease first = decide(index, 1, 3, 1, 2);
    DecisionLease second = decide(index, 1, 3, 1, 2, 3);
    first.close();
    decide(index, 1, 3, 9);
    assertThat(settled(index, 1, 2, 3)).isEqualTo(Map.of(W1, 3));
    second.close();
    assertThat(settled(index, 1, 2, 3)).isEqualTo(Map.of(W1, 2));
  }

  @Test
  void shouldFallBackToTimeWhenARankDeclaresNoRoom() {
    KvIndexer index =
        builder()
            .useKvEvents(false)
            .approximateCachePolicy(ApproximateCachePolicy.LRU)
            .routerTtl(Duration.ofSeconds(1))
            .build();
    decide(index, 1, -1, 5).close();
    assertThat(settled(index, 5)).isEqualTo(Map.of(W1, 1));
    simulation.runFor(SECOND);
    assertThat(settled(index, 5)).isEmpty();
  }

  @Test
  void shouldIgnoreLeasesOfARankThatIsGone() {
    KvIndexer index =
        builder().useKvEvents(false).approximateCachePolicy(ApproximateCachePolicy.LRU).build();
    DecisionLease before = decide(index, 1, 2, 1, 2);
    index.removeWorker(1);
    DecisionLease after = decide(index, 1, 2, 1, 2);
    before.addOutputBlock();
    before.close();
    decide(index, 1, 2, 5, 6);
    assertThat(settled(index, 1, 2)).isEqualTo(Map.of(W1, 2));
    after.close();
    assertThat(settled(index, 1, 2)).isEmpty();
  }

  /* --------------- Beside events --------------- */

  @Test
  void shouldNeverForgetByTimeWhatAnEngineReported() {
    KvIndexer index =
        builder()
            .routerTtl(Duration.ofSeconds(1))
            .predictedTtl(Duration.ofSeconds(5))
            .eventLanes(2)
            .build();
    index.submit(store(1, 5, 6));
    decide(index, 1, 0, 5, 6, 7);
    decide(index, 2, 0, 5);
    assertThat(settled(index, 5, 6, 7)).isEqualTo(Map.of(W1, 3, WorkerWithDpRank.of(2), 1));
    assertThat(index.depthOf(W1, new long[] {5, 6, 7}, 3, OverlapScores.create())).isEqualTo(3);
    simulation.runFor(5 * SECOND);
    assertThat(settled(index, 5, 6, 7)).isEqualTo(Map.of(W1, 2));
    simulation.runFor(7 * 24 * 3_600 * SECOND);
    assertThat(settled(index, 5, 6, 7)).isEqualTo(Map.of(W1, 2));
    assertThat(index.status().decidedBlocks()).isZero();
    assertThat(index.status().health()).isEqualTo(KvIndexerStatus.Health.EXACT);
    assertThat(index.isApproximate()).isFalse();
  }

  @Test
  void shouldKeepPredictionsApartFromEvents() {
    KvIndexer index = builder().predictedTtl(Duration.ofSeconds(5)).build();
    decide(index, 1, 0, 5, 6);
    index.submit(store(1, 5));
    index.submit(remove(1, 5));
    assertThat(settled(index, 5, 6)).isEqualTo(Map.of(W1, 2));
    assertThat(index.status().blocks()).isZero();
    index.submit(IndexerFixture.event(1, 0, KvCacheEventData.Cleared.instance()));
    assertThat(settled(index, 5, 6)).isEmpty();
  }

  @Test
  void shouldLearnNothingFromDecisionsUnlessAskedTo() {
    KvIndexer index = builder().build();
    assertThat(index.learnsFromDecisions()).isFalse();
    assertThat(decide(index, 1, 0, 5)).isSameAs(DecisionLease.none());
    assertThat(settled(index, 5)).isEmpty();
  }

  @Test
  void shouldWarnOnceWhenItIsApproximateOrATimeToLiveHasNoEffect() {
    int approximate = RecordingLogs.warnings("KV index is approximate").size();
    int noEffect = RecordingLogs.warnings("router_ttl_secs has no effect").size();
    KvIndexer without = builder().useKvEvents(false).eventLanes(3).build();
    decide(without, 1, 0, 5);
    simulation.await(without.flush());
    assertThat(RecordingLogs.warnings("KV index is approximate")).hasSize(approximate + 1);
    builder().build();
    builder().predictedTtl(Duration.ofSeconds(1)).build();
    assertThat(RecordingLogs.warnings("router_ttl_secs has no effect")).hasSize(noEffect);
    builder().routerTtl(Duration.ofSeconds(7)).eventLanes(3).build();
    assertThat(RecordingLogs.warnings("router_ttl_secs has no effect"))
        .hasSize(noEffect + 1)
        .last()
        .asString()
        .contains("routerTtl=PT7S");
  }

  @Test
  void shouldRefuseSettingsThatContradict() {
    KvIndexerBuilder builder = builder().useKvEvents(false).predictedTtl(Duration.ofSeconds(1));
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("router_predicted_ttl_secs requires use_kv_events=true");
    assertThatThrownBy(() -> builder().routerTtl(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("routerTtl=PT0S");
    assertThatThrownBy(() -> builder().maxDecidedBlocks(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RoutingDecision.of(W1, 0, new long[2], new long[1]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("localHashes=2");
  }

  @Test
  void shouldDropDecisionsAndCountThemWhenTheQueueIsFull() {
    KvIndexer index = builder().useKvEvents(false).maxPendingUpdates(1).build();
    decide(index, 1, 0, 5);
    assertThat(decide(index, 1, 0, 6)).isSameAs(DecisionLease.none());
    assertThat(settled(index, 6)).isEmpty();
    assertThat(index.status().events(EventOutcome.QUEUE_FULL)).isEqualTo(1);
  }
}
