// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import static io.dynamo4j.core.testing.IndexComparison.scores;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.testing.EventStreams.Hashes;
import io.dynamo4j.core.tree.ApplyResult;
import io.dynamo4j.core.tree.ApplyResult.Outcome;
import io.dynamo4j.core.tree.SyncIndexer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What every index does, case by case and on random streams. Blocks are written as {@code local,
 * external} numbers; worker 1 and 2 have rank 0 where nothing is said.
 */
public abstract class SyncIndexerContract {
  private static final WorkerWithDpRank W1 = WorkerWithDpRank.of(1);
  private static final WorkerWithDpRank W2 = WorkerWithDpRank.of(2);

  private SyncIndexer index = ReferenceIndex.create();

  /** Makes an empty index. */
  protected abstract SyncIndexer create();

  /** Throws if an index made by {@link #create} is inconsistent. */
  protected abstract void checkInvariants(SyncIndexer subject);

  /** Returns the length of the longest chain tried, in blocks. */
  protected int longChain() {
    return 200_000;
  }

  /** Returns the number of random streams tried of each kind. */
  protected int streams() {
    return 60;
  }

  @BeforeEach
  final void makeIndex() {
    index = create();
  }

  /* --------------- Chains --------------- */

  @Test
  void shouldScoreTheLongestPrefixHeld() {
    store(W1, local(1, 2, 3), external(11, 12, 13));

    assertThat(scores(index, 1, 2, 3, 4)).isEqualTo(Map.of(W1, 3));
    assertThat(scores(index, 1, 2)).isEqualTo(Map.of(W1, 2));
    assertThat(scores(index, 1, 9, 3)).isEqualTo(Map.of(W1, 1));
    assertThat(scores(index, 2, 3)).isEmpty();
    assertThat(scores(index)).isEmpty();
  }

  @Test
  void shouldContinueUnderTheParentWhenItIsInMidChain() {
    store(W1, local(1, 2, 3), external(11, 12, 13));
    store(W1, 12, local(7, 8), external(17, 18));

    assertThat(scores(index, 1, 2, 7, 8)).isEqualTo(Map.of(W1, 4));
    assertThat(scores(index, 1, 2, 3)).isEqualTo(Map.of(W1, 3));
  }

  @Test
  void shouldTellRanksOfOneWorkerApart() {
    WorkerWithDpRank rank1 = new WorkerWithDpRank(1, 1);
    store(W1, local(1, 2), external(11, 12));
    store(rank1, local(1), external(11));

    assertThat(scores(index, 1, 2)).isEqualTo(Map.of(W1, 2, rank1, 1));
    assertThat(store(rank1, 12, local(3), external(13)).outcome())
        .isEqualTo(Outcome.PARENT_NOT_FOUND);
  }

  @Test
  void shouldAcceptZeroAndNegativeHashes() {
    WorkerWithDpRank last = new WorkerWithDpRank(-1, -1);
    store(last, local(0, -1, Long.MIN_VALUE), external(-1, 0, Long.MIN_VALUE));
    store(last, 0, local(5), external(Long.MAX_VALUE));

    assertThat(scores(index, 0, -1, Long.MIN_VALUE)).isEqualTo(Map.of(last, 3));
    assertThat(scores(index, 0, -1, 5)).isEqualTo(Map.of(last, 3));
    remove(last, 0);
    assertThat(scores(index, 0, -1, 5)).isEqualTo(Map.of(last, 1));
  }

  @Test
  void shouldTakeOneContentOverAndOverAsOneChain() {
    store(W1, local(5, 5, 5), external(1, 2, 3));

    assertThat(scores(index, 5, 5, 5, 5)).isEqualTo(Map.of(W1, 3));
  }

  /* --------------- Typed outcomes --------------- */

  @Test // measured.md T4
  void shouldApplyNothingWhenParentIsUnknown() {
    ApplyResult result = store(W1, 99, local(1, 2), external(11, 12));

    assertThat(result.outcome()).isEqualTo(Outcome.PARENT_NOT_FOUND);
    assertThat(result.isRejected()).isTrue();
    assertThat(result.rejectedBlocks()).isEqualTo(2);
    assertThat(index.blockCount()).isZero();
  }

  @Test
  void shouldNotTakeAnotherRanksBlockAsParent() {
    store(W1, local(1), external(11));

    assertThat(store(W2, 11, local(2), external(12)).outcome()).isEqualTo(Outcome.PARENT_NOT_FOUND);
  }

  @Test
  void shouldNotTakeARemovedBlockAsParent() {
    store(W1, local(1, 2), external(11, 12));
    remove(W1, 12);

    assertThat(store(W1, 12, local(3), external(13)).outcome()).isEqualTo(Outcome.PARENT_NOT_FOUND);
  }

  @Test
  void shouldRefuseSelfReferenceBeforeItLooksForTheParent() {
    assertThat(store(W1, 99, local(1, 2), external(11, 99)).outcome())
        .isEqualTo(Outcome.SELF_REFERENCE);
    assertThat(index.blockCount()).isZero();
  }

  @Test
  void shouldApplyTheRestWhenARemovalNamesUnknownHashes() {
    store(W1, local(1, 2), external(11, 12));
    ApplyResult result = remove(W1, 99, 12);

    assertThat(result.outcome()).isEqualTo(Outcome.UNKNOWN_BLOCKS);
    assertThat(result.unknownBlocks()).isEqualTo(1);
    assertThat(result.removedBlocks()).isEqualTo(1);
    assertThat(scores(index, 1, 2)).isEqualTo(Map.of(W1, 1));
  }

  @Test
  void shouldChangeNothingWhenAStoreIsRepeated() {
    store(W1, local(1, 2), external(11, 12));
    ApplyResult result = store(W1, local(1, 2), external(11, 12));

    assertThat(result.outcome()).isEqualTo(Outcome.DUPLICATE);
    assertThat(result.duplicateBlocks()).isEqualTo(2);
    assertThat(index.blockCount()).isEqualTo(2);
    remove(W1, 12);
    assertThat(scores(index, 1, 2)).isEqualTo(Map.of(W1, 1));
  }

  @Test
  void shouldTakeAStoreOfNoBlocksAsNothing() {
    assertThat(store(W1, local(), external()).outcome()).isEqualTo(Outcome.APPLIED);
    assertThat(store(W1, 1, local(), external()).outcome()).isEqualTo(Outcome.PARENT_NOT_FOUND);
    assertThat(index.blockCount()).isZero();
  }

  @Test
  void shouldRejectACountBeyondTheQuery() {
    OverlapScores out = OverlapScores.create();

    assertThatThrownBy(() -> index.findMatches(new long[2], 3, out))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> index.findMatches(new long[2], -1, out))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  /* --------------- Gaps --------------- */

  @Test
  void shouldNotReachBlocksBehindARemovedOne() {
    store(W1, local(1, 2, 3, 4), external(11, 12, 13, 14));
    remove(W1, 12);

    assertThat(scores(index, 1, 2, 3, 4)).isEqualTo(Map.of(W1, 1));
    assertThat(index.blockCount()).isEqualTo(3);
  }

  @Test
  void shouldReachThemAgainWhenTheGapIsStoredAgain() {
    store(W1, local(1, 2, 3, 4), external(11, 12, 13, 14));
    remove(W1, 12);
    store(W1, 11, local(2), external(12));

    assertThat(scores(index, 1, 2, 3, 4)).isEqualTo(Map.of(W1, 4));
  }

  @Test
  void shouldReachThemAgainWhenTheGapIsFilledUnderAnotherHash() {
    store(W1, local(1, 2, 3), external(11, 12, 13));
    remove(W1, 12);
    store(W1, local(1, 2), external(11, 92));

    assertThat(scores(index, 1, 2, 3)).isEqualTo(Map.of(W1, 3));
  }

  @Test
  void shouldTakeABlockBehindAGapAsParent() {
    store(W1, local(1, 2, 3), external(11, 12, 13));
    remove(W1, 12);
    store(W1, 13, local(4), external(14));

    assertThat(scores(index, 1, 2, 3, 4)).isEqualTo(Map.of(W1, 1));
    store(W1, 11, local(2), external(12));
    assertThat(scores(index, 1, 2, 3, 4)).isEqualTo(Map.of(W1, 4));
  }

  @Test
  void shouldForgetABlockBehindAGapWhenItIsRemoved() {
    store(W1, local(1, 2, 3), external(11, 12, 13));
    remove(W1, 12);
    assertThat(remove(W1, 13).outcome()).isEqualTo(Outcome.APPLIED);
    store(W1, 11, local(2), external(12));

    assertThat(scores(index, 1, 2, 3)).isEqualTo(Map.of(W1, 2));
  }

  @Test
  void shouldNotLetAnotherRankFillAGap() {
    store(W1, local(1, 2, 3), external(11, 12, 13));
    store(W2, local(1, 2, 3), external(11, 12, 13));
    remove(W1, 12);

    assertThat(scores(index, 1, 2, 3)).isEqualTo(Map.of(W1, 1, W2, 3));
  }

  @Test // measured.md T1
  void shouldNotOverCountAfterARemovalAtABranch() {
    store(W1, local(1, 2, 3, 4), external(11, 12, 13, 14));
    store(W2, local(1, 2, 9), external(11, 12, 19));
    remove(W1, 12);

    assertThat(scores(index, 1, 2, 3, 4)).isEqualTo(Map.of(W1, 1, W2, 2));
    assertThat(scores(index, 1, 2, 9)).isEqualTo(Map.of(W1, 1, W2, 3));
  }

  /* --------------- Hashes --------------- */

  @Test // measured.md T2
  void shouldKeepTheContinuationWhenEnginesHashAlikeContentDifferently() {
    store(W1, local(1, 2), external(11, 12));
    store(W2, local(1, 2, 3), external(21, 22, 23));
    store(W2, 23, local(4), external(24));

    assertThat(scores(index, 1, 2, 3, 4)).isEqualTo(Map.of(W1, 2, W2, 4));
    assertThat(remove(W2, 22).outcome()).isEqualTo(Outcome.APPLIED);
    assertThat(scores(index, 1, 2, 3, 4)).isEqualTo(Map.of(W1, 2, W2, 1));
    assertThat(remove(W1, 11, 12).outcome()).isEqualTo(Outcome.APPLIED);
    assertThat(scores(index, 1, 2, 3, 4)).isEqualTo(Map.of(W2, 1));
  }

  @Test
  void shouldHoldAPlaceWhileOneOfItsHashesIsHeld() {
    store(W1, local(1, 2), external(11, 12));
    store(W1, 11, local(2), external(92));
    remove(W1, 12);

    assertThat(scores(index, 1, 2)).isEqualTo(Map.of(W1, 2));
    store(W1, 92, local(3), external(13));
    assertThat(scores(index, 1, 2, 3)).isEqualTo(Map.of(W1, 3));
    remove(W1, 92);
    assertThat(scores(index, 1, 2, 3)).isEqualTo(Map.of(W1, 1));
  }

  @Test
  void shouldHoldEveryPlaceOfAHashUntilItIsRemoved() {
    store(W1, local(1, 2), external(11, 77));
    store(W1, 11, local(3), external(77));

    assertThat(scores(index, 1, 2)).isEqualTo(Map.of(W1, 2));
    assertThat(scores(index, 1, 3)).isEqualTo(Map.of(W1, 2));
    assertThat(remove(W1, 77).removedBlocks()).isEqualTo(2);
    assertThat(scores(index, 1, 2)).isEqualTo(Map.of(W1, 1));
    assertThat(scores(index, 1, 3)).isEqualTo(Map.of(W1, 1));
  }

  @Test
  void shouldContinueUnderTheLatestPlaceOfAHash() {
    store(W1, local(1, 2), external(11, 77));
    store(W1, 11, local(3), external(77));
    store(W1, 77, local(4), external(14));

    assertThat(scores(index, 1, 3, 4)).isEqualTo(Map.of(W1, 3));
    store(W1, 11, local(2), external(77)); // a duplicate that makes the first place the latest
    store(W1, 77, local(5), external(15));
    assertThat(scores(index, 1, 2, 5)).isEqualTo(Map.of(W1, 3));
  }

  @Test
  void shouldHoldBothPlacesWhenOneStoreRepeatsAHash() {
    store(W1, local(1, 2, 3), external(7, 7, 8));

    assertThat(scores(index, 1, 2, 3)).isEqualTo(Map.of(W1, 3));
    assertThat(remove(W1, 7).removedBlocks()).isEqualTo(2);
    assertThat(scores(index, 1, 2, 3)).isEmpty();
  }

  @Test // measured.md T3
  void shouldLeaveNothingBehindWhenAHashIsReusedForOtherContent() {
    store(W1, local(1, 2), external(11, 12));
    remove(W1, 12);
    store(W1, 11, local(5), external(12));

    assertThat(scores(index, 1, 2)).isEqualTo(Map.of(W1, 1));
    assertThat(scores(index, 1, 5)).isEqualTo(Map.of(W1, 2));
    remove(W1, 11, 12);
    assertThat(index.blockCount()).isZero();
    assertThat(scores(index, 1, 5)).isEmpty();
  }

  /* --------------- Clears and departures --------------- */

  @Test
  void shouldClearTheEmittingRankOnly() {
    WorkerWithDpRank rank1 = new WorkerWithDpRank(1, 1);
    store(W1, local(1), external(11));
    store(rank1, local(1), external(11));
    store(W2, local(1), external(11));
    ApplyResult result = apply(W1, KvCacheEventData.Cleared.instance());

    assertThat(result.removedBlocks()).isEqualTo(1);
    assertThat(scores(index, 1)).isEqualTo(Map.of(rank1, 1, W2, 1));
    apply(W1, KvCacheEventData.Cleared.instance());
    assertThat(scores(index, 1)).isEqualTo(Map.of(rank1, 1, W2, 1));
  }

  @Test
  void shouldForgetAllRanksOfAWorkerThatIsGone() {
    store(W1, local(1), external(11));
    store(new WorkerWithDpRank(1, -1), local(1), external(11));
    store(W2, local(1), external(11));
    index.removeWorker(1);
    index.removeWorker(1);

    assertThat(scores(index, 1)).isEqualTo(Map.of(W2, 1));
    assertThat(index.blockCount()).isEqualTo(1);
    assertThat(store(W1, 11, local(2), external(12)).outcome()).isEqualTo(Outcome.PARENT_NOT_FOUND);
  }

  @Test
  void shouldForgetOneRankOnly() {
    WorkerWithDpRank rank1 = new WorkerWithDpRank(1, 1);
    store(W1, local(1), external(11));
    store(rank1, local(1), external(11));
    index.removeWorkerDpRank(rank1);
    index.removeWorkerDpRank(new WorkerWithDpRank(8, 8));

    assertThat(scores(index, 1)).isEqualTo(Map.of(W1, 1));
  }

  @Test
  void shouldServeManyWorkersAndReuseTheirSlots() {
    for (int round = 0; round < 5; round++) {
      for (int worker = 0; worker < 300; worker++) {
        store(WorkerWithDpRank.of(worker), local(1, worker), external(11, 1_000 + worker));
      }
      assertThat(scores(index, 1, 299)).hasSize(300).containsEntry(WorkerWithDpRank.of(299), 2);
      for (int worker = 0; worker < 300; worker++) {
        index.removeWorker(worker);
        if (worker % 50 == 0) {
          checkInvariants(index);
        }
      }
      assertThat(index.blockCount()).isZero();
    }
  }

  /* --------------- Size --------------- */

  @Test
  void shouldNeitherOverflowNorStallOnALongChain() {
    long[] hashes = new long[longChain()];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = i * 0x9e3779b97f4a7c15L;
    }
    apply(W1, KvCacheEventData.Stored.atRoot(hashes, hashes));
    apply(W2, KvCacheEventData.Stored.atRoot(hashes, hashes));
    remove(W1, hashes[hashes.length / 2]);

    assertThat(scores(index, hashes)).isEqualTo(Map.of(W1, hashes.length / 2, W2, hashes.length));
    List<RouterEvent> dumped = new ArrayList<>();
    index.dump(dumped::add);
    assertThat(dumped).isNotEmpty();
    index.removeWorker(1);
    apply(W2, KvCacheEventData.Removed.of(hashes));
    assertThat(index.blockCount()).isZero();
    checkInvariants(index);
  }

  @Test
  void shouldKeepNothingOfBlocksThatComeAndGo() {
    store(W1, local(1, 2), external(11, 12));
    for (long i = 100; i < 20_100; i++) {
      store(W1, 12, local(i, i + 1), external(i, -i));
      remove(W1, i, -i);
    }
    checkInvariants(index);
    assertThat(index.blockCount()).isEqualTo(2);
    assertThat(scores(index, 1, 2)).isEqualTo(Map.of(W1, 2));
  }

  /* --------------- Streams --------------- */

  @ParameterizedTest
  @EnumSource(Hashes.class)
  void shouldAgreeWithTheReferenceOnRandomStreams(Hashes hashes) {
    IndexComparison comparison = IndexComparison.of(this::create, this::checkInvariants);
    for (long seed = 0; seed < streams(); seed++) {
      assertThat(comparison.compare(seed, hashes, 10 + (int) seed)).isNull();
    }
  }

  @ParameterizedTest
  @EnumSource(Hashes.class)
  void shouldAnswerAlikeWhenRestoredFromADump(Hashes hashes) {
    for (long seed = 0; seed < streams(); seed++) {
      SyncIndexer original = create();
      SyncIndexer restored = create();
      ReferenceIndex reference = ReferenceIndex.create();
      for (IndexStep step : EventStreams.of(seed, hashes, 40)) {
        step.applyTo(original);
        step.applyTo(reference);
      }
      List<Long> ids = new ArrayList<>();
      original.dump(
          event -> {
            ids.add(event.event().eventId());
            assertThat(restored.apply(event).isRejected()).isFalse();
          });
      assertThat(ids).isSorted();
      reference.dump(
          event -> {
            long[] path = ((KvCacheEventData.Stored) event.event().data()).tokensHashes();
            assertThat(scores(restored, path)).isEqualTo(scores(original, path));
          });
    }
  }

  /* --------------- Steps --------------- */

  private static long[] local(long... hashes) {
    return hashes;
  }

  private static long[] external(long... hashes) {
    return hashes;
  }

  private ApplyResult store(WorkerWithDpRank worker, long[] local, long[] external) {
    return apply(worker, KvCacheEventData.Stored.atRoot(external, local));
  }

  private ApplyResult store(WorkerWithDpRank worker, long parent, long[] local, long[] external) {
    return apply(worker, KvCacheEventData.Stored.under(parent, external, local));
  }

  private ApplyResult remove(WorkerWithDpRank worker, long... hashes) {
    return apply(worker, KvCacheEventData.Removed.of(hashes));
  }

  private ApplyResult apply(WorkerWithDpRank worker, KvCacheEventData data) {
    return index.apply(
        RouterEvent.of(
            worker.workerId(), StorageTier.DEVICE, KvCacheEvent.of(0, worker.dpRank(), data)));
  }
}
