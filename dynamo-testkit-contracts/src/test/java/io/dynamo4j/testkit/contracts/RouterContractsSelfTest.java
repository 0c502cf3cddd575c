// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.kvrouter.ActiveBlockTracker;
import io.dynamo4j.kvrouter.WorkerSelectionResult;
import io.dynamo4j.kvrouter.WorkerSelector;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The contracts pass what is right and catch a planted fault of each kind. */
class RouterContractsSelfTest {

  @ParameterizedTest
  @CsvSource({
    "SHARED_BLOCKS_COUNT_TWICE, shouldCountSharedBlocksOnce",
    "RANKS_AS_ONE, shouldTellRanksApart",
    "PREFILL_FREES_AGAIN, shouldTakeAPromptOffOnce",
    "OUTPUT_IGNORED, shouldGrowByBlocksThatNobodyShares",
    "DUPLICATE_REPLACES, shouldRefuseAKeyThatIsBookedAndChangeNothing",
    "FREE_BY_KEY, shouldTellBookingsOfOneKeyApart",
    "RANK_REMOVAL_IGNORED, shouldEndWhatIsOnARankThatIsGone",
    "FREE_SAYS_YES_TWICE, shouldEndABookingOnce",
    "PREFIX_IGNORED, shouldCountABooking"
  })
  void shouldCatchAPlantedTracker(PlantedTracker.Fault fault, String test) {
    assertThat(trackerFailures(fault)).containsKey(test);
  }

  @Test
  void shouldPassTheRightTrackerThroughTheSameMachinery() {
    assertThat(trackerFailures(PlantedTracker.Fault.NONE)).isEmpty();
  }

  private static SortedMap<String, Throwable> trackerFailures(PlantedTracker.Fault fault) {
    return ContractRun.failures(
        ActiveBlockTrackerContract.class,
        () ->
            new ActiveBlockTrackerContract() {
              @Override
              protected ActiveBlockTracker create() {
                return new PlantedTracker(fault);
              }
            });
  }

  private static SortedMap<String, Throwable> selectorFailures(WorkerSelector selector) {
    return ContractRun.failures(
        WorkerSelectorContract.class,
        () ->
            new WorkerSelectorContract() {
              @Override
              protected WorkerSelector create() {
                return selector;
              }
            });
  }

  @Test
  void shouldCatchASelectorThatChoosesWhoIsNoCandidate() {
    WorkerSelector stranger =
        (request, candidates, random) ->
            new WorkerSelectionResult(
                WorkerWithDpRank.of(99), candidates.promptBlocks(), 0, 0, 0, 0);

    assertThat(selectorFailures(stranger)).containsKey("shouldChooseTheOnlyCandidateOrNobody");
  }

  @Test
  void shouldCatchASelectorThatRemembers() {
    AtomicInteger turn = new AtomicInteger();
    WorkerSelector roundRobin =
        (request, candidates, random) ->
            WorkerSelectionResult.of(
                candidates, Math.floorMod(turn.getAndIncrement(), candidates.size()), 0, 0);

    assertThat(selectorFailures(roundRobin)).containsKey("shouldDecideTheSameASecondTime");
  }

  @Test
  void shouldCatchASelectorThatPromisesMoreThanThePrompt() {
    WorkerSelector boaster =
        (request, candidates, random) ->
            WorkerSelectionResult.of(candidates, 0, candidates.promptBlocks() + 1.0, 0);

    assertThat(selectorFailures(boaster)).containsKey("shouldSayOfItsChoiceWhatIsSo");
  }

  @Test
  void shouldPassASelectorThatTakesTheFirst() {
    WorkerSelector first =
        (request, candidates, random) -> WorkerSelectionResult.of(candidates, 0, 0, 0);

    assertThat(selectorFailures(first)).isEmpty();
  }
}
