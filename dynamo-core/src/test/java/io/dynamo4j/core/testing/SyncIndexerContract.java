// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.testing;

import static io.dynamo4j.core.testing.IndexComparison.scores;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.KvCacheEvent;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.RouterEvent;
import io.dynamo4j.core.model.StorageTier;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.testing.EventStreams.Hashes;
import io.dynamo4j.core.tree.ApplyResult;
import io.dynamo4j.core.tree.SyncIndexer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
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

  /* --------------- The model --------------- */

  /** Each row of the table is a test by its name. */
  @TestFactory
  Stream<DynamicTest> shouldDoAsTheModelSays() {
    return IndexModel.cases().stream()
        .map(
            row ->
                DynamicTest.dynamicTest(
                    row.name(),
                    () -> {
                      SyncIndexer fresh = create();
                      row.play(fresh);
                      checkInvariants(fresh);
                    }));
  }

  /* --------------- Counts and bad input --------------- */

  @Test
  void shouldCountTheBlocksOfEachOutcome() {
    assertThat(store(W1, local(1, 2), external(11, 12)).addedBlocks()).isEqualTo(2);
    assertThat(store(W1, local(1, 2), external(11, 12)).duplicateBlocks()).isEqualTo(2);
    ApplyResult refused = store(W1, 99, local(1, 2), external(11, 12));
    assertThat(refused.isRejected()).isTrue();
    assertThat(refused.rejectedBlocks()).isEqualTo(2);
    ApplyResult removed = remove(W1, 99, 12);
    assertThat(removed.unknownBlocks()).isEqualTo(1);
    assertThat(removed.removedBlocks()).isEqualTo(1);
    assertThat(apply(W1, KvCacheEventData.Cleared.instance()).removedBlocks()).isEqualTo(1);
  }

  @Test
  void shouldRejectACountBeyondTheQuery() {
    OverlapScores out = OverlapScores.create();

    assertThatThrownBy(() -> index.findMatches(new long[2], 3, out))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> index.findMatches(new long[2], -1, out))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> index.findMatches(new long[2], Integer.MAX_VALUE, out))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> index.findMatches(new long[2], 3, LookupScope.all(), out))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void shouldChangeNothingWhenGivenNull() {
    store(W1, local(1), external(11));
    OverlapScores out = OverlapScores.create();

    assertThatThrownBy(() -> index.apply(nothing())).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> index.findMatches(nothing(), 0, out))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> index.findMatches(local(1), 1, nothing()))
        .isInstanceOf(NullPointerException.class);
    assertThat(scores(index, 1)).isEqualTo(Map.of(W1, 1));
    checkInvariants(index);
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // what the test is about
  private static <T> T nothing() {
    return null;
  }

  /* --------------- Scopes --------------- */

  @Test
  void shouldScoreTheRanksOfAScopeOnly() {
    store(W1, local(1, 2, 3), external(11, 12, 13));
    store(W2, local(1, 2), external(11, 12));
    LookupScope second = LookupScope.only(List.of(W2, WorkerWithDpRank.of(7)));
    OverlapScores out = OverlapScores.create();

    index.findMatches(local(1, 2, 3), 3, second, out);
    assertThat(IndexComparison.byWorker(out)).isEqualTo(Map.of(W2, 2));
    store(WorkerWithDpRank.of(7), local(1), external(11));
    index.findMatches(local(1, 2, 3), 3, second, out);
    assertThat(IndexComparison.byWorker(out)).isEqualTo(Map.of(W2, 2, WorkerWithDpRank.of(7), 1));
    index.findMatches(local(1, 2, 3), 3, LookupScope.only(List.of()), out);
    assertThat(out.size()).isZero();
    index.removeWorker(2);
    index.findMatches(local(1, 2, 3), 3, second, out);
    assertThat(IndexComparison.byWorker(out)).isEqualTo(Map.of(WorkerWithDpRank.of(7), 1));
  }

  @Test
  void shouldKeepTheBestRankBestWhenItStopsAtTheLast() {
    store(W1, local(1, 2, 3, 4), external(11, 12, 13, 14));
    store(W2, local(1, 2), external(11, 12));
    OverlapScores out = OverlapScores.create();

    index.findMatches(local(1, 2, 3, 4), 4, LookupScope.all().stoppingAtLastRank(), out);
    assertThat(out.depthOf(W2)).isEqualTo(2);
    assertThat(out.depthOf(W1)).isBetween(2, 4);
  }

  @Test
  void shouldTellTheDepthOfOneRank() {
    store(W1, local(1, 2, 3), external(11, 12, 13));
    store(W2, local(1), external(11));
    OverlapScores out = OverlapScores.create();

    assertThat(index.depthOf(W1, local(1, 2, 3), 3, out)).isEqualTo(3);
    assertThat(index.depthOf(W1, local(1, 2, 3), 2, out)).isEqualTo(2);
    assertThat(index.depthOf(W2, local(1, 2, 3), 3, out)).isEqualTo(1);
    assertThat(index.depthOf(W2, local(2), 1, out)).isZero();
    assertThat(index.depthOf(WorkerWithDpRank.of(9), local(1), 1, out)).isZero();
    assertThatThrownBy(() -> index.depthOf(W1, local(1), 2, out))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  /* --------------- Size --------------- */

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
