// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.dynamo4j.core.testing.SharedData;
import io.dynamo4j.simulation.fleet.FleetConfig;
import io.dynamo4j.simulation.fleet.FleetPolicy;
import io.dynamo4j.simulation.fleet.FleetResult;
import io.dynamo4j.simulation.fleet.FleetRun;
import io.dynamo4j.simulation.trace.TraceReader;
import io.dynamo4j.simulation.trace.TraceRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The whole fleet against Dynamo's own simulation of the same trace, row by row. */
@Tag("slow")
class FleetParityTest {

  @ParameterizedTest
  @CsvSource({
    "conversation_trace, 8, 1, 8.24",
    "conversation_trace, 64, 8, 6.11",
    "mooncake_trace_1000, 8, 1, 29.96",
    "mooncake_trace_1000, 64, 8, 23.27",
  })
  void shouldReuseTheRecordedTokensOnEveryRowUnderRoundRobin(
      String trace, int workers, int speedup, double hitPercent) throws IOException {
    RecordedRun recorded =
        RecordedRun.load("per-request-" + trace + "-" + workers + "w-rr-sp" + speedup + ".csv.gz");

    FleetResult ours =
        FleetRun.run(
            fleet(FleetPolicy.ROUND_ROBIN, workers, speedup).build(), rows(trace), arrived -> {});

    List<Integer> different = new ArrayList<>();
    for (int row = 0; row < recorded.reusedTokens.length; row++) {
      if (ours.requests().reusedTokens(row) != recorded.reusedTokens[row]) {
        different.add(row);
      }
    }
    assertThat(different)
        .as("rows whose reused tokens differ of %d", recorded.reusedTokens.length)
        .isEmpty();
    assertThat(ours.requests().size()).isEqualTo(recorded.reusedTokens.length);
    assertThat(ours.hitRate() * 100).isCloseTo(hitPercent, within(0.006));
    assertThat(ours.ttft().mean())
        .isCloseTo(
            recorded.meanTimeToFirstTokenMillis(),
            within(recorded.meanTimeToFirstTokenMillis() / 100));
    assertExact(ours);
  }

  @Test
  void shouldHitAsOftenAsUpstreamWithDefaultWeightsOnEightWorkers() throws IOException {
    Sample sample = kvSample(8, 1);
    assertThat(sample.meanHitPercent()).isBetween(19.8, 20.7);
    // The reference simulation's own single seeds reach from 19.87 to 20.79 over 24 of them.
    assertThat(sample.hitPercents).allSatisfy(hit -> assertThat(hit).isBetween(19.4, 20.9));
    assertThat(sample.meanTtftMillis()).isCloseTo(276.9, within(276.9 * 0.02));
  }

  @Test
  void shouldHitAsOftenAsUpstreamWithDefaultWeightsOnSixtyFourWorkers() throws IOException {
    Sample sample = kvSample(64, 8);
    assertThat(sample.meanHitPercent()).isBetween(28.9, 29.7);
    assertThat(sample.meanTtftMillis()).isCloseTo(190.3, within(190.3 * 0.02));
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"KV_APPROXIMATE", "KV_PREDICTED"}) // see ApproximateFleetTest, PolicyBarsTest
  void shouldCompleteEveryStreamExactlyWhenWorkersDieAndFailSomeWithoutMigration(FleetPolicy policy)
      throws IOException {
    List<TraceRow> rows = rows("conversation_trace");
    FleetConfig killing = fleet(policy, 8, 1).killEvery(200).build();

    FleetResult migrated = FleetRun.run(killing, rows, arrived -> {});
    assertExact(migrated);
    assertThat(migrated.kills()).hasSize(60);
    assertThat(migrated.ongoingMigrations()).isGreaterThan(60);

    FleetResult alone =
        FleetRun.run(killing.toBuilder().migrationLimit(0).build(), rows, arrived -> {});
    assertThat(alone.failedStreams()).isGreaterThan(60);
    assertThat(alone.tokens().isExact()).isTrue();
  }

  private static Sample kvSample(int workers, int speedup) throws IOException {
    List<TraceRow> rows = rows("conversation_trace");
    Sample sample = new Sample();
    for (int seed = 1; seed <= 10; seed++) {
      FleetResult result =
          FleetRun.run(
              fleet(FleetPolicy.KV, workers, speedup).seed(seed).build(), rows, arrived -> {});
      assertExact(result);
      sample.hitPercents.add(result.hitRate() * 100);
      sample.ttftMillis.add(result.ttft().mean());
    }
    return sample;
  }

  private static FleetConfig.Builder fleet(FleetPolicy policy, int workers, int speedup) {
    return FleetConfig.builder()
        .policy(policy)
        .workers(workers)
        .arrivalSpeedup(speedup)
        .killEvery(0);
  }

  private static List<TraceRow> rows(String trace) throws IOException {
    return TraceReader.read(SharedData.path("data/traces/" + trace + ".jsonl"));
  }

  private static void assertExact(FleetResult result) {
    assertThat(result.failedStreams()).isZero();
    assertThat(result.tokens().isExact()).as("tokens %s", result.tokens()).isTrue();
  }

  private static final class Sample {
    private final List<Double> hitPercents = new ArrayList<>();
    private final List<Double> ttftMillis = new ArrayList<>();

    double meanHitPercent() {
      return hitPercents.stream().mapToDouble(d -> d).average().orElseThrow();
    }

    double meanTtftMillis() {
      return ttftMillis.stream().mapToDouble(d -> d).average().orElseThrow();
    }
  }
}
