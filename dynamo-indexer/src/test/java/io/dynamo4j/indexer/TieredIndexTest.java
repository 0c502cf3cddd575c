// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TieredIndexTest {
  private static final List<StorageTier> TIERS = List.of(StorageTier.values());

  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final KvIndexer index = builder().build();

  private KvIndexerBuilder builder() {
    return KvIndexer.builder().environment(simulation.environment("router")).blockSize(4);
  }

  private static RouterEvent event(long workerId, StorageTier tier, KvCacheEventData data) {
    return RouterEvent.of(workerId, tier, KvCacheEvent.of(1, 0, data));
  }

  /** Stores blocks whose external hash is ten times their content. */
  private static RouterEvent store(
      long workerId, StorageTier tier, @Nullable Long parent, long... locals) {
    long[] hashes = Arrays.stream(locals).map(local -> local * 10).toArray();
    return event(
        workerId,
        tier,
        parent == null
            ? KvCacheEventData.Stored.atRoot(hashes, locals)
            : KvCacheEventData.Stored.under(parent, hashes, locals));
  }

  private static RouterEvent remove(long workerId, StorageTier tier, long... hashes) {
    return event(workerId, tier, KvCacheEventData.Removed.of(hashes));
  }

  private String overlap(KvIndexer of, long workerId, long... query) {
    simulation.await(of.flush());
    TieredOverlap out = TieredOverlap.create();
    of.findMatches(query, query.length, out);
    WorkerWithDpRank worker = WorkerWithDpRank.of(workerId);
    List<Integer> depths = new ArrayList<>();
    for (StorageTier tier : StorageTier.values()) {
      depths.add(out.of(tier).depthOf(worker));
    }
    return depths.toString();
  }

  @Test
  void shouldGoOnInEachTierWhereTheOneBeforeEnded() {
    index.submit(store(1, StorageTier.DEVICE, null, 1, 2));
    index.submit(store(1, StorageTier.HOST_PINNED, 20L, 3, 4));
    index.submit(store(1, StorageTier.DISK, 40L, 5));
    index.submit(store(1, StorageTier.EXTERNAL, 50L, 6, 7, 8));
    index.submit(store(2, StorageTier.HOST_PINNED, null, 1, 2, 3));

    assertThat(overlap(index, 1, 1, 2, 3, 4, 5, 6, 7, 9)).isEqualTo("[2, 2, 1, 2]");
    assertThat(overlap(index, 2, 1, 2, 3, 4)).isEqualTo("[0, 3, 0, 0]");
    assertThat(overlap(index, 1, 1)).isEqualTo("[1, 0, 0, 0]");
    assertThat(overlap(index, 1, 9, 2)).isEqualTo("[0, 0, 0, 0]");
    assertThat(index.status().lowerTierBlocks()).isEqualTo(9);
    assertThat(index.status().blocks()).isEqualTo(2);
    index.close();
    TieredOverlap out = TieredOverlap.create();
    index.findMatches(new long[] {1}, 1, out);
    assertThat(out.device().size()).isZero();
  }

  @Test
  void shouldKeepCopiesOfABlockApartByTier() {
    for (StorageTier tier : StorageTier.values()) {
      index.submit(store(1, tier, null, 1, 2));
    }
    index.submit(remove(1, StorageTier.DEVICE, 20));
    assertThat(overlap(index, 1, 1, 2)).isEqualTo("[1, 1, 0, 0]");
    index.submit(remove(1, StorageTier.HOST_PINNED, 20, 10));
    assertThat(overlap(index, 1, 1, 2)).isEqualTo("[1, 0, 1, 0]");
    index.submit(remove(1, StorageTier.DEVICE, 10));
    assertThat(overlap(index, 1, 1, 2)).isEqualTo("[0, 0, 2, 0]");
    index.submit(remove(1, StorageTier.DISK, 10, 20));
    assertThat(overlap(index, 1, 1, 2)).isEqualTo("[0, 0, 0, 2]");
    index.submit(remove(1, StorageTier.EXTERNAL, 10, 20, 30));
    assertThat(overlap(index, 1, 1, 2)).isEqualTo("[0, 0, 0, 0]");
    assertThat(index.status().lowerTierBlocks()).isZero();
    assertThat(index.status().unknownBlocks()).isEqualTo(1);
  }

  @Test
  void shouldCountAnOrphanOnceItsPrefixAppears() {
    index.submit(store(1, StorageTier.HOST_PINNED, 20L, 3));
    index.submit(store(1, StorageTier.HOST_PINNED, 30L, 4));
    assertThat(overlap(index, 1, 1, 2, 3, 4)).isEqualTo("[0, 0, 0, 0]");
    index.submit(store(1, StorageTier.DEVICE, null, 1, 2));
    assertThat(overlap(index, 1, 1, 2, 3, 4)).isEqualTo("[2, 2, 0, 0]");
  }

  @Test
  void shouldKeepWhatIsBehindARemovedBlock() {
    index.submit(store(1, StorageTier.HOST_PINNED, null, 1, 2, 3));
    index.submit(remove(1, StorageTier.HOST_PINNED, 20));
    assertThat(overlap(index, 1, 1, 2, 3)).isEqualTo("[0, 1, 0, 0]");
    index.submit(store(1, StorageTier.HOST_PINNED, 10L, 2));
    assertThat(overlap(index, 1, 1, 2, 3)).isEqualTo("[0, 3, 0, 0]");
  }

  @Test
  void shouldTakeTheLastContentOfAHash() {
    index.submit(
        event(
            1, StorageTier.DISK, KvCacheEventData.Stored.atRoot(new long[] {77}, new long[] {1})));
    index.submit(
        event(
            1, StorageTier.DISK, KvCacheEventData.Stored.atRoot(new long[] {77}, new long[] {2})));
    assertThat(overlap(index, 1, 1)).isEqualTo("[0, 0, 0, 0]");
    assertThat(overlap(index, 1, 2)).isEqualTo("[0, 0, 1, 0]");
  }

  @Test
  void shouldForgetAllTiersOfAClearedRankAndOfOnesThatAreGone() {
    for (long workerId = 1; workerId <= 3; workerId++) {
      index.submit(store(workerId, StorageTier.DEVICE, null, 1));
      index.submit(store(workerId, StorageTier.HOST_PINNED, 10L, 2));
    }
    index.submit(event(1, StorageTier.HOST_PINNED, KvCacheEventData.Cleared.instance()));
    index.removeWorker(2);
    assertThat(overlap(index, 1, 1, 2)).isEqualTo("[0, 0, 0, 0]");
    assertThat(overlap(index, 2, 1, 2)).isEqualTo("[0, 0, 0, 0]");
    assertThat(overlap(index, 3, 1, 2)).isEqualTo("[1, 1, 0, 0]");
    index.removeWorkerDpRank(WorkerWithDpRank.of(3));
    assertThat(overlap(index, 3, 1, 2)).isEqualTo("[0, 0, 0, 0]");
  }

  @Test
  void shouldCountStoresBeyondItsBound() {
    KvIndexer small = builder().maxBlocks(2).build();
    small.submit(store(1, StorageTier.DISK, null, 1, 2));
    small.submit(store(1, StorageTier.DISK, 20L, 3));
    small.submit(store(1, StorageTier.DISK, 30L, 3));
    assertThat(overlap(small, 1, 1, 2, 3)).isEqualTo("[0, 0, 2, 0]");
    assertThat(small.status().events(EventOutcome.OUT_OF_CAPACITY)).isEqualTo(2);
  }

  @Test
  void shouldNotCountPredictedBlocksTwice() {
    KvIndexer predicting = builder().predictedTtl(Duration.ofSeconds(5)).build();
    predicting.submit(store(1, StorageTier.DEVICE, null, 1, 2));
    predicting.submit(store(1, StorageTier.HOST_PINNED, 20L, 3, 4));
    predicting.submit(store(1, StorageTier.DISK, 40L, 5, 6));
    ApproximateIndexTest.decide(predicting, 1, 0, 1, 2, 3, 4, 5);
    ApproximateIndexTest.decide(predicting, 2, 0, 1);
    assertThat(overlap(predicting, 1, 1, 2, 3, 4, 5, 6)).isEqualTo("[5, 0, 1, 0]");
    assertThat(overlap(predicting, 2, 1, 2)).isEqualTo("[1, 0, 0, 0]");
  }

  /* --------------- Against plain maps --------------- */

  /** What one rank holds in the reference: parent and content of each hash, and its tiers. */
  private static final class Reference {
    record Node(@Nullable Long parent, long local) {}

    final Map<StorageTier, Map<Long, Node>> tiers = new TreeMap<>();

    Reference() {
      for (StorageTier tier : StorageTier.values()) {
        tiers.put(tier, new LinkedHashMap<>());
      }
    }

    Map<Long, Node> tier(StorageTier tier) {
      return Objects.requireNonNull(tiers.get(tier), "tier");
    }

    /** Hashes are functions of paths here, so that a path's hashes can be computed. */
    String overlap(long[] query) {
      List<Integer> depths = new ArrayList<>();
      int at = 0;
      for (StorageTier tier : StorageTier.values()) {
        int from = at;
        while (at < query.length && tier(tier).containsKey(hash(query, at + 1))) {
          at++;
        }
        depths.add(at - from);
      }
      return depths.toString();
    }
  }

  private static long hash(long[] path, int depth) {
    long hash = 1;
    for (int i = 0; i < depth; i++) {
      hash = hash * 31 + path[i] + 1;
    }
    return hash;
  }

  private @Nullable String difference(long seed, boolean withoutRemovals) {
    RandomSource random = RandomSource.seeded(seed);
    KvIndexer subject = builder().eventLanes(2).build();
    Map<Long, Reference> references = new TreeMap<>();
    for (int step = 0; step < 200; step++) {
      long workerId = 1L + random.nextInt(3);
      Reference reference = references.computeIfAbsent(workerId, id -> new Reference());
      StorageTier tier = TIERS.get(random.nextInt(4));
      long[] path = new long[1 + random.nextInt(4)];
      Arrays.setAll(path, i -> random.nextInt(2));
      int from = random.nextInt(path.length);
      // On a device a parent must be there, as engines see to.
      boolean isPossible =
          tier != StorageTier.DEVICE
              || from == 0
              || reference.tier(tier).containsKey(hash(path, from));
      if (random.nextInt(3) > 0 && isPossible) {
        long[] hashes = new long[path.length - from];
        Arrays.setAll(hashes, i -> hash(path, from + i + 1));
        long[] locals = Arrays.copyOfRange(path, from, path.length);
        subject.submit(
            event(
                workerId,
                tier,
                from == 0
                    ? KvCacheEventData.Stored.atRoot(hashes, locals)
                    : KvCacheEventData.Stored.under(hash(path, from), hashes, locals)));
        for (int i = from; i < path.length; i++) {
          Long parent = i == 0 ? null : (Long) hash(path, i);
          reference.tier(tier).put(hash(path, i + 1), new Reference.Node(parent, path[i]));
        }
      } else if (random.nextInt(20) == 0) {
        subject.submit(event(workerId, tier, KvCacheEventData.Cleared.instance()));
        references.remove(workerId);
      } else {
        long hash = hash(path, path.length);
        if (!withoutRemovals) {
          subject.submit(remove(workerId, tier, hash));
        }
        reference.tier(tier).remove(hash);
      }
      for (int bits = 0; bits < 16; bits++) {
        long[] query = {bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3};
        for (long each = 1; each <= 3; each++) {
          String expected = references.getOrDefault(each, new Reference()).overlap(query);
          String actual = overlap(subject, each, query);
          if (!actual.equals(expected)) {
            return "step=" + step + ", expected=" + expected + ", actual=" + actual;
          }
        }
      }
    }
    return null;
  }

  @Test
  void shouldAgreeWithTheReferenceOnRandomEventsOfAllTiers() {
    for (long seed = 1; seed <= 15; seed++) {
      assertThat(difference(seed, false)).as("seed=%d", seed).isNull();
    }
  }

  @Test
  void shouldCatchAnIndexThatMissesRemovals() {
    assertThat(difference(1, true)).isNotNull();
  }
}
