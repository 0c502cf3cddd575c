// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.plane.ResponseSink;
import io.dynamo4j.testkit.simulation.SimulationFailure;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Flow;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class RequestPlaneFuzzTest {
  private static final int SEEDS = 500;

  @Test
  void shouldAgreeWithLedgerUnderRandomInterleavingsAndFaults() {
    Map<String, Integer> facts = new TreeMap<>();
    for (long seed = 0; seed < SEEDS; seed++) {
      RequestPlaneFuzz.run(seed, UnaryOperator.identity(), UnaryOperator.identity())
          .forEach((fact, count) -> facts.merge(fact, count, Integer::sum));
    }
    assertThat(facts)
        .as("endings that must occur")
        .containsKeys(
            "BUFFER_OVERFLOW",
            "CANNOT_CONNECT",
            "CLOSED",
            "DEADLINE_EXCEEDED",
            "DISCONNECTED",
            "ENGINE_SHUTDOWN",
            "INVALID_REQUEST",
            "IllegalArgumentException",
            "cancelled",
            "completed",
            "thrown",
            "unread");
  }

  @Test
  void shouldRepeatItselfWhenSeedIsTheSame() {
    for (long seed = 0; seed < 20; seed++) {
      assertThat(RequestPlaneFuzz.traceHash(seed)).isEqualTo(RequestPlaneFuzz.traceHash(seed));
    }
  }

  @Test
  void shouldCatchPlantedFaults() {
    assertCaught("reordered", PlantedRequestPlanes.Swapper::new, UnaryOperator.identity());
    assertCaught("repeated", PlantedRequestPlanes.Repeater::new, UnaryOperator.identity());
    assertCaught("lost end", UnaryOperator.identity(), PlantedRequestPlanes.CompletionLoser::new);
    assertCaught("hidden error", UnaryOperator.identity(), PlantedRequestPlanes.ErrorHider::new);
    assertCaught("second end", UnaryOperator.identity(), PlantedRequestPlanes.TwiceCompleted::new);
    assertCaught("excess", over(PlantedRequestPlanes.OneTooMany::new));
    assertCaught("lost demand", over(PlantedRequestPlanes.DemandLoser::new));
    assertCaught("kept cancel", over(PlantedRequestPlanes.CancelSwallower::new));
  }

  private static UnaryOperator<Flow.Subscriber<String>> over(
      UnaryOperator<Flow.Subscription> change) {
    return to -> PlantedRequestPlanes.withSubscription(to, change);
  }

  private static void assertCaught(String fault, UnaryOperator<Flow.Subscriber<String>> planted) {
    assertCaught(fault, UnaryOperator.identity(), planted);
  }

  private static void assertCaught(
      String fault,
      UnaryOperator<ResponseSink<String>> sinks,
      UnaryOperator<Flow.Subscriber<String>> subscribers) {
    for (long seed = 0; seed < 50; seed++) {
      try {
        RequestPlaneFuzz.run(seed, sinks, subscribers);
      } catch (AssertionError | SimulationFailure caught) {
        return;
      }
    }
    throw new AssertionError("not caught in 50 seeds: " + fault);
  }
}
