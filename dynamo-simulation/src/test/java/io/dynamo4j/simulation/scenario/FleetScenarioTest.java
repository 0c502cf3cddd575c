// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.testkit.search.RunOutcome;
import io.dynamo4j.testkit.search.ScenarioSpec;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Random fleets under random faults keep every invariant. */
class FleetScenarioTest {
  private static final int SEEDS = 300;

  @Test
  void shouldKeepEveryInvariantInSwarmAndAllOnScenarios() {
    SortedMap<String, Long> facts = new TreeMap<>();
    for (long seed = 1; seed <= SEEDS; seed++) {
      assertClean(ScenarioDraw.swarm(seed), facts);
      assertClean(ScenarioDraw.allOn(seed), facts);
    }
    assertThat(facts)
        .as("rare states that the search must reach")
        .containsKeys(
            "migrated and completed",
            "migrated twice and completed",
            "broken at the first token",
            "broken at a later token",
            "truncated at the first token",
            "refused",
            "crashed",
            "stalled",
            "cancelled",
            "slow client",
            "preempted",
            "budget spent",
            "nobody left");
  }

  private static void assertClean(ScenarioSpec spec, SortedMap<String, Long> facts) {
    RunOutcome outcome = new FleetScenario().run(spec);
    assertThat(outcome.violation()).as("replay: %s", spec).isEmpty();
    outcome.facts().forEach((fact, count) -> facts.merge(fact, count, Long::sum));
  }
}
