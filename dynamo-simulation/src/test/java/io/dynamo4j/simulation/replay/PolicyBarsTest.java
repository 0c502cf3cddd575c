// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.dynamo4j.core.testing.SharedData;
import io.dynamo4j.simulation.fleet.FleetConditions;
import io.dynamo4j.simulation.fleet.FleetConfig;
import io.dynamo4j.simulation.fleet.FleetPolicy;
import io.dynamo4j.simulation.fleet.FleetResult;
import io.dynamo4j.simulation.fleet.FleetRun;
import io.dynamo4j.simulation.trace.TraceReader;
import io.dynamo4j.simulation.trace.TraceRow;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What {@code kv-predicted} promises over {@code kv}, on a share of the settings of {@code
 * bin/bench policy}. All times are virtual: the figures are the same on every machine.
 */
@Tag("slow")
class PolicyBarsTest {
  private static final String CONVERSATION = "conversation_trace";
  private static final String MOONCAKE = "mooncake_trace_1000";
  private static final long MILLI = 1_000_000L;

  @ParameterizedTest
  @CsvSource({"8, 1, 24.8, 238", "64, 8, 36, 174"})
  void shouldHitOftenAndAnswerSoonOnTheConversationTrace(
      int workers, double speedup, double leastHitPercent, double mostMillis) throws IOException {
    FleetResult result =
        FleetRun.run(
            fleet(FleetPolicy.KV_PREDICTED).workers(workers).arrivalSpeedup(speedup).build(),
            rows(CONVERSATION),
            arrived -> {});

    assertExact(result);
    assertThat(100 * result.hitRate()).isGreaterThanOrEqualTo(leastHitPercent);
    assertThat(result.ttft().mean()).isLessThanOrEqualTo(mostMillis);
  }

  @ParameterizedTest
  @CsvSource({"8, 2048, 1, 0", "8, 512, 1, 0", "16, 2048, 4, 0", "8, 2048, 1, 32"})
  void shouldAnswerSoonerThanKvUnderNormalLoad(
      int workers, int blocks, double speedup, int concurrency) throws IOException {
    FleetConfig.Builder fleet =
        fleet(FleetPolicy.KV)
            .workers(workers)
            .blocks(blocks)
            .arrivalSpeedup(speedup)
            .conditions(FleetConditions.builder().concurrency(concurrency).build());
    FleetResult kv = FleetRun.run(fleet.build(), rows(MOONCAKE), arrived -> {});
    FleetResult predicted =
        FleetRun.run(fleet.policy(FleetPolicy.KV_PREDICTED).build(), rows(MOONCAKE), arrived -> {});

    assertExact(kv);
    assertExact(predicted);
    assertThat(predicted.ttft().mean()).isLessThan(kv.ttft().mean());
    assertThat(predicted.hitRate()).isGreaterThan(kv.hitRate());
    assertThat(predicted.ttft().at(0.99)).isLessThan(1.07 * kv.ttft().at(0.99));
  }

  @Test
  void shouldBeBetterWhenEventsAreLate() throws IOException {
    assertBetter(FleetConditions.builder().eventDelayNanos(10_000 * MILLI));
  }

  @Test
  void shouldBeBetterWithTwoRouters() throws IOException {
    assertBetter(FleetConditions.builder().routers(2).syncDelayNanos(5 * MILLI));
  }

  @Test
  void shouldBeBetterWithASlowWorker() throws IOException {
    assertBetter(FleetConditions.builder().slowFactor(4));
  }

  @Test
  void shouldBeBetterWhenAWorkerDies() throws IOException {
    assertBetter(FleetConditions.builder().deathNanos(60_000 * MILLI));
  }

  @Test
  void shouldLoseNothingWhenWorkersDieAndComeBack() throws IOException {
    FleetResult result =
        FleetRun.run(
            fleet(FleetPolicy.KV_PREDICTED).killEvery(50).build(), rows(MOONCAKE), arrived -> {});

    assertExact(result);
    assertThat(result.kills()).hasSize(20);
    assertThat(result.ongoingMigrations()).isPositive();
  }

  private static void assertBetter(FleetConditions.Builder conditions) throws IOException {
    FleetConfig.Builder fleet = fleet(FleetPolicy.KV).conditions(conditions.build());
    List<TraceRow> rows = rows(MOONCAKE);
    FleetResult kv = FleetRun.run(fleet.build(), rows, arrived -> {});
    FleetResult predicted =
        FleetRun.run(fleet.policy(FleetPolicy.KV_PREDICTED).build(), rows, arrived -> {});

    assertExact(kv);
    assertExact(predicted);
    assertThat(predicted.ttft().mean()).isLessThan(kv.ttft().mean());
  }

  private static FleetConfig.Builder fleet(FleetPolicy policy) {
    return FleetConfig.builder().policy(policy).workers(8).killEvery(0);
  }

  private static List<TraceRow> rows(String trace) throws IOException {
    return TraceReader.read(SharedData.path("data/traces/" + trace + ".jsonl"));
  }

  private static void assertExact(FleetResult result) {
    assertThat(result.failedStreams()).isZero();
    assertThat(result.tokens().isExact()).as("tokens %s", result.tokens()).isTrue();
  }
}
