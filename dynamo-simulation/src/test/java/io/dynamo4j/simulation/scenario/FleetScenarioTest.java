// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.testkit.search.ReplayLine;
import io.dynamo4j.testkit.search.RunOutcome;
import io.dynamo4j.testkit.search.SeedSearch;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random fleets under random faults keep every invariant. */
class FleetScenarioTest {
  private static final int SEEDS = 250;

  private static final List<String> RARE_STATES =
      List.of(
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

  @Test
  void shouldKeepEveryInvariantAndReachEveryRareState() {
    SeedSearch.Report swarm = SeedSearch.of(new FleetScenario(), ScenarioDraw::swarm).run(1, SEEDS);
    SeedSearch.Report allOn = SeedSearch.of(new FleetScenario(), ScenarioDraw::allOn).run(1, SEEDS);
    assertThat(
            Stream.of(swarm, allOn)
                .flatMap(report -> report.finding().stream())
                .map(finding -> finding.reduced().replayLine()))
        .isEmpty();
    TreeSet<String> unreached = new TreeSet<>(swarm.unreached(RARE_STATES));
    unreached.retainAll(allOn.unreached(RARE_STATES));
    assertThat(unreached).isEmpty();
  }

  /** What once went wrong, reduced; each line is what a failing search prints. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        // A worker frozen when its client left stops only once it thaws.
        "seed=251 workers=2 requests=12 settings=arrival-gap-ms:10.0;blocks:20.0;limit:1.0;"
            + "output-tokens:6.0;policy:0.0 "
            + "faults=stall|r3@0|serving|1817.0;cancel|r3@0|client|0.0;cancel|r5@1|client|0.0",
        // The only worker dies while one request has used its whole budget and others have not.
        "seed=2 workers=1 requests=9 settings=limit:1.0;output-tokens:24.0 "
            + "faults=crash|r2@3|serving|50.0;crash|r4@0|serving|-1.0;break|r1#0@2|stream|0.0",
      })
  void shouldKeepEveryInvariantInRecordedScenarios(String line) {
    RunOutcome outcome = new FleetScenario().run(ReplayLine.parse(line));
    assertThat(outcome.violation()).as(line).isEmpty();
  }
}
