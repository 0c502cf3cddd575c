// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.testkit.search.ReplayLine;
import io.dynamo4j.testkit.search.RunOutcome;
import io.dynamo4j.testkit.search.SeedSearch;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random fleets under random faults keep every invariant. */
class FleetScenarioTest {
  private static final int SEEDS = 400;

  /** A share of {@code bin/bench soak-migration}: tens of thousands of streams. */
  @Test
  void shouldKeepEveryInvariantAndReachEveryRareState() {
    List<SeedSearch.Report> reports =
        List.of(
            SeedSearch.of(new FleetScenario(), ScenarioDraw::swarm).run(1, SEEDS),
            SeedSearch.of(new FleetScenario(), ScenarioDraw::allOn).run(1, SEEDS),
            SeedSearch.of(new FleetScenario(), ScenarioDraw::directed).run(1, SEEDS));
    assertThat(
            reports.stream()
                .flatMap(report -> report.finding().stream())
                .map(finding -> finding.reduced().replayLine()))
        .isEmpty();
    TreeSet<String> unreached = new TreeSet<>(RareStates.all());
    reports.forEach(report -> unreached.retainAll(report.unreached(RareStates.all())));
    assertThat(unreached).isEmpty();
    assertThat(reports.stream().mapToLong(report -> report.facts().get(RareStates.STREAMS)).sum())
        .isGreaterThan(20_000);
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
        // A draining worker dies before the stream that is to leave it has been asked to.
        "seed=1796012469291 workers=3 requests=11 settings=arrival-gap-ms:6.0;blocks:36.0 "
            + "faults=crash|r9@1|serving|3695.0;refuse|r9#0|dispatch|0.0;refuse|r5#0|dispatch|3.0;"
            + "leave|r7|client|0.0;drain|r10@1|serving|1415.0",
        // A stream that moves away completes before its successor answers.
        "seed=305 workers=4 requests=37 settings=arrival-gap-ms:5.0;output-tokens:18.0 "
            + "faults=refuse|r2#0|dispatch|0.0;stall|r5@1|serving|294.0;cancel|r7@0|client|0.0;"
            + "cancel|r36@8|client|0.0;leave|r3|client|0.0;drain|r34@1|serving|2576.0;"
            + "drain|r8@1|serving|974.0;mute|r36#2|dispatch|0.0",
        // A client leaves at the very instant at which timers are counted.
        "seed=1796014607542 workers=3 requests=22 settings=arrival-gap-ms:6.0;max-seq-len:25.0;"
            + "stall-timeout-ms:55364.0 faults=crash|r21@0|serving|133.0;leave|r21|client|1.0",
        // A stream meets a final error while it is about to move: the move ends with it.
        "seed=1796014634447 workers=3 requests=20 settings=arrival-gap-ms:4.0;blocks:156.0 "
            + "faults=break|r12#0@0|stream|4.0;stall|r8@1|serving|482.0;leave|r14|client|0.0;"
            + "drain|r19@0|serving|74.0",
      })
  void shouldKeepEveryInvariantInRecordedScenarios(String line) {
    RunOutcome outcome = new FleetScenario().run(ReplayLine.parse(line));
    assertThat(outcome.violation()).as(line).isEmpty();
  }
}
