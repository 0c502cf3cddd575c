// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.testkit.search.RunOutcome;
import io.dynamo4j.testkit.search.SeedSearch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Everything that is planted is named within a virtual minute, and nothing else is found. */
class HealthScenarioTest {
  private static final int SEEDS = 40;
  private static final int SEEDS_A_PLANT = 2;

  @ParameterizedTest
  @EnumSource(HealthPlant.class)
  void shouldNameWhatIsPlantedWithinAMinute(HealthPlant plant) {
    for (long seed = 1; seed <= SEEDS_A_PLANT; seed++) {
      RunOutcome outcome = new HealthScenario().run(HealthDraw.planted(plant, seed));

      assertThat(outcome.violation()).as("plant=%s, seed=%d", plant, seed).isEmpty();
      assertThat(outcome.facts()).containsKey("seconds to name");
    }
  }

  /** A share of {@code bin/bench soak-health}. */
  @Test
  void shouldFindNothingWhereNothingIsWrong() {
    SeedSearch.Report report =
        SeedSearch.of(new HealthScenario(), HealthDraw::healthy).run(1, SEEDS);

    assertThat(
            report
                .finding()
                .map(
                    finding ->
                        finding.reduced().outcome().violation().orElseThrow()
                            + " "
                            + finding.reduced().replayLine()))
        .isEmpty();
    assertThat(report.facts().get("requests")).isGreaterThan(SEEDS * 100L);
  }
}
