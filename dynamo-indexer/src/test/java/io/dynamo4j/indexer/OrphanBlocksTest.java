// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.hash.SequenceHasher;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.testing.AllocationMeter;
import io.dynamo4j.core.tree.ApplyResult;
import io.dynamo4j.core.tree.RadixTree;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Many blocks that wait for one parent, which may come, or never. */
class OrphanBlocksTest {
  private static final int TIER = 1;
  private static final int PARENTS = 4;
  private static final int CHILDREN = 12;

  private final ApplyResult result = ApplyResult.create();

  private static TierRank newRank() {
    return new TierRank(WorkerWithDpRank.of(1), RadixTree.create(1), 1);
  }

  private static long parentHash(int parent) {
    return -1L - parent;
  }

  private static long childHash(int parent, int child) {
    return 1_000L * (parent + 1) + child;
  }

  private void storeChild(TierRank rank, int parent, int child) {
    long[] hash = {childHash(parent, child)};
    rank.store(
        TIER,
        KvCacheEventData.Stored.under(parentHash(parent), hash, new long[] {child + 1}),
        result);
  }

  private void storeParent(TierRank rank, int parent) {
    long[] hash = {parentHash(parent)};
    rank.store(TIER, KvCacheEventData.Stored.atRoot(hash, new long[] {parent + 1}), result);
  }

  /** Returns how many blocks the tier adds to a device that has the parent, or has nothing. */
  private static int found(TierRank rank, int parent, int child, int onDevice) {
    long[] places = {parent + 1, child + 1};
    SequenceHasher.hash(places, places.length, places);
    int[] blocks = new int[TierOrder.COUNT];
    rank.walk(places, places.length, onDevice, blocks);
    return blocks[TIER];
  }

  /** Each child that is held, and whether its parent was there once since. */
  private void compare(TierRank rank, Set<Integer> parents, Map<Long, Boolean> children) {
    for (int parent = 0; parent < PARENTS; parent++) {
      for (int child = 0; child < CHILDREN; child++) {
        boolean counts = children.getOrDefault(childHash(parent, child), false);
        assertThat(found(rank, parent, child, 1)).isEqualTo(counts ? 1 : 0);
        boolean hasParent = parents.contains(parent);
        int whole = hasParent && counts ? 2 : hasParent ? 1 : 0;
        assertThat(found(rank, parent, child, 0)).isEqualTo(whole);
      }
    }
    assertThat(rank.pairCount()).isEqualTo(parents.size() + children.size());
  }

  @Test
  void shouldAgreeWithPlainMapsWhenManyWaitForOneParentAndSomeGiveUp() {
    int waited = 0;
    for (long seed = 1; seed <= 40; seed++) {
      RandomSource random = RandomSource.seeded(seed);
      TierRank rank = newRank();
      Set<Integer> parents = new TreeSet<>();
      Map<Long, Boolean> children = new TreeMap<>();
      for (int step = 0; step < 150; step++) {
        int parent = random.nextInt(PARENTS);
        int child = random.nextInt(CHILDREN);
        long hash = childHash(parent, child);
        switch (random.nextInt(8)) {
          case 0 -> {
            storeParent(rank, parent);
            parents.add(parent);
            for (int each = 0; each < CHILDREN; each++) {
              children.computeIfPresent(childHash(parent, each), (key, before) -> true);
            }
          }
          case 1 -> {
            rank.remove(TIER, new long[] {parentHash(parent)}, result);
            parents.remove(parent);
          }
          case 2, 3 -> {
            rank.remove(TIER, new long[] {hash}, result);
            children.remove(hash);
          }
          default -> {
            storeChild(rank, parent, child);
            children.putIfAbsent(hash, parents.contains(parent));
          }
        }
        waited += children.containsValue(false) ? 1 : 0;
        compare(rank, parents, children);
      }
    }
    assertThat(waited).isGreaterThan(1_000);
  }

  /** With a list copied for each that joins or leaves it this would be two gigabytes. */
  @Test
  void shouldTakeMemoryInProportionToThoseThatWaitForAParentThatNeverComes() {
    int orphans = 20_000;
    TierRank rank = newRank();
    long bytes =
        AllocationMeter.create()
            .bytesOfOneRun(
                () -> {
                  for (int child = 0; child < orphans; child++) {
                    storeChild(rank, 0, child);
                  }
                  for (int child = 0; child < orphans; child++) {
                    rank.remove(TIER, new long[] {childHash(0, child)}, result);
                  }
                });
    assertThat(rank.isEmpty()).isTrue();
    assertThat(bytes / orphans).isLessThan(1_000);
  }
}
