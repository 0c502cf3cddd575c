// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random workers, clients and options against the model, and the harness against planted bugs. */
class MigrationSimulationTest {
  private static final int SEEDS = 10_000;
  private static final int SEEDS_FOR_A_BUG = 3_000;

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
    EnumSet<ModelState.End> ends = EnumSet.noneOf(ModelState.End.class);
    EnumSet<ModelLog.Fact> facts = EnumSet.noneOf(ModelLog.Fact.class);
    for (long seed = 0; seed < SEEDS; seed++) {
      MigrationModel model = MigrationHarness.model(seed);
      ends.add(model.end());
      facts.addAll(model.log.facts.keySet());
    }

    assertThat(ends).containsExactly(ModelState.End.values());
    assertThat(facts).containsExactly(ModelLog.Fact.values());
  }
}
