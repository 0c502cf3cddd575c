// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.testkit.search.SeedSearch;
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
    FleetScenario scenario = new FleetScenario(bug::seams, bug.extraMigrations());
    SeedSearch.Finding finding = find(scenario);
    String violation = finding.reduced().outcome().violation().orElseThrow().kind();
    assertThat(FOUND_BY.get(bug))
        .as("who finds %s: %s", bug, finding.reduced().replayLine())
        .contains(Oracle.valueOf(violation));
    assertThat(finding.reduced().spec().requests())
        .as("a reduced run is no larger: %s", finding.reduced().replayLine())
        .isLessThanOrEqualTo(finding.spec().requests());
    assertThat(new FleetScenario().run(finding.reduced().spec()).violation())
        .as("without the bug the same scenario is clean")
        .isEmpty();
  }

  private static SeedSearch.Finding find(FleetScenario scenario) {
    return SeedSearch.of(scenario, ScenarioDraw::swarm)
        .run(1, SEEDS)
        .finding()
        .or(() -> SeedSearch.of(scenario, ScenarioDraw::allOn).run(1, SEEDS).finding())
        .or(() -> SeedSearch.of(scenario, ScenarioDraw::directed).run(1, SEEDS).finding())
        .orElseThrow(() -> new AssertionError("not found in " + 3 * SEEDS + " scenarios"));
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
    map.put(
        PlantedBug.SECOND_ERROR_SWALLOWED,
        EnumSet.of(Oracle.HANG, Oracle.UNEXPLAINED_LOSS, Oracle.BUDGET, Oracle.TIMES));
    map.put(PlantedBug.ERROR_HIDDEN_BY_CLEAN_END, EnumSet.of(Oracle.LENGTH));
    map.put(PlantedBug.COMPLETED_TWICE, EnumSet.of(Oracle.TERMINAL));
    map.put(PlantedBug.TIMER_NOT_CANCELLED, EnumSet.of(Oracle.TIMER));
    map.put(PlantedBug.CANCEL_NOT_PASSED_ON, EnumSet.of(Oracle.CANCELLED_WORK, Oracle.BUDGET));
    map.put(PlantedBug.FAILED_WORKER_NOT_EXCLUDED, EnumSet.of(Oracle.EXCLUSION));
    map.put(PlantedBug.BUDGET_REFILLED_BY_SUCCESS, EnumSet.of(Oracle.BUDGET, Oracle.TIMES));
    map.put(PlantedBug.DEADLINE_NOT_TOLD, EnumSet.of(Oracle.TIMES));
    map.put(PlantedBug.PIN_DROPPED_ON_RETRY, EnumSet.of(Oracle.EXCLUSION));
    map.put(
        PlantedBug.EXCLUSIONS_SHARED_BETWEEN_REQUESTS,
        EnumSet.of(Oracle.UNEXPLAINED_LOSS, Oracle.GAVE_UP));
    map.put(PlantedBug.LEASE_RELEASED_AFTER_ITS_ERROR, EnumSet.of(Oracle.BOOKING));
    map.put(PlantedBug.LIMIT_OFF_BY_ONE, EnumSet.of(Oracle.BUDGET));
    return map;
  }
}
