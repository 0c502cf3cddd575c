// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random workers, clients and options against the model, and the harness against planted bugs. */
class MigrationSimulationTest {
  private static final int SEEDS = 10_000;
  private static final int SEEDS_FOR_A_BUG = 300;

  @Test
  void shouldShowClientWhatModelSaysWhenWorkersFailAtRandom() {
    for (long seed = 0; seed < SEEDS; seed++) {
      MigrationHarness.check(seed, PlantedBug.NONE);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void shouldCatchBugWhenOneIsPlanted(PlantedBug bug) {
    for (long seed = 0; seed < SEEDS_FOR_A_BUG; seed++) {
      try {
        MigrationHarness.check(seed, bug);
      } catch (AssertionError caught) {
        return;
      }
    }
    throw new AssertionError("planted bug was not caught: " + bug + ", seeds=" + SEEDS_FOR_A_BUG);
  }

  @Test
  void shouldReachEveryKindOfEndWhenScenariosAreDrawn() {
    int[] seen = new int[7];
    for (long seed = 0; seed < SEEDS_FOR_A_BUG; seed++) {
      MigrationModel model = MigrationHarness.model(seed);
      seen[0] += model.end() == MigrationModel.End.COMPLETED ? 1 : 0;
      seen[1] += model.end() == MigrationModel.End.FAILED ? 1 : 0;
      seen[2] += model.end() == MigrationModel.End.HANGS ? 1 : 0;
      seen[3] += model.deliveredAtDispatch().size() > 3 ? 1 : 0;
      seen[4] += model.exceeded();
      seen[5] += model.deliveredAtDispatch().contains(0) && model.ongoingRequests() > 1 ? 1 : 0;
      seen[6] += model.newRequests() > 0 && model.ongoingRequests() > 0 ? 1 : 0;
    }

    assertThat(seen).doesNotContain(0);
  }
}
