// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.simulation.trace.SyntheticTrace;
import io.dynamo4j.simulation.trace.TraceRow;
import java.util.List;
import org.junit.jupiter.api.Test;

class FleetConditionsTest {
  private static final long MILLI = 1_000_000L;
  private static final List<TraceRow> ROWS = SyntheticTrace.generate(3, 120);

  private static FleetResult run(FleetConditions.Builder conditions) {
    return FleetRun.run(
        FleetConfig.builder()
            .policy(FleetPolicy.KV_PREDICTED)
            .workers(4)
            .killEvery(0)
            .conditions(conditions.build())
            .build(),
        ROWS,
        arrived -> {});
  }

  private static void assertServed(FleetResult result) {
    assertThat(result.failedStreams()).isZero();
    assertThat(result.tokens().isExact()).isTrue();
  }

  @Test
  void shouldChangeNothingUnlessAsked() {
    FleetConfig plain = FleetConfig.builder().workers(4).killEvery(0).build();
    FleetConfig ideal = plain.toBuilder().conditions(FleetConditions.builder().build()).build();

    assertThat(FleetRun.run(ideal, ROWS, arrived -> {}).traceHash())
        .isEqualTo(FleetRun.run(plain, ROWS, arrived -> {}).traceHash());
  }

  @Test
  void shouldKeepAFixedNumberOfRequestsInFlight() {
    FleetResult result = run(FleetConditions.builder().concurrency(5));

    assertServed(result);
    int open = 0;
    for (int row = 0; row < ROWS.size(); row++) {
      long at = result.requests().arrivalNanos(row);
      int inFlight = 0;
      for (int other = 0; other <= row; other++) {
        inFlight += result.requests().lastTokenNanos(other) > at ? 1 : 0;
      }
      open = Math.max(open, inFlight);
    }
    assertThat(open).isEqualTo(5);
  }

  @Test
  void shouldEndWithSeveralRoutersWhetherOrNotTheySpeak() {
    assertServed(run(FleetConditions.builder().routers(3).syncDelayNanos(5 * MILLI)));
    assertServed(run(FleetConditions.builder().routers(3)));
  }

  @Test
  void shouldServeOnWhenAWorkerDiesForGood() {
    FleetResult result = run(FleetConditions.builder().deathNanos(5_000 * MILLI));

    assertServed(result);
    assertThat(result.kills()).singleElement().satisfies(k -> assertThat(k.worker()).isEqualTo(2));
  }

  @Test
  void shouldHitLessWhenEventsAreLate() {
    double inTime = run(FleetConditions.builder()).hitRate();
    double late = run(FleetConditions.builder().eventDelayNanos(600_000 * MILLI)).hitRate();

    assertThat(late).isLessThan(inTime);
  }

  @Test
  void shouldBeLaterWithASlowWorker() {
    double equal = run(FleetConditions.builder()).ttft().mean();
    double slow = run(FleetConditions.builder().slowFactor(6)).ttft().mean();

    assertThat(slow).isGreaterThan(equal);
  }

  @Test
  void shouldRefuseImpossibleConditions() {
    FleetConditions.Builder builder = FleetConditions.builder();

    assertThatThrownBy(() -> builder.routers(0)).hasMessageContaining("routers=0");
    assertThatThrownBy(() -> builder.slowFactor(0)).hasMessageContaining("slowFactor=0");
    assertThatThrownBy(() -> builder.slowFactor(Double.NaN)).hasMessageContaining("NaN");
    assertThatThrownBy(() -> builder.eventDelayNanos(-1)).hasMessageContaining("-1");
    assertThatThrownBy(() -> builder.deathNanos(-1)).hasMessageContaining("-1");
    assertThatThrownBy(() -> builder.concurrency(-1)).hasMessageContaining("concurrency=-1");
  }
}
