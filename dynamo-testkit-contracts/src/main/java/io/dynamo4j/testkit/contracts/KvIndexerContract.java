// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.dynamo4j.core.model.DynamoException;
import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.KvCacheEventData;
import io.dynamo4j.core.model.LookupScope;
import io.dynamo4j.core.model.OverlapScores;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.indexer.EventOutcome;
import io.dynamo4j.indexer.KvIndexer;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/**
 * What every index must do, whoever wrote it. Extend it and say how your index is made:
 *
 * <pre>{@code
 * class MyIndexerTest extends KvIndexerContract {
 *   protected KvIndexerFactory factory() {
 *     return MyIndexer::new;
 *   }
 * }
 * }</pre>
 *
 * <p>Every test runs in virtual time. {@link KvIndexerPropertyContract} holds an index against
 * arbitrary streams.
 */
public abstract class KvIndexerContract {
  private static final WorkerWithDpRank A = new WorkerWithDpRank(1, 0);
  private static final WorkerWithDpRank A1 = new WorkerWithDpRank(1, 1);
  private static final WorkerWithDpRank B = new WorkerWithDpRank(2, 0);
  private static final WorkerWithDpRank LAST = new WorkerWithDpRank(-1, 0);

  private final Simulation simulation = Simulation.builder().seed(1).build();
  private final OverlapScores out = OverlapScores.create();

  /** Makes the index under test. */
  protected abstract KvIndexerFactory factory();

  private KvIndexer create() {
    return factory().create(IndexScript.BLOCK_SIZE, simulation.environment("router"));
  }

  private void submit(KvIndexer index, WorkerWithDpRank rank, KvCacheEventData data) {
    assertThat(index.submit(IndexScript.event(rank, 1, data))).isTrue();
  }

  private static KvCacheEventData store(long... hashes) {
    return KvCacheEventData.Stored.atRoot(hashes, hashes);
  }

  private static KvCacheEventData under(long parent, long... hashes) {
    return KvCacheEventData.Stored.under(parent, hashes, hashes);
  }

  private static KvCacheEventData remove(long... hashes) {
    return KvCacheEventData.Removed.of(hashes);
  }

  private Map<WorkerWithDpRank, Integer> scores(KvIndexer index, long... query) {
    simulation.await(index.flush());
    index.findMatches(query, query.length, out);
    return IndexScript.scores(out);
  }

  /* --------------- What ranks hold --------------- */

  @Test
  public void shouldScoreEachRankByItsLeadingBlocks() {
    KvIndexer index = create();
    submit(index, A, store(1, 2, 3));
    submit(index, B, store(1, 2));
    submit(index, B, under(2, 9));
    submit(index, LAST, store(7));

    assertThat(scores(index, 1, 2, 3, 4)).containsOnly(entry(A, 3), entry(B, 2));
    assertThat(scores(index, 1, 2, 9)).containsOnly(entry(A, 2), entry(B, 3));
    assertThat(scores(index, 7)).containsOnly(entry(LAST, 1));
    assertThat(scores(index, 2, 3)).isEmpty();
    assertThat(scores(index)).isEmpty();
    assertThat(index.blockSize()).isEqualTo(IndexScript.BLOCK_SIZE);
  }

  @Test
  public void shouldTellRanksOfOneWorkerApart() {
    KvIndexer index = create();
    submit(index, A, store(1));
    submit(index, A1, store(1, 2));

    assertThat(scores(index, 1, 2)).containsOnly(entry(A, 1), entry(A1, 2));
  }

  /** T1: a removal in mid-chain, where another rank branches. */
  @Test
  public void shouldCutARankAtARemovalInMidChain() {
    KvIndexer index = create();
    submit(index, A, store(1, 2, 3, 4));
    submit(index, B, store(1, 2, 9));
    submit(index, A, remove(2));

    assertThat(scores(index, 1, 2, 3, 4)).containsOnly(entry(A, 1), entry(B, 2));
    submit(index, A, under(1, 2));
    assertThat(scores(index, 1, 2, 3, 4)).containsOnly(entry(A, 4), entry(B, 2));
  }

  /** T2: engines that name the same content differently. */
  @Test
  public void shouldFollowEachRankByItsOwnHashes() {
    KvIndexer index = create();
    submit(index, A, KvCacheEventData.Stored.atRoot(new long[] {11, 12}, new long[] {1, 2}));
    submit(index, B, KvCacheEventData.Stored.atRoot(new long[] {21, 22}, new long[] {1, 2}));
    submit(index, B, KvCacheEventData.Stored.under(22, new long[] {23}, new long[] {3}));
    assertThat(scores(index, 1, 2, 3)).containsOnly(entry(A, 2), entry(B, 3));
    submit(index, B, remove(11, 21));
    assertThat(scores(index, 1, 2, 3)).containsOnly(entry(A, 2));
  }

  /** T3: one content under two hashes, one hash at two places. */
  @Test
  public void shouldHoldABlockWhileOneOfItsHashesIsHeld() {
    KvIndexer index = create();
    submit(index, A, KvCacheEventData.Stored.atRoot(new long[] {11}, new long[] {1}));
    submit(index, A, KvCacheEventData.Stored.atRoot(new long[] {12}, new long[] {1}));
    submit(index, A, remove(11));
    assertThat(scores(index, 1)).containsOnly(entry(A, 1));
    submit(index, A, KvCacheEventData.Stored.atRoot(new long[] {12}, new long[] {5}));
    assertThat(scores(index, 5)).containsOnly(entry(A, 1));
    submit(index, A, remove(12));
    assertThat(scores(index, 1)).isEmpty();
    assertThat(scores(index, 5)).isEmpty();
  }

  /** T4: a store under a block that the rank does not hold. */
  @Test
  public void shouldNotPlaceAStoreUnderAnUnknownParent() {
    KvIndexer index = create();
    submit(index, B, store(1));
    submit(index, A, under(1, 2));

    assertThat(scores(index, 1, 2)).containsOnly(entry(B, 1));
    assertThat(scores(index, 2)).isEmpty();
    assertThat(index.status().events(EventOutcome.PARENT_NOT_FOUND)).isEqualTo(1);
  }

  @Test
  public void shouldRemoveWhatItKnowsOfAListThatNamesMore() {
    KvIndexer index = create();
    submit(index, A, store(1, 2, 3));
    submit(index, A, remove(99, 3, 2));

    assertThat(scores(index, 1, 2, 3)).containsOnly(entry(A, 1));
    assertThat(index.status().events(EventOutcome.UNKNOWN_BLOCKS)).isEqualTo(1);
  }

  @Test
  public void shouldEmptyTheRankThatWasClearedAndNoOther() {
    KvIndexer index = create();
    submit(index, A, store(1));
    submit(index, A1, store(1));
    submit(index, B, store(1));
    submit(index, A, KvCacheEventData.Cleared.instance());
    assertThat(scores(index, 1)).containsOnly(entry(A1, 1), entry(B, 1));
    submit(index, A, store(1));
    assertThat(scores(index, 1)).containsOnly(entry(A, 1), entry(A1, 1), entry(B, 1));
  }

  /* --------------- Workers that go --------------- */

  @Test
  public void shouldForgetAWorkerWithAllItsRanks() {
    KvIndexer index = create();
    submit(index, A, store(1));
    submit(index, A1, store(1));
    submit(index, B, store(1));
    index.removeWorker(1);
    index.removeWorker(77);

    assertThat(scores(index, 1)).containsOnly(entry(B, 1));
    assertThat(index.status().blocks()).isEqualTo(1);
  }

  @Test
  public void shouldForgetOneRankAlone() {
    KvIndexer index = create();
    submit(index, A, store(1));
    submit(index, A1, store(1));
    index.removeWorkerDpRank(A);

    assertThat(scores(index, 1)).containsOnly(entry(A1, 1));
  }

  @Test
  public void shouldApplyWhatItIsToldInOrder() {
    KvIndexer index = create();
    submit(index, A, store(1, 2));
    index.removeWorker(1);
    submit(index, A, store(1));
    submit(index, A1, store(1, 2));
    index.removeWorkerDpRank(A1);
    submit(index, A1, store(1));

    assertThat(scores(index, 1, 2)).containsOnly(entry(A, 1), entry(A1, 1));
  }

  /* --------------- Questions --------------- */

  @Test
  public void shouldScoreWithinAScope() {
    KvIndexer index = create();
    submit(index, A, store(1, 2));
    submit(index, B, store(1));
    simulation.await(index.flush());
    index.findMatches(new long[] {1, 2}, 2, LookupScope.only(List.of(B, LAST)), out);
    assertThat(IndexScript.scores(out)).containsOnly(entry(B, 1));
    assertThat(index.depthOf(A, new long[] {1, 2}, 2, out)).isEqualTo(2);
    assertThat(index.depthOf(LAST, new long[] {1, 2}, 2, out)).isZero();
  }

  @Test
  public void shouldLookAtTheFirstBlocksOfALongerArray() {
    KvIndexer index = create();
    submit(index, A, store(1, 2, 3));
    simulation.await(index.flush());
    index.findMatches(new long[] {1, 2, 3}, 2, out);
    assertThat(IndexScript.scores(out)).containsOnly(entry(A, 2));
    assertThatThrownBy(() -> index.findMatches(new long[] {1}, 2, out))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> index.findMatches(new long[] {1}, -1, out))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  /* --------------- Flush, counters, end --------------- */

  @Test
  public void shouldShowAtAFlushAllThatCameBefore() {
    KvIndexer index = create();
    List<Integer> depths = new ArrayList<>();
    for (int i = 1; i <= 200; i++) {
      submit(index, A, i == 1 ? store(1) : under(i - 1, i));
    }
    long[] query = new long[200];
    for (int i = 0; i < query.length; i++) {
      query[i] = i + 1L;
    }
    index
        .flush()
        .thenRun(() -> depths.add(index.depthOf(A, query, query.length, OverlapScores.create())));
    simulation.run();

    assertThat(depths).containsExactly(200);
  }

  @Test
  public void shouldCountWhatBecameOfEvents() {
    KvIndexer index = create();
    submit(index, A, store(1, 2));
    submit(index, A, store(1, 2));
    submit(index, A, under(2, 2));
    simulation.await(index.flush());

    assertThat(index.status().events(EventOutcome.APPLIED)).isEqualTo(1);
    assertThat(index.status().events(EventOutcome.DUPLICATE)).isEqualTo(1);
    assertThat(index.status().events(EventOutcome.SELF_REFERENCE)).isEqualTo(1);
    assertThat(index.status().blocks()).isEqualTo(2);
    assertThat(index.status().pendingUpdates()).isZero();
  }

  @Test
  public void shouldFindNothingAndTakeNothingAfterClose() {
    KvIndexer index = create();
    submit(index, A, store(1));
    simulation.await(index.flush());
    index.close();
    index.close();
    simulation.run();
    index.findMatches(new long[] {1}, 1, out);

    assertThat(out.size()).isZero();
    assertThat(index.submit(IndexScript.event(A, 2, store(2)))).isFalse();
    List<Throwable> failures = new ArrayList<>();
    index
        .flush()
        .whenComplete(
            (done, failure) ->
                failures.add(
                    failure instanceof CompletionException ? failure.getCause() : failure));
    simulation.run();
    assertThat(failures)
        .singleElement()
        .isInstanceOfSatisfying(
            DynamoException.class,
            failure -> assertThat(failure.errorType()).isEqualTo(ErrorType.CLOSED));
  }
}
