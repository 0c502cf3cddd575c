// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.testing.AllocationMeter;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What a peer gains by hashes that are all alike: nothing. */
class RankTableTest {
  private static final int BLOCKS = 50_000;
  private static final long BYTES_A_BLOCK = 400;

  private final RadixTree tree = RadixTree.create(1);

  /** Copying the places of a hash for each new one takes 5 GB for as many blocks, and minutes. */
  @Test
  void shouldTakeAsLongForABlockWhenAllHaveOneHash() {
    long[] alike = new long[BLOCKS];
    Arrays.fill(alike, 7);
    long[] locals = new long[BLOCKS];
    Arrays.setAll(locals, i -> i);
    RouterEvent store = event(KvCacheEventData.Stored.atRoot(alike, locals));
    AllocationMeter meter = AllocationMeter.create();

    long bytes = meter.bytesOfOneRun(() -> tree.apply(store));
    assertThat(bytes).isLessThan(BLOCKS * BYTES_A_BLOCK);
    assertThat(tree.blockCount()).isEqualTo(BLOCKS);
    assertThat(tree.apply(store).duplicateBlocks()).isEqualTo(BLOCKS);
    tree.checkInvariants();
    assertThat(tree.apply(event(KvCacheEventData.Removed.of(new long[] {7}))).removedBlocks())
        .isEqualTo(BLOCKS);
    assertThat(tree.nodeCount()).isZero();
  }

  @Test
  void shouldTakeAsLongForABlockWhenOneHasAllHashes() {
    RouterEvent[] stores = new RouterEvent[BLOCKS];
    Arrays.setAll(
        stores, i -> event(KvCacheEventData.Stored.atRoot(new long[] {i}, new long[] {5})));
    AllocationMeter meter = AllocationMeter.create();

    long bytes =
        meter.bytesOfOneRun(
            () -> {
              for (RouterEvent store : stores) {
                tree.apply(store);
              }
              tree.dump(event -> {});
            });
    assertThat(bytes).isLessThan(BLOCKS * BYTES_A_BLOCK);
    assertThat(tree.blockCount()).isEqualTo(BLOCKS);
    assertThat(tree.nodeCount()).isEqualTo(1);
  }

  /** Copying the children of a node for each further one takes 5 GB as well. */
  @Test
  void shouldDumpInTimeProportionalToBlocksWhenAllAreFirstOnes() {
    for (long i = 0; i < BLOCKS; i++) {
      tree.apply(event(KvCacheEventData.Stored.atRoot(new long[] {i}, new long[] {i})));
    }
    AllocationMeter meter = AllocationMeter.create();
    int[] dumped = new int[1];

    long bytes = meter.bytesOfOneRun(() -> tree.dump(event -> dumped[0]++));
    assertThat(bytes).isLessThan(BLOCKS * BYTES_A_BLOCK);
    assertThat(dumped[0]).isEqualTo(BLOCKS);
  }

  /** Doubled step by step, the table alone takes 20 bytes a block more, and moves all each time. */
  @Test
  void shouldGrowARanksTableOnceForAStore() {
    long[] hashes = new long[BLOCKS / 5];
    Arrays.setAll(hashes, i -> i);
    RouterEvent store = event(KvCacheEventData.Stored.atRoot(hashes, hashes));

    long bytes = AllocationMeter.create().bytesOfOneRun(() -> tree.apply(store));
    assertThat(bytes).isLessThan(40L * hashes.length);
    assertThat(tree.blockCount()).isEqualTo(hashes.length);
  }

  private static RouterEvent event(KvCacheEventData data) {
    return RouterEvent.of(1, StorageTier.DEVICE, KvCacheEvent.of(0, 0, data));
  }
}
