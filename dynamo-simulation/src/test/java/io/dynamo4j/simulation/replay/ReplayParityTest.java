// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.dynamo4j.core.testing.SharedData;
import io.dynamo4j.simulation.trace.TraceReader;
import io.dynamo4j.simulation.trace.TraceRow;
import io.dynamo4j.testkit.engine.MockEngineConfig;
import java.io.IOException;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares round-robin runs row by row with those that Dynamo 1.6.1's simulation recorded. */
class ReplayParityTest {

  @ParameterizedTest(name = "{0}, {1} workers, speed-up {2}")
  @CsvSource({
    "conversation_trace, 8, 1, 0.0824, 8400",
    "conversation_trace, 64, 8, 0.0611, 11900",
    "mooncake_trace_1000, 8, 1, 0.2996, 400",
    "mooncake_trace_1000, 64, 8, 0.2327, 950",
  })
  void shouldReuseTheRecordedTokensOnEveryRow(
      String trace, int workers, int speedup, double hitRate, int leastExactTimes)
      throws IOException {
    List<TraceRow> rows = TraceReader.read(SharedData.trace(trace + ".jsonl"));
    RecordedRun recorded =
        RecordedRun.load("per-request-" + trace + "-" + workers + "w-rr-sp" + speedup + ".csv.gz");
    RoundRobinReplay replay =
        new RoundRobinReplay(rows, workers, speedup, MockEngineConfig.ofDefaults());

    replay.run();

    assertThat(replay.reusedTokens).isEqualTo(recorded.reusedTokens);
    assertThat(hitRate(rows, replay.reusedTokens)).isCloseTo(hitRate, within(0.00005));
    assertThat(replay.meanTimeToFirstTokenMillis())
        .isCloseTo(recorded.meanTimeToFirstTokenMillis(), Percentage.withPercentage(1));
    int exact = exactTimes(replay, recorded);
    assertThat(exact).isGreaterThan(leastExactTimes);
    assertThat(replay.completedStreams).isEqualTo(rows.size());
    assertThat(replay.deliveredTokens)
        .isEqualTo(rows.stream().mapToInt(TraceRow::outputLength).toArray());
  }

  private static double hitRate(List<TraceRow> rows, int[] reusedTokens) {
    double inputs = 0;
    double reused = 0;
    for (int i = 0; i < reusedTokens.length; i++) {
      inputs += rows.get(i).inputLength();
      reused += reusedTokens[i];
    }
    return reused / inputs;
  }

  /** Counts first tokens within 0.01 ms of the record. */
  private static int exactTimes(RoundRobinReplay replay, RecordedRun recorded) {
    int exact = 0;
    for (int i = 0; i < recorded.firstTokenMillis.length; i++) {
      double millis = replay.firstTokenNanos[i] / 1e6;
      exact += Math.abs(millis - recorded.firstTokenMillis[i]) < 0.01 ? 1 : 0;
    }
    return exact;
  }
}
