// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.runtime.Environment;
import io.dynamo4j.plane.RequestPlane;
import io.dynamo4j.testkit.simulation.Simulation;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The contract passes the right plane and catches a planted wrong one of each kind. */
class RequestPlaneSelfTest {

  @Test
  void shouldPassTheRightPlaneThroughTheSameMachinery() {
    assertThat(failuresOf(PlantedRequestPlanes.Forwarding::new)).isEmpty();
  }

  @Test
  void shouldCatchSignalsInline() {
    assertThat(failuresOf(PlantedRequestPlanes.Inline::new))
        .contains(
            "shouldSurviveSubscribeRequestAndCancelOnTheStreamsOwnLane",
            "shouldDeliverItemsInOrderThenComplete");
  }

  @Test
  void shouldCatchItemsBeyondDemand() {
    assertThat(
            failuresOf(
                right ->
                    new PlantedRequestPlanes.OverSubscription(
                        right, PlantedRequestPlanes.OneTooMany::new)))
        .contains("shouldDeliverExactlyWhatEachWindowAsksFor", "shouldKeepItemsUntilAskedFor");
  }

  @Test
  void shouldCatchCancelThatStopsHere() {
    assertThat(
            failuresOf(
                right ->
                    new PlantedRequestPlanes.OverSubscription(
                        right, PlantedRequestPlanes.CancelSwallower::new)))
        .contains("shouldTellWorkerWhenCancelledBeforePrologue");
  }

  @Test
  void shouldCatchDemandThatIsLost() {
    assertThat(
            failuresOf(
                right ->
                    new PlantedRequestPlanes.OverSubscription(
                        right, PlantedRequestPlanes.DemandLoser::new)))
        .contains("shouldRefillEveryWindow");
  }

  @Test
  void shouldCatchUnlawfulDemandThatIsIgnored() {
    assertThat(
            failuresOf(
                right ->
                    new PlantedRequestPlanes.OverSubscription(
                        right, PlantedRequestPlanes.LenientDemand::new)))
        .contains("shouldFailStreamAndTellWorkerWhenDemandIsNotPositive");
  }

  @Test
  void shouldCatchLostCompletion() {
    assertThat(
            failuresOf(
                right ->
                    new PlantedRequestPlanes.OverSubscriber(
                        right, PlantedRequestPlanes.CompletionLoser::new)))
        .contains("shouldDeliverItemsInOrderThenComplete", "shouldOpenStreamWhenOnlyEndMarkComes");
  }

  @Test
  void shouldCatchErrorTurnedIntoCompletion() {
    assertThat(
            failuresOf(
                right ->
                    new PlantedRequestPlanes.OverSubscriber(
                        right, PlantedRequestPlanes.ErrorHider::new)))
        .contains(
            "shouldDeliverItemsBeforeWorkersError", "shouldBreakOpenStreamsWhenEndpointIsAborted");
  }

  @Test
  void shouldCatchSecondTerminalSignal() {
    assertThat(
            failuresOf(
                right ->
                    new PlantedRequestPlanes.OverSubscriber(
                        right, PlantedRequestPlanes.TwiceCompleted::new)))
        .contains("shouldDeliverItemsInOrderThenComplete");
  }

  @Test
  void shouldCatchItemsOutOfOrder() {
    assertThat(
            failuresOf(
                right ->
                    new PlantedRequestPlanes.OverSink(right, PlantedRequestPlanes.Swapper::new)))
        .contains("shouldDeliverItemsInOrderThenComplete", "shouldRefillEveryWindow");
  }

  @Test
  void shouldCatchItemsTwice() {
    assertThat(
            failuresOf(
                right ->
                    new PlantedRequestPlanes.OverSink(right, PlantedRequestPlanes.Repeater::new)))
        .contains("shouldDeliverItemsInOrderThenComplete");
  }

  @Test
  void shouldCatchPrologueThatIsNotReported() {
    assertThat(
            failuresOf(
                right ->
                    new PlantedRequestPlanes.OverAttempt(right, PlantedRequestPlanes.Mute::of)))
        .contains("shouldOpenStreamBeforeFirstItem", "shouldOpenStreamWhenOnlyEndMarkComes");
  }

  @Test
  void shouldCatchDeadlineThatIsForgotten() {
    assertThat(
            failuresOf(
                right ->
                    new PlantedRequestPlanes.OverAttempt(right, PlantedRequestPlanes.Endless::of)))
        .contains(
            "shouldFailStreamAndTellWorkerWhenDeadlinePasses",
            "shouldSendNothingWhenDeadlineHasPassed");
  }

  @Test
  void shouldCatchHotStream() {
    assertThat(failuresOf(PlantedRequestPlanes.Hot::new))
        .contains("shouldSendNothingBeforeSubscribed");
  }

  @Test
  void shouldCatchStreamForEveryone() {
    assertThat(failuresOf(PlantedRequestPlanes.Multicast::new))
        .contains("shouldRefuseSecondSubscriber");
  }

  @Test
  void shouldCatchAbortThatDrains() {
    assertThat(failuresOf(PlantedRequestPlanes.DrainingAbort::new))
        .contains(
            "shouldBreakOpenStreamsWhenEndpointIsAborted",
            "shouldBreakDrainingStreamsWhenAbortedAfterClose");
  }

  private static Set<String> failuresOf(UnaryOperator<RequestPlane<String, String>> wrong) {
    return ContractRun.failures(
            RequestPlaneContract.class,
            () ->
                new InMemoryRequestPlaneContract() {
                  @Override
                  protected LaneHarness newHarness() {
                    return SimulatedLaneHarness.over(Simulation.builder().seed(3).build());
                  }

                  @Override
                  protected RequestPlane<String, String> newPlane(Environment environment) {
                    return wrong.apply(super.newPlane(environment));
                  }
                })
        .keySet();
  }
}
