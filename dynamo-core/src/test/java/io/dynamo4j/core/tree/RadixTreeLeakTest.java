// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.runtime.RandomSource;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

class RadixTreeLeakTest {
  private static final int WORKERS = 64;
  private static final int ROUNDS = 5;
  private static final int SUFFIXES = 100_000;
  private static final int EVENTS = 60_000;
  private static final long MIB = 1 << 20;

  @Test // field report B04
  void shouldKeepItsNodesWhenSuffixesComeAndGo() {
    RadixTree tree = RadixTree.create(3);
    long[] prefix = {1, 2, 3, 4, 5, 6, 7, 8};
    tree.apply(event(1, KvCacheEventData.Stored.atRoot(prefix, prefix)));
    for (long i = 100; i < SUFFIXES; i++) {
      long[] suffix = {i, i + 1, i + 2, i + 3};
      long parent = prefix[(int) (i % prefix.length)];
      tree.apply(event(1, KvCacheEventData.Stored.under(parent, suffix, suffix)));
      tree.apply(event(1, KvCacheEventData.Removed.of(suffix)));
    }

    assertThat(tree.nodeCount()).isEqualTo(1);
    assertThat(tree.blockCount()).isEqualTo(prefix.length);
    tree.checkInvariants();
  }

  /**
   * What a tree keeps for good must not depend on how much it has seen. Both figures hold the same
   * share of what others leave on the heap, which a comparison with an untouched tree would not.
   */
  @Test
  void shouldKeepNoMoreMemoryAfterTenTimesTheChurn() {
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS && least >= MIB; round++) {
      long some = heapOf(EVENTS / 10);
      least = Math.min(least, heapOf(EVENTS) - some);
    }

    assertThat(least).as("bytes kept in the best of %d rounds", ROUNDS).isLessThan(MIB);
  }

  /** Returns the live bytes of a tree that has seen as many worker slots and is empty again. */
  private static long heapOf(int events) {
    RandomSource random = RandomSource.seeded(5);
    long before = liveHeap();
    RadixTree tree = RadixTree.create(3);
    for (int worker = 0; worker < WORKERS; worker++) {
      tree.apply(event(worker, KvCacheEventData.Stored.atRoot(new long[] {1}, new long[] {1})));
    }
    for (int i = 0; i < events; i++) {
      int worker = random.nextInt(WORKERS);
      if (random.nextInt(200) == 0) {
        tree.removeWorker(worker);
      } else {
        long[] chain = new long[1 + random.nextInt(100)];
        int branch = random.nextInt(chain.length);
        for (int block = 0; block < chain.length; block++) {
          chain[block] = block < branch ? block : random.nextLong();
        }
        tree.apply(event(worker, KvCacheEventData.Stored.atRoot(chain, chain)));
      }
    }
    for (int worker = 0; worker < WORKERS; worker++) {
      tree.removeWorker(worker);
    }
    tree.checkInvariants();
    long after = liveHeap();
    assertThat(tree.nodeCount()).isZero(); // keeps the tree reachable until here
    return after - before;
  }

  private static long liveHeap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static RouterEvent event(long worker, KvCacheEventData data) {
    return RouterEvent.of(worker, StorageTier.DEVICE, KvCacheEvent.of(0, 0, data));
  }
}
