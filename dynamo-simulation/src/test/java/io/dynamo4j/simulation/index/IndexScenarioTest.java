// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.testkit.search.ReplayLine;
import io.dynamo4j.testkit.search.ScenarioSpec;
import io.dynamo4j.testkit.search.SeedSearch;
import java.util.List;
import java.util.TreeSet;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever happened on the way, indexes end equal to the engines' caches. */
class IndexScenarioTest {
  private static final int SEEDS = 70;

  private static final List<String> MUST_OCCUR =
      List.of(
          "GAPS",
          "CATCH_UPS",
          "RESTORES",
          "LOST_TAILS",
          "STALE_EVENTS",
          "OVERTAKEN_ENVELOPES",
          "REPEATED_ENVELOPES",
          "RESTARTS",
          "FAILED_QUERIES",
          "FAILED_RECOVERIES",
          "LATE_EVENTS",
          "blocks");

  /** A share of {@code bin/bench soak-indexer}. */
  @Test
  void shouldEndEqualToTheEnginesCaches() {
    List<LongFunction<ScenarioSpec>> mixes =
        List.of(IndexDraw::swarm, IndexDraw::allOn, IndexDraw::directed);
    TreeSet<String> unreached = new TreeSet<>(MUST_OCCUR);
    for (LongFunction<ScenarioSpec> mix : mixes) {
      SeedSearch.Report report = SeedSearch.of(new IndexScenario(), mix).run(1, SEEDS);
      assertThat(
              report
                  .finding()
                  .map(
                      finding ->
                          finding.reduced().outcome().violation().orElseThrow()
                              + " "
                              + finding.reduced().replayLine()))
          .isEmpty();
      unreached.retainAll(report.unreached(MUST_OCCUR));
    }
    assertThat(unreached).isEmpty();
  }

  /**
   * Scenarios that once failed. The first: events of a life that the directory never named were
   * taken for the next one's. The second: more ranks than the index has room for waited for room.
   * The third: a late event of a dead publisher kept the rank from the living one.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "seed=1796034348549 workers=1 requests=6 settings=routers:3.0"
            + " faults=lose|always|router1|0.15;overtake|always|router1|0.125;"
            + "kill|at33|worker0|2.0;kill|at88|worker0|642.0;suspend|at52|worker0|38.0",
        "seed=1796036614714 workers=4 requests=29 settings=announcing:0.0;blocks:56.0;gap-ms:37.0;"
            + "pending-updates:2.0;ranks:2.0;ring:13.0;routers:1.0;same-publisher:0.0"
            + " faults=refuse|always|router0|0.04472409744123509;"
            + "empty|always|router0|0.003576481692711013;replace|at872|worker3|5.0;"
            + "clear|at94|worker0|0.0;shrink|at751|worker0|85.0;part|at451|router0-2|521.0;"
            + "part|at338|router0-1|1070.0",
        "seed=1796041191808 workers=4 requests=24 settings=announcing:1.0;"
            + "blocks:35.0;gap-ms:11.0;pending-updates:65536.0;proof-ms:0.0;ranks:2.0;"
            + "ring:18.0;routers:3.0;same-publisher:0.0 faults=lose|always|router0|0.15;"
            + "repeat|always|router0|0.1;delay|always|router0|0.1;"
            + "overtake|always|router0|0.125;lose-last|always|router0|0.25;"
            + "refuse|always|router0|0.2;break|always|router0|0.15;"
            + "empty|always|router0|0.15;lag|always|router0|40.0;lose|always|router1|0.15;"
            + "repeat|always|router1|0.1;delay|always|router1|0.1;"
            + "overtake|always|router1|0.125;lose-last|always|router1|0.25;"
            + "refuse|always|router1|0.2;break|always|router1|0.15;"
            + "empty|always|router1|0.15;lag|always|router1|40.0;lose|always|router2|0.15;"
            + "repeat|always|router2|0.1;delay|always|router2|0.1;"
            + "overtake|always|router2|0.125;lose-last|always|router2|0.25;"
            + "refuse|always|router2|0.2;break|always|router2|0.15;"
            + "empty|always|router2|0.15;lag|always|router2|40.0;kill|at57|worker3|6.0;"
            + "replace|at83|worker1|839.0;clear|at22|worker2|0.0;clear|at186|worker3|0.0;"
            + "suspend|at83|worker0|2482.0;shrink|at105|worker3|499.0;"
            + "shrink|at208|worker3|1665.0;part|at77|router2-1|35.0"
      })
  void shouldEndEqualWhereItOnceDidNot(String scenario) {
    assertThat(new IndexScenario().run(ScenarioSpec.parse(scenario)).violation()).isEmpty();
  }

  /** The same scenario has the same trace. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldReplayFromItsLine(long seed) {
    ScenarioSpec spec = IndexDraw.allOn(seed);
    long first = new IndexScenario().run(spec).traceHash();
    ScenarioSpec read = ReplayLine.parse(ReplayLine.of(spec, new IndexScenario().run(spec)));
    assertThat(new IndexScenario().run(read).traceHash()).isEqualTo(first);
  }
}
