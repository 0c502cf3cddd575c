// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import static io.dynamo4j.indexer.IndexerFixture.scores;
import static io.dynamo4j.indexer.IndexerFixture.store;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.core.runtime.RealEnvironment;
import io.dynamo4j.core.testing.EventStreams;
import io.dynamo4j.core.testing.EventStreams.Hashes;
import io.dynamo4j.core.testing.IndexComparison;
import io.dynamo4j.core.testing.IndexStep;
import io.dynamo4j.core.testing.ReferenceIndex;
import io.dynamo4j.core.tree.RadixTree;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IndexLanesTest {
  private static final int STEPS = 400;

  private static KvIndexer index(Environment environment, int lanes) {
    return KvIndexer.builder().environment(environment).blockSize(16).eventLanes(lanes).build();
  }

  /** Returns what differs from the reference after a stream, null if nothing does. */
  private static @Nullable String difference(Simulation simulation, KvIndexer index, long seed) {
    ReferenceIndex reference = ReferenceIndex.create();
    for (IndexStep step : EventStreams.of(seed, Hashes.OF_WORKER_AND_CONTENT, STEPS)) {
      step.applyTo(reference);
      IndexerFixture.submit(index, step);
    }
    simulation.await(index.flush());
    for (long[] query : queries()) {
      Map<WorkerWithDpRank, Integer> expected = IndexComparison.scores(reference, query);
      if (!scores(index, query).equals(expected)) {
        return "seed=" + seed + ", expected=" + expected + ", scores=" + scores(index, query);
      }
    }
    long blocks = index.status().blocks();
    return blocks == reference.blockCount() ? null : "seed=" + seed + ", blocks=" + blocks;
  }

  private static List<long[]> queries() {
    List<long[]> queries = new ArrayList<>();
    for (long first = -1; first <= 1; first++) {
      for (long second = -1; second <= 1; second++) {
        for (long third = -1; third <= 1; third++) {
          queries.add(new long[] {first, second, third});
        }
      }
    }
    return queries;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8})
  void shouldAgreeWithTheReferenceOnAnyNumberOfLanes(int lanes) {
    for (long seed = 1; seed <= 20; seed++) {
      Simulation simulation = Simulation.builder().seed(seed).build();
      KvIndexer index = index(simulation.environment("router"), lanes);
      assertThat(difference(simulation, index, seed)).isNull();
    }
  }

  @Test
  void shouldCatchWorkersThatAreNotStickyToALane() {
    Simulation simulation = Simulation.builder().seed(1).build();
    Environment environment = simulation.environment("router");
    KvIndexer broken = new AlternatingIndexer(index(environment, 1), index(environment, 1));
    assertThat(difference(simulation, broken, 1)).isNotNull();
  }

  @Test
  void shouldSpreadWorkersOverLanes() {
    IndexLane[] lanes = new IndexLane[4];
    Environment environment = Simulation.builder().seed(1).build().environment("router");
    for (int i = 0; i < lanes.length; i++) {
      lanes[i] =
          new IndexLane(
              LaneContent.of(RadixTree.create(i), i, 1, 1),
              () -> LaneContent.of(RadixTree.create(1), 1, 1, 1),
              null,
              environment.lanes().lane("lane"),
              1,
              new IndexCounters(),
              new Refusals());
    }
    LaneTable table = new LaneTable(lanes, 7);
    Map<Integer, Integer> workers = new TreeMap<>();
    for (long workerId = 0; workerId < 4_000; workerId++) {
      assertThat(table.of(workerId)).isSameAs(table.of(workerId));
      workers.merge(List.of(lanes).indexOf(table.of(workerId)), 1, Integer::sum);
    }
    assertThat(workers).hasSize(4);
    assertThat(workers.values()).allMatch(count -> count > 850 && count < 1_150);
  }

  @Test
  void shouldScoreEachRankExactlyWhereAScopeStopsAtTheLastOfALane() {
    Simulation simulation = Simulation.builder().seed(3).build();
    KvIndexer index = index(simulation.environment("router"), 4);
    for (long workerId = 1; workerId <= 9; workerId++) {
      long[] chain = new long[(int) workerId];
      for (int i = 0; i < chain.length; i++) {
        chain[i] = i;
      }
      index.submit(store(workerId, chain));
    }
    simulation.await(index.flush());
    long[] query = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    OverlapScores out = OverlapScores.create();
    index.findMatches(query, 10, LookupScope.all().stoppingAtLastRank(), out);
    assertThat(out.size()).isEqualTo(9);
    for (long workerId = 1; workerId <= 9; workerId++) {
      assertThat(out.depthOf(WorkerWithDpRank.of(workerId))).isEqualTo((int) workerId);
      assertThat(index.depthOf(WorkerWithDpRank.of(workerId), query, 10, out))
          .isEqualTo((int) workerId);
      index.findMatches(query, 10, LookupScope.all(), out);
    }
    LookupScope two = LookupScope.only(List.of(WorkerWithDpRank.of(2), WorkerWithDpRank.of(7)));
    index.findMatches(query, 10, two.stoppingAtLastRank(), out);
    assertThat(out.size()).isEqualTo(2);
    assertThat(out.depthOf(WorkerWithDpRank.of(2))).isEqualTo(2);
  }

  @Test
  void shouldRefuseImpossibleNumbersOfLanes() {
    assertThatThrownBy(() -> KvIndexer.builder().eventLanes(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("eventLanes=0");
    assertThatThrownBy(() -> KvIndexer.builder().eventLanes(65))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldKeepEachWorkersOrderOnRealThreads() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(3);
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try (RealEnvironment real = RealEnvironment.over(threads, timer);
        KvIndexer index = index(real.environment(), 4)) {
      ReferenceIndex reference = ReferenceIndex.create();
      OverlapScores out = OverlapScores.create();
      for (IndexStep step : EventStreams.of(5, Hashes.OF_WORKER_AND_CONTENT, 3_000)) {
        step.applyTo(reference);
        IndexerFixture.submit(index, step);
        index.findMatches(new long[] {0, 1, -1}, 3, out);
        for (int i = 0; i < out.size(); i++) {
          assertThat(out.depth(i)).isBetween(1, 3);
        }
      }
      index.flush().toCompletableFuture().get(60, TimeUnit.SECONDS);
      for (long[] query : queries()) {
        assertThat(scores(index, query)).isEqualTo(IndexComparison.scores(reference, query));
      }
    } finally {
      threads.shutdownNow();
      timer.shutdownNow();
    }
  }

  /** Sends a worker's events to two indexes in turn. */
  private static final class AlternatingIndexer implements KvIndexer {
    private final KvIndexer first;
    private final KvIndexer second;
    private int events;

    AlternatingIndexer(KvIndexer first, KvIndexer second) {
      this.first = first;
      this.second = second;
    }

    @Override
    public int blockSize() {
      return first.blockSize();
    }

    @Override
    public void findMatches(long[] localHashes, int count, OverlapScores out) {
      OverlapScores part = OverlapScores.create();
      first.findMatches(localHashes, count, part);
      Map<WorkerWithDpRank, Integer> depths = new TreeMap<>();
      for (int i = 0; i < part.size(); i++) {
        depths.put(part.worker(i), part.depth(i));
      }
      second.findMatches(localHashes, count, part);
      for (int i = 0; i < part.size(); i++) {
        depths.merge(part.worker(i), part.depth(i), Math::max);
      }
      out.clear();
      depths.forEach(out::add);
    }

    @Override
    public boolean submit(RouterEvent event) {
      return (events++ % 2 == 0 ? first : second).submit(event);
    }

    @Override
    public void removeWorker(long workerId) {
      first.removeWorker(workerId);
      second.removeWorker(workerId);
    }

    @Override
    public void removeWorkerDpRank(WorkerWithDpRank worker) {
      first.removeWorkerDpRank(worker);
      second.removeWorkerDpRank(worker);
    }

    @Override
    public CompletionStage<Void> flush() {
      return first.flush().thenCompose(passed -> second.flush());
    }

    @Override
    public KvIndexerStatus status() {
      return first.status();
    }

    @Override
    public void close() {
      first.close();
      second.close();
    }
  }
}
