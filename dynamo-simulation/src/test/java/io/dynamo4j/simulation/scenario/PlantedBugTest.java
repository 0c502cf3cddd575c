// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.testkit.search.RunOutcome;
import io.dynamo4j.testkit.search.ScenarioSpec;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The oracles are tested too: each planted bug is found, by an oracle that speaks of it. */
class PlantedBugTest {
  private static final int SEEDS = 300;

  private static final Map<PlantedBug, Set<Oracle>> FOUND_BY = foundBy();

  @ParameterizedTest
  @EnumSource
  void shouldFindEveryPlantedBug(PlantedBug bug) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      for (ScenarioSpec spec :
          new ScenarioSpec[] {ScenarioDraw.swarm(seed), ScenarioDraw.allOn(seed)}) {
        RunOutcome outcome = new FleetScenario(bug.seams(), bug.extraMigrations()).run(spec);
        if (outcome.violation().isPresent()) {
          assertThat(FOUND_BY.get(bug))
              .as("who may find %s: %s", bug, outcome.violation())
              .contains(Oracle.valueOf(outcome.violation().get().kind()));
          return;
        }
      }
    }
    throw new AssertionError("not found in " + 2 * SEEDS + " scenarios: " + bug);
  }

  private static Map<PlantedBug, Set<Oracle>> foundBy() {
    Map<PlantedBug, Set<Oracle>> map = new EnumMap<>(PlantedBug.class);
    map.put(
        PlantedBug.TOKEN_DELIVERED_TWICE, EnumSet.of(Oracle.TOKENS, Oracle.DEMAND, Oracle.LENGTH));
    map.put(PlantedBug.DELIVERED_TOKEN_MISSING_FROM_REPLAY, EnumSet.of(Oracle.TOKENS));
    map.put(PlantedBug.REPLAYED_TOKEN_ALTERED, EnumSet.of(Oracle.TOKENS));
    map.put(
        PlantedBug.MAX_TOKENS_NOT_REDUCED,
        EnumSet.of(Oracle.LENGTH, Oracle.ENGINE, Oracle.UNEXPLAINED_LOSS));
    map.put(
        PlantedBug.LATE_FRAME_OF_OLD_ATTEMPT,
        EnumSet.of(Oracle.TOKENS, Oracle.DEMAND, Oracle.LENGTH));
    map.put(PlantedBug.BOOKING_RELEASED_TWICE, EnumSet.of(Oracle.BOOKING));
    map.put(PlantedBug.BOOKING_LEAKED_ON_CONNECT_FAILURE, EnumSet.of(Oracle.BOOKING));
    map.put(PlantedBug.DEAD_WORKERS_BLOCKS_KEPT, EnumSet.of(Oracle.INDEX));
    map.put(PlantedBug.DEMAND_RESET_TO_UNBOUNDED, EnumSet.of(Oracle.DEMAND));
    map.put(PlantedBug.DEMAND_LOST_ON_MIGRATION, EnumSet.of(Oracle.HANG, Oracle.UNEXPLAINED_LOSS));
    map.put(PlantedBug.SECOND_ERROR_SWALLOWED, EnumSet.of(Oracle.HANG, Oracle.UNEXPLAINED_LOSS));
    map.put(PlantedBug.ERROR_HIDDEN_BY_CLEAN_END, EnumSet.of(Oracle.LENGTH));
    map.put(PlantedBug.COMPLETED_TWICE, EnumSet.of(Oracle.TERMINAL));
    map.put(PlantedBug.TIMER_NOT_CANCELLED, EnumSet.of(Oracle.TIMER));
    map.put(PlantedBug.CANCEL_NOT_PASSED_ON, EnumSet.of(Oracle.CANCELLED_WORK));
    map.put(PlantedBug.FAILED_WORKER_NOT_EXCLUDED, EnumSet.of(Oracle.EXCLUSION));
    map.put(PlantedBug.LIMIT_OFF_BY_ONE, EnumSet.of(Oracle.BUDGET));
    return map;
  }
}
