// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.testkit.search.SeedSearch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Recovery broken on purpose is found, and the scenario that finds it is clean without. */
@Tag("slow")
class PlantedRecoveryBugTest {
  private static final int SEEDS = 100;

  @ParameterizedTest
  @EnumSource
  void shouldFindEveryPlantedBug(PlantedRecoveryBug bug) {
    IndexScenario planted = new IndexScenario(bug);
    SeedSearch.Finding finding =
        SeedSearch.of(planted, IndexDraw::directed)
            .run(1, SEEDS)
            .finding()
            .or(() -> SeedSearch.of(planted, IndexDraw::swarm).run(1, SEEDS).finding())
            .or(() -> SeedSearch.of(planted, IndexDraw::allOn).run(1, SEEDS).finding())
            .orElseThrow(() -> new AssertionError("not found in " + 3 * SEEDS + " scenarios"));
    assertThat(finding.reduced().outcome().violation().orElseThrow().kind())
        .as(finding.reduced().replayLine())
        .isIn("INDEX", "REST");
    assertThat(new IndexScenario().run(finding.reduced().spec()).violation())
        .as("without the bug: %s", finding.reduced().replayLine())
        .isEmpty();
  }
}
