// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.ErrorType;
import java.util.SortedMap;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The contract passes the right migrator and catches a planted wrong one of each kind. */
class MigratorContractSelfTest {

  @ParameterizedTest
  @CsvSource({
    "TOKEN_REPEATED, shouldContinueAfterLastDeliveredTokenWhenWorkerDies",
    "TOKEN_LOST_FROM_CONTEXT, shouldContinueAfterLastDeliveredTokenWhenWorkerDies",
    "BUDGET_NOT_REDUCED, shouldContinueAfterLastDeliveredTokenWhenWorkerDies",
    "REQUEST_ID_CHANGED, shouldContinueAfterLastDeliveredTokenWhenWorkerDies",
    "LIMIT_OFF_BY_ONE, shouldNeverMigrateWhenLimitIsZero",
    "LIMIT_OFF_BY_ONE, shouldSpendOneBudgetOverBothPhases",
    "CAP_IGNORED, shouldNotContinueWhenSequenceIsTooLong",
    "STALL_IGNORED, shouldGiveUpWorkerThatIsNotHeardOf",
    "FAILED_WORKER_NOT_EXCLUDED, shouldRuleOutEveryWorkerThatFailedTheRequest",
    "EXCLUSIONS_SHARED, shouldKeepExclusionsOfRequestsApart",
    "CANCEL_SWALLOWED, shouldTellWorkerWhenClientLeavesInSilence",
    "CANCEL_SWALLOWED, shouldTellWorkerWhenClientLeaves",
    "DEMAND_UNBOUNDED_AFTER_MIGRATION, shouldDeliverNoMoreThanAskedFor",
    "DEMAND_LOST_ON_MIGRATION, shouldAskNextWorkerForWhatIsOutstanding",
    "SECOND_ERROR_SWALLOWED, shouldFailWhenNobodyIsLeft",
    "ERROR_HIDDEN_BY_CLEAN_END, shouldNotCallAnIncompleteStreamASuccess",
    "ERROR_WITHOUT_TYPE, shouldTellTypeWorkerAndCauseWhenItGivesUp",
    "COMPLETED_TWICE, shouldBringWholeAnswerWhenNoWorkerFails",
    "FINISH_REASON_TWICE, shouldBringWholeAnswerWhenNoWorkerFails",
    "DRAIN_IGNORED, shouldMoveStreamOffDrainingWorkerWithoutSpendingBudget",
    "DRAIN_NOT_WAITED_FOR, shouldLetStreamsFinishThatMayNotMove",
    "DRAIN_WITHOUT_END, shouldLeaveStreamWhereItIsWhenTimeToDrainIsUp",
    "FIRST_TOKEN_NOT_RACED_FOR, shouldRaceForFirstTokenWhenItIsLate",
    "FIRST_TOKEN_NOT_RACED_FOR, shouldKeepFirstOfTwoWhenItIsFirst",
    "LIMIT_OFF_BY_ONE, shouldNotRaceBeyondTheLimit",
    "SIGNALS_INLINE, shouldNeverSignalUnderTheSubscribersCall",
    "SENDS_BEFORE_SUBSCRIPTION, shouldSendNothingBeforeSomebodySubscribes"
  })
  void shouldCatchPlantedMigrator(PlantedMigrator planted, String test) {
    assertThat(failures(planted)).containsKey(test);
  }

  @ParameterizedTest
  @CsvSource("RIGHT")
  void shouldPassTheRightMigratorThroughTheSameMachinery(PlantedMigrator right) {
    assertThat(failures(right)).isEmpty();
  }

  private static SortedMap<String, Throwable> failures(MigratorFactory factory) {
    return ContractRun.failures(
        MigratorContract.class,
        () ->
            new MigratorContract() {
              @Override
              protected MigratorFactory factory() {
                return factory;
              }
            });
  }

  @Example
  void shouldNameTheCaseThatFails() {
    MigrationCase played =
        MigrationCase.of(
            0, new WorkerFate.BreaksAfter(3, ErrorType.DISCONNECTED), new WorkerFate.Answers());

    assertThatThrownBy(() -> played.check(PlantedMigrator.LIMIT_OFF_BY_ONE))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("BreaksAfter[tokens=3, type=DISCONNECTED]")
        .hasMessageContaining("attempts");
  }

  @Property(tries = 100)
  void shouldDrawCasesThatTheRightMigratorPasses(@ForAll("cases") MigrationCase drawn) {
    drawn.check(PlantedMigrator.RIGHT);
  }

  @Provide
  Arbitrary<MigrationCase> cases() {
    return MigrationArbitraries.cases();
  }
}
