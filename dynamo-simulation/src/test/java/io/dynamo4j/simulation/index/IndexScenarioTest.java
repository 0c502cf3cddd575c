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
