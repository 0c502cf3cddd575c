// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.tree;

import static io.dynamo4j.core.testing.IndexComparison.scores;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import io.dynamo4j.core.testing.EventStreams;
import io.dynamo4j.core.testing.EventStreams.Hashes;
import io.dynamo4j.core.testing.IndexStep;
import io.dynamo4j.core.testing.ReferenceIndex;
import io.dynamo4j.core.tree.ApplyResult.Outcome;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a tree does at its bounds: it says so, and is as it was. */
class RadixTreeBoundsTest {
  private static final WorkerWithDpRank W1 = WorkerWithDpRank.of(1);
  private static final long[] ONE = {1};

  @Test
  void shouldRefuseOneMoreRankThanItMayHold() {
    RadixTree tree = RadixTree.builder().seed(1).maxRanks(2).build();
    store(tree, 1, ONE, ONE);
    store(tree, 2, ONE, ONE);
    ApplyResult refused = store(tree, 3, ONE, ONE);

    assertThat(refused.outcome()).isEqualTo(Outcome.OUT_OF_CAPACITY);
    assertThat(refused.rejectedBlocks()).isEqualTo(1);
    assertThat(scores(tree, 1)).isEqualTo(Map.of(W1, 1, WorkerWithDpRank.of(2), 1));
    tree.checkInvariants();
    tree.removeWorker(2);
    assertThat(store(tree, 3, ONE, ONE).outcome()).isEqualTo(Outcome.APPLIED);
    assertThat(store(tree, 1, new long[] {1, 2}, new long[] {1, 2}).addedBlocks()).isEqualTo(1);
  }

  @Test
  void shouldRefuseARankWhenAllSlotsAreTaken() {
    RadixTree tree = RadixTree.create(1);
    for (int worker = 0; worker < RadixTree.MAX_RANKS; worker++) {
      store(tree, worker, ONE, ONE);
    }
    ApplyResult refused = store(tree, RadixTree.MAX_RANKS, ONE, ONE);

    assertThat(refused.outcome()).isEqualTo(Outcome.OUT_OF_CAPACITY);
    assertThat(scores(tree, 1)).hasSize(RadixTree.MAX_RANKS);
    assertThat(tree.blockCount()).isEqualTo(RadixTree.MAX_RANKS);
    tree.removeWorker(77);
    assertThat(store(tree, RadixTree.MAX_RANKS, ONE, ONE).outcome()).isEqualTo(Outcome.APPLIED);
    tree.checkInvariants();
  }

  @Test
  void shouldRefuseAStoreThatDoesNotFitAndTakeOneThatAddsNothing() {
    RadixTree tree = RadixTree.builder().seed(1).maxBlocks(3).build();
    long[] chain = {1, 2, 3};
    store(tree, 1, chain, chain);

    assertThat(store(tree, 1, chain, chain).outcome()).isEqualTo(Outcome.DUPLICATE);
    ApplyResult refused = store(tree, 1, new long[] {1, 2, 3, 4}, new long[] {1, 2, 3, 4});
    assertThat(refused.outcome()).isEqualTo(Outcome.OUT_OF_CAPACITY);
    assertThat(refused.rejectedBlocks()).isEqualTo(4);
    assertThat(store(tree, 2, ONE, ONE).outcome()).isEqualTo(Outcome.OUT_OF_CAPACITY);
    assertThat(scores(tree, 1, 2, 3, 4)).isEqualTo(Map.of(W1, 3));
    tree.checkInvariants();
    tree.apply(event(1, KvCacheEventData.Removed.of(new long[] {2})));
    assertThat(store(tree, 1, chain, chain).addedBlocks()).isEqualTo(1);
    tree.removeWorker(1);
    assertThat(store(tree, 2, ONE, ONE).outcome()).isEqualTo(Outcome.APPLIED);
  }

  /** Every store either takes effect as in the reference or is refused because it would not fit. */
  @ParameterizedTest
  @EnumSource(Hashes.class)
  void shouldStayWithinItsBoundOnRandomStreams(Hashes hashes) {
    int refused = 0;
    for (long seed = 0; seed < 40; seed++) {
      int most = 1 + RandomSource.seeded(seed).nextInt(12);
      RadixTree tree = RadixTree.builder().seed(seed).maxBlocks(most).build();
      ReferenceIndex reference = ReferenceIndex.create();
      for (IndexStep step : EventStreams.of(seed, hashes, 60)) {
        String before = scores(tree, 0, 1, 0).toString();
        String outcome = step.applyTo(tree);
        if (outcome != null && outcome.contains(Outcome.OUT_OF_CAPACITY.name())) {
          refused++;
          assertThat(scores(tree, 0, 1, 0)).hasToString(before);
          tree.checkInvariants();
          continue;
        }
        assertThat(step.applyTo(reference)).as("seed=%d", seed).isEqualTo(outcome);
        assertThat(tree.blockCount()).isEqualTo(reference.blockCount()).isLessThanOrEqualTo(most);
        tree.checkInvariants();
      }
    }
    assertThat(refused).isPositive();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, RadixTree.MAX_RANKS + 1})
  void shouldRejectImpossibleBounds(int bound) {
    assertThatThrownBy(() -> RadixTree.builder().maxRanks(bound))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxRanks=" + bound);
    if (bound < 1) {
      assertThatThrownBy(() -> RadixTree.builder().maxBlocks(bound))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("maxBlocks=" + bound);
    }
  }

  @Test
  void shouldRejectAStoreOfUnequalArraysBeforeItReachesTheTree() {
    assertThatThrownBy(() -> KvCacheEventData.Stored.atRoot(new long[2], new long[1]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("blockHashes=2")
        .hasMessageContaining("tokensHashes=1");
  }

  @Test
  void shouldLeaveOthersTheirRoomWhenARankHasTakenItsOwn() {
    RadixTree tree = RadixTree.builder().seed(1).maxBlocksPerRank(3).build();
    long[] chain = {1, 2, 3};
    store(tree, 1, chain, chain);

    assertThat(store(tree, 1, chain, chain).outcome()).isEqualTo(Outcome.DUPLICATE);
    assertThat(store(tree, 1, new long[] {4}, new long[] {4}).outcome())
        .isEqualTo(Outcome.OUT_OF_CAPACITY);
    assertThat(store(tree, 2, chain, chain).addedBlocks()).isEqualTo(3);
    assertThat(store(tree, 3, new long[4], new long[4]).outcome())
        .isEqualTo(Outcome.OUT_OF_CAPACITY);
    tree.apply(event(1, KvCacheEventData.Removed.of(new long[] {3})));
    assertThat(store(tree, 1, new long[] {4}, new long[] {4}).addedBlocks()).isEqualTo(1);
    tree.checkInvariants();
  }

  /** Keeps the last block of each run and stores on below it: pairs stay few, places do not. */
  @Test
  void shouldRefuseMorePlacesThanItMayHaveHoweverFewBlocksAreHeld() {
    RadixTree tree = RadixTree.builder().seed(1).maxBlocks(1_000).build();
    long[] run = new long[900];
    long next = 1;
    ApplyResult result = store(tree, 1, ONE, ONE);
    int stores = 0;
    while (result.outcome() == Outcome.APPLIED) {
      long parent = next;
      for (int i = 0; i < run.length; i++) {
        run[i] = ++next;
      }
      result = tree.apply(event(1, KvCacheEventData.Stored.under(parent, run, run)));
      stores++;
      if (result.outcome() == Outcome.APPLIED) {
        tree.apply(event(1, KvCacheEventData.Removed.of(allButLast(run))));
        assertThat(stores).isLessThan(100);
      }
    }

    assertThat(result.outcome()).isEqualTo(Outcome.OUT_OF_CAPACITY);
    assertThat(result.rejectedBlocks()).isEqualTo(run.length);
    assertThat(tree.blockCount()).isLessThanOrEqualTo(1 + stores);
    tree.checkInvariants();
    assertThat(store(tree, 1, ONE, ONE).outcome()).isEqualTo(Outcome.DUPLICATE);
    tree.removeWorker(1);
    assertThat(store(tree, 1, run, run).addedBlocks()).isEqualTo(run.length);
  }

  @Test
  void shouldHaveRoomForTheBlocksOfItsBoundInAnyPieces() {
    for (int piece = 1; piece <= 70; piece++) {
      RadixTree tree = RadixTree.builder().seed(1).maxBlocks(50_000).build();
      long[] chain = new long[piece];
      for (long from = 0; from + piece <= 50_000; from += piece) {
        for (int i = 0; i < piece; i++) {
          chain[i] = from + i;
        }
        assertThat(store(tree, from % 7, chain, chain).addedBlocks()).isEqualTo(piece);
      }
    }
  }

  private static long[] allButLast(long[] hashes) {
    return Arrays.copyOf(hashes, hashes.length - 1);
  }

  private static ApplyResult store(RadixTree tree, long worker, long[] hashes, long[] locals) {
    return tree.apply(event(worker, KvCacheEventData.Stored.atRoot(hashes, locals)));
  }

  private static RouterEvent event(long worker, KvCacheEventData data) {
    return RouterEvent.of(worker, StorageTier.DEVICE, KvCacheEvent.of(0, 0, data));
  }
}
