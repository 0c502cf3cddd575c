// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.testing.EventStreams;
import io.dynamo4j.core.testing.EventStreams.Hashes;
import io.dynamo4j.core.testing.IndexStep;
import io.dynamo4j.indexer.EventOutcome;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.indexer.TieredOverlap;
import io.dynamo4j.testkit.simulation.Simulation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Snapshots that are applied while they come, against those that are checked as a whole first. */
class SnapshotLoadTest {
  private static final int SEEDS = 20;

  private final Simulation simulation = Simulation.builder().seed(1).build();

  private KvIndexer index(int lanes) {
    return KvIndexer.builder()
        .environment(simulation.environment("router"))
        .blockSize(16)
        .eventLanes(lanes)
        .maxPendingUpdates(300)
        .build();
  }

  private static RouterEvent event(long workerId, StorageTier tier, KvCacheEventData data) {
    return RouterEvent.of(workerId, tier, KvCacheEvent.of(1, 0, data));
  }

  private static KvCacheEventData.Stored chain(long first, int length) {
    long[] blocks = new long[length];
    Arrays.setAll(blocks, i -> first + i);
    return KvCacheEventData.Stored.atRoot(blocks, blocks);
  }

  /** Feeds a stream of changes, with some blocks below devices. */
  private void feed(KvIndexer index, long seed, int steps) {
    for (IndexStep each : EventStreams.of(seed, Hashes.OF_CONTENT, steps)) {
      if (each instanceof IndexStep.Event step) {
        index.submit(
            RouterEvent.of(
                step.worker().workerId(),
                StorageTier.DEVICE,
                KvCacheEvent.of(1, step.worker().dpRank(), step.data())));
      }
      simulation.await(index.flush());
    }
    index.submit(event(1, StorageTier.HOST_PINNED, chain(seed, 3)));
    simulation.await(index.flush());
  }

  /** Returns a snapshot of one chunk, or of several. */
  private byte[] snapshot(long seed, int steps, boolean isLong) {
    KvIndexer index = index(2);
    feed(index, seed, steps);
    for (int i = 0; isLong && i < 4; i++) {
      index.submit(event(i, StorageTier.DEVICE, chain(10_000L * (i + 1), 3_000)));
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    simulation.await(IndexSnapshots.write(index, out));
    index.close();
    return out.toByteArray();
  }

  /** Loads in pieces of any length. */
  private SnapshotSummary load(KvIndexer index, byte[] bytes, int longest, RandomSource random) {
    SnapshotLoad load = IndexSnapshots.begin(index, random.nextInt(1_000)).orElseThrow();
    try {
      int most = 1 + random.nextInt(random.nextInt(2) == 0 ? longest : bytes.length);
      for (int at = 0; at < bytes.length; ) {
        int to = Math.min(bytes.length, at + 1 + random.nextInt(most));
        simulation.await(load.add(Arrays.copyOfRange(bytes, at, to)));
        at = to;
      }
      return simulation.await(load.end());
    } finally {
      load.abandon();
      simulation.await(index.flush());
    }
  }

  /** What the few contents of the streams lead to, and what is counted. */
  private static Map<String, Object> state(KvIndexer index) {
    Map<String, Object> state = new LinkedHashMap<>();
    TieredOverlap out = TieredOverlap.create();
    for (int number = 0; number < 81; number++) {
      long[] query = {number % 3 - 1, number / 3 % 3 - 1, number / 9 % 3 - 1, number / 27 - 1};
      index.findMatches(query, query.length, out);
      Map<String, Integer> found = new TreeMap<>();
      for (StorageTier tier : StorageTier.values()) {
        OverlapScores scores = out.of(tier);
        for (int i = 0; i < scores.size(); i++) {
          found.put(tier + " " + scores.worker(i), scores.depth(i));
        }
      }
      state.put(Arrays.toString(query), found);
    }
    state.put("blocks", index.status().blocks());
    state.put("lower", index.status().lowerTierBlocks());
    return state;
  }

  private static Map<EventOutcome, Long> counts(KvIndexer index) {
    Map<EventOutcome, Long> counts = new TreeMap<>();
    for (EventOutcome outcome : EventOutcome.values()) {
      counts.put(outcome, index.status().events(outcome));
    }
    return counts;
  }

  @Test
  void shouldEqualALoadOfTheWholeWhateverThePieces() throws IOException {
    for (long seed = 1; seed <= SEEDS; seed++) {
      RandomSource random = RandomSource.seeded(seed);
      boolean isLong = seed % 2 == 0;
      byte[] snapshot = snapshot(seed, 200, isLong);
      KvIndexer expected = index(3);
      simulation.await(IndexSnapshots.load(expected, () -> new ByteArrayInputStream(snapshot)));
      KvIndexer index = index(1 + random.nextInt(3));
      SnapshotSummary summary = load(index, snapshot, isLong ? 20_000 : 40, random);
      assertThat(summary).isEqualTo(IndexSnapshots.verify(new ByteArrayInputStream(snapshot), 16));
      assertThat(state(index)).as("seed=%d", seed).isEqualTo(state(expected));
      assertThat(counts(index)).as("seed=%d", seed).isEqualTo(counts(expected));
    }
  }

  @Test
  void shouldLeaveTheIndexAsItWasWhereverItIsDamagedOrEnds() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      RandomSource random = RandomSource.seeded(seed);
      byte[] snapshot = snapshot(seed, 100, true);
      KvIndexer index = index(1 + random.nextInt(3));
      if (seed % 2 == 0) {
        feed(index, seed + 1, 20);
      }
      Map<String, Object> before = state(index);
      Map<EventOutcome, Long> counted = counts(index);
      for (int i = 0; i < 20; i++) {
        byte[] damaged = damaged(snapshot, random);
        assertThatThrownBy(() -> load(index, damaged, 20_000, random))
            .hasStackTraceContaining("snapshot refused: reason=")
            .hasStackTraceContaining("offset=");
        assertThat(state(index)).as("seed=%d, i=%d", seed, i).isEqualTo(before);
        assertThat(counts(index)).as("seed=%d, i=%d", seed, i).isEqualTo(counted);
      }
    }
  }

  private static byte[] damaged(byte[] right, RandomSource random) {
    int at = random.nextInt(right.length);
    if (random.nextInt(4) == 0) {
      return Arrays.copyOf(right, at);
    }
    if (random.nextInt(8) == 0) {
      return Arrays.copyOf(right, right.length + 1 + random.nextInt(100));
    }
    byte[] damaged = right.clone();
    damaged[at] ^= (byte) (1 << random.nextInt(8));
    return damaged;
  }

  @Test
  void shouldShowNothingBeforeTheEnd() {
    byte[] snapshot = snapshot(3, 200, true);
    KvIndexer index = index(2);
    Map<String, Object> before = state(index);
    SnapshotLoad load = IndexSnapshots.begin(index, 10).orElseThrow();
    simulation.await(load.add(snapshot));
    simulation.await(index.flush());
    assertThat(state(index)).isEqualTo(before);
    simulation.await(load.end());
    assertThat(state(index)).isNotEqualTo(before);
  }

  @Test
  void shouldKeepWhatComesMeanwhileWhetherTheSnapshotIsRightOrNot() {
    KvIndexer whole = index(2);
    whole.submit(event(1, StorageTier.DEVICE, chain(100, 8)));
    whole.submit(event(2, StorageTier.DEVICE, chain(100, 8)));
    whole.submit(event(3, StorageTier.DEVICE, chain(100, 8)));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    simulation.await(IndexSnapshots.write(whole, out));
    for (boolean isRight : new boolean[] {true, false}) {
      KvIndexer index = index(2);
      SnapshotLoad load = IndexSnapshots.begin(index, 10).orElseThrow();
      simulation.await(load.add(out.toByteArray()));
      // A live rank that the snapshot holds too, one that it does not, a loss, and a worker's end.
      index.submit(event(1, StorageTier.DEVICE, chain(500, 2)));
      index.submit(event(4, StorageTier.DEVICE, chain(600, 3)));
      index.submit(
          event(2, StorageTier.DEVICE, KvCacheEventData.Removed.of(new long[] {106, 107})));
      index.removeWorker(3);
      if (isRight) {
        simulation.await(load.end());
      } else {
        load.abandon();
        simulation.await(index.flush());
      }
      assertThat(depth(index, 1, chain(500, 2))).isEqualTo(2);
      assertThat(depth(index, 4, chain(600, 3))).isEqualTo(3);
      assertThat(depth(index, 1, chain(100, 8))).isEqualTo(isRight ? 8 : 0);
      assertThat(depth(index, 2, chain(100, 8))).isEqualTo(isRight ? 6 : 0);
      assertThat(depth(index, 3, chain(100, 8))).isZero();
      assertThat(index.status().blocks()).isEqualTo(isRight ? 19 : 5);
    }
  }

  private static int depth(KvIndexer index, long workerId, KvCacheEventData.Stored chain) {
    long[] query = chain.tokensHashes();
    return index.depthOf(
        new WorkerWithDpRank(workerId, 0), query, query.length, OverlapScores.create());
  }

  @Test
  void shouldCarryStoresLongerThanAChunkThroughASmallQueue() {
    KvIndexer before = index(1);
    before.submit(event(1, StorageTier.DEVICE, chain(7, 20_000)));
    for (int i = 0; i < 2_000; i++) {
      before.submit(event(i, StorageTier.DEVICE, chain(-i - 1, 1)));
      simulation.await(before.flush());
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    simulation.await(IndexSnapshots.write(before, out));
    KvIndexer after = index(2);
    load(after, out.toByteArray(), 10_000, RandomSource.seeded(4));
    assertThat(after.status().blocks()).isEqualTo(before.status().blocks());
    assertThat(depth(after, 1, chain(7, 20_000))).isEqualTo(20_000);
    assertThat(after.status().events(EventOutcome.QUEUE_FULL)).isZero();
  }

  @Test
  void shouldFailWhereTheIndexClosesMeanwhile() {
    byte[] snapshot = snapshot(3, 200, true);
    KvIndexer index = index(2);
    SnapshotLoad load = IndexSnapshots.begin(index, 10).orElseThrow();
    index.close();
    assertThatThrownBy(
            () -> {
              simulation.await(load.add(snapshot));
              simulation.await(load.end());
            })
        .isNotNull();
    assertThat(IndexSnapshots.begin(index, 10)).isEmpty();
  }
}
