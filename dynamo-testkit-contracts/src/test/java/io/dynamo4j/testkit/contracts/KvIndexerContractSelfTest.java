// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.testkit.contracts.IndexScript.Step;
import java.util.List;
import java.util.SortedMap;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The contract passes the right index and catches a planted wrong one of each kind. */
class KvIndexerContractSelfTest {

  @ParameterizedTest
  @CsvSource({
    "CLEAR_IGNORED, shouldEmptyTheRankThatWasClearedAndNoOther",
    "CLEAR_TAKES_THE_WORKER, shouldEmptyTheRankThatWasClearedAndNoOther",
    "REMOVAL_STOPS_AT_AN_UNKNOWN_HASH, shouldRemoveWhatItKnowsOfAListThatNamesMore",
    "ORPHANS_AT_THE_ROOT, shouldNotPlaceAStoreUnderAnUnknownParent",
    "RANKS_AS_ONE, shouldTellRanksOfOneWorkerApart",
    "HASHES_SHARED_BY_WORKERS, shouldFollowEachRankByItsOwnHashes",
    "REMOVAL_TAKES_WHAT_HANGS_ON_IT, shouldCutARankAtARemovalInMidChain",
    "CONTENT_KNOWN_BY_ONE_HASH, shouldHoldABlockWhileOneOfItsHashesIsHeld",
    "WORKER_REMOVAL_LEAVES_RANKS, shouldForgetAWorkerWithAllItsRanks",
    "WORKER_NEVER_COMES_BACK, shouldApplyWhatItIsToldInOrder",
    "RANK_REMOVAL_TAKES_THE_WORKER, shouldForgetOneRankAlone",
    "LAST_BLOCK_MISSED, shouldScoreEachRankByItsLeadingBlocks",
    "COUNT_IGNORED, shouldLookAtTheFirstBlocksOfALongerArray",
    "LARGE_IDS_LOST, shouldScoreEachRankByItsLeadingBlocks",
    "SCOPE_IGNORED, shouldScoreWithinAScope",
    "FLUSH_AT_ONCE, shouldShowAtAFlushAllThatCameBefore",
    "OPEN_AFTER_CLOSE, shouldFindNothingAndTakeNothingAfterClose"
  })
  void shouldCatchPlantedIndex(PlantedKvIndexer planted, String test) {
    assertThat(failures(planted)).containsKey(test);
  }

  @ParameterizedTest
  @CsvSource("RIGHT")
  void shouldPassTheRightIndexThroughTheSameMachinery(PlantedKvIndexer right) {
    assertThat(failures(right)).isEmpty();
  }

  private static SortedMap<String, Throwable> failures(KvIndexerFactory factory) {
    return ContractRun.failures(
        KvIndexerContract.class,
        () ->
            new KvIndexerContract() {
              @Override
              protected KvIndexerFactory factory() {
                return factory;
              }
            });
  }

  @Example
  void shouldNameTheStepThatFails() {
    WorkerWithDpRank rank = WorkerWithDpRank.of(1);
    IndexScript script =
        new IndexScript(
            List.of(new Step.Store(rank, 0, List.of(5L), List.of(1L)), new Step.Clear(rank)));

    assertThatThrownBy(() -> script.check(PlantedKvIndexer.CLEAR_IGNORED, List.of(new long[] {1})))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("step 1 of IndexScript[steps=[Store[")
        .hasMessageContaining("prompt [1]");
  }

  @Property(tries = 50)
  void shouldDrawScriptsThatTheRightIndexPasses(@ForAll("scripts") IndexScript script) {
    script.check(PlantedKvIndexer.RIGHT, List.of(new long[] {1, 2}, new long[] {3}));
  }

  @Provide
  Arbitrary<IndexScript> scripts() {
    return KvIndexerArbitraries.scripts();
  }
}
