// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.testkit.search.ReplayLine;
import io.dynamo4j.testkit.search.RunOutcome;
import io.dynamo4j.testkit.search.ScenarioRunner;
import io.dynamo4j.testkit.search.SeedSearch;
import io.dynamo4j.testkit.search.Shrinker;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the search finds in a fleet is reduced to what a person can read, and replays from a line.
 */
class ShrinkingTest {
  private static final int SEEDS = 300;

  @ParameterizedTest
  @EnumSource(
      names = {
        "TOKEN_DELIVERED_TWICE",
        "BOOKING_RELEASED_TWICE",
        "DEAD_WORKERS_BLOCKS_KEPT",
        "CANCEL_NOT_PASSED_ON",
        "LIMIT_OFF_BY_ONE"
      })
  void shouldReduceAPlantedBugToAFewFaultsThatReplay(PlantedBug bug) {
    ScenarioRunner runner = spec -> new FleetScenario(bug.seams(), bug.extraMigrations()).run(spec);
    SeedSearch.Finding finding =
        SeedSearch.of(runner, ScenarioDraw::allOn).run(1, SEEDS).finding().orElseThrow();
    Shrinker.Reduced reduced = finding.reduced();

    assertThat(reduced.spec().faults()).as(reduced.replayLine()).hasSizeLessThanOrEqualTo(5);
    assertThat(reduced.spec().requests()).isLessThanOrEqualTo(finding.spec().requests());
    assertThat(reduced.spec().faults().size()).isLessThan(finding.spec().faults().size());

    RunOutcome again = runner.run(ReplayLine.parse(reduced.replayLine()));
    assertThat(again.traceHash()).isEqualTo(reduced.outcome().traceHash());
    assertThat(again.violation()).isEqualTo(reduced.outcome().violation());
    assertThat(new FleetScenario().run(reduced.spec()).violation()).as("without the bug").isEmpty();
  }
}
