// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.testing.AllocationMeter;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RadixTreeAllocationTest {
  private static final int CHAIN = 100;

  private final AllocationMeter meter = AllocationMeter.create();
  private final RadixTree tree = RadixTree.create(7);
  private final long[] chain = new long[CHAIN];

  @BeforeEach
  void fill() {
    Arrays.setAll(chain, i -> 1_000 + i);
    for (int worker = 0; worker < 100; worker++) {
      long[] held = Arrays.copyOf(chain, 1 + worker % CHAIN);
      tree.apply(event(worker, KvCacheEventData.Stored.atRoot(held, held)));
    }
  }

  @Test
  void shouldAllocateNothingWhenLookingUp() {
    OverlapScores out = OverlapScores.create();
    assertThat(meter.bytesPerRun(() -> tree.findMatches(chain, CHAIN, out))).isZero();
    assertThat(out.size()).isEqualTo(100);
  }

  @Test
  void shouldAllocateNothingWhenLookingUpWithinAScope() {
    OverlapScores out = OverlapScores.create();
    WorkerWithDpRank last = WorkerWithDpRank.of(99);
    LookupScope some = LookupScope.only(List.of(last, WorkerWithDpRank.of(7)));
    LookupScope best = LookupScope.all().stoppingAtLastRank();
    assertThat(
            meter.bytesPerRun(
                () -> {
                  tree.findMatches(chain, CHAIN, some, out);
                  tree.findMatches(chain, CHAIN, best, out);
                  tree.depthOf(last, chain, CHAIN, out);
                }))
        .isZero();
    assertThat(tree.depthOf(last, chain, CHAIN, out)).isEqualTo(CHAIN);
  }

  @Test
  void shouldAllocateNothingWhenBlocksComeAndGo() {
    long[] branch = new long[40];
    Arrays.setAll(branch, i -> -1_000 - i);
    // Below the chain's middle: splits an edge, makes a node, and both are undone.
    RouterEvent store = event(99, KvCacheEventData.Stored.under(chain[49], branch, branch));
    RouterEvent extend =
        event(99, KvCacheEventData.Stored.under(branch[39], new long[] {5}, new long[] {5}));
    RouterEvent remove = event(99, KvCacheEventData.Removed.of(reversed(branch)));
    RouterEvent removeTail = event(99, KvCacheEventData.Removed.of(new long[] {5}));
    RouterEvent evict = event(50, KvCacheEventData.Removed.of(new long[] {chain[20]}));
    RouterEvent restore =
        event(
            50,
            KvCacheEventData.Stored.under(
                chain[19], new long[] {chain[20]}, new long[] {chain[20]}));
    assertThat(
            meter.bytesPerRun(
                () -> {
                  tree.apply(store);
                  tree.apply(store);
                  tree.apply(extend);
                  tree.apply(evict);
                  tree.apply(removeTail);
                  tree.apply(remove);
                  tree.apply(restore);
                }))
        .isZero();
    tree.checkInvariants();
  }

  @Test
  void shouldAllocateNothingWhenARanksTableGrowsAndShrinks() {
    long[] all = new long[700];
    Arrays.setAll(all, i -> 1_000_000 + i);
    long[] tail = Arrays.copyOfRange(all, 500, 700);
    tree.apply(event(200, KvCacheEventData.Stored.atRoot(all, all)));
    // A table of 2,048 places is left below 656 hashes, and entered above 682.
    RouterEvent remove = event(200, KvCacheEventData.Removed.of(reversed(tail)));
    RouterEvent store = event(200, KvCacheEventData.Stored.under(all[499], tail, tail));
    assertThat(
            meter.bytesPerRun(
                () -> {
                  tree.apply(remove);
                  tree.apply(store);
                }))
        .isZero();
    tree.checkInvariants();
  }

  private static long[] reversed(long[] hashes) {
    long[] reversed = new long[hashes.length];
    Arrays.setAll(reversed, i -> hashes[hashes.length - 1 - i]);
    return reversed;
  }

  private static RouterEvent event(long worker, KvCacheEventData data) {
    return RouterEvent.of(worker, StorageTier.DEVICE, KvCacheEvent.of(0, 0, data));
  }
}
