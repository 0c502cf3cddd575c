// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.testkit.search.DeterminismCheck;
import io.dynamo4j.testkit.search.ScenarioSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whole fleets repeat exactly, in this JVM and in another. */
class FleetDeterminismTest {
  private static final int SEEDS = 10;

  @Test
  void shouldRepeatEveryEventInThisJvmAndInAFreshOne() throws IOException {
    List<ScenarioSpec> specs = new ArrayList<>();
    for (long seed = 1001; seed <= 1000 + SEEDS; seed++) {
      specs.add(ScenarioDraw.swarm(seed));
      specs.add(ScenarioDraw.allOn(seed));
    }
    assertThat(DeterminismCheck.of(FleetScenario.class).check(specs)).isEmpty();
  }
}
