// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.pinned;
import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.ErrorType;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class BusyThresholdTest {
  private static final long LIFETIME = 1_000;

  private final RouterFixture fixture = new RouterFixture(0);
  private final LoadMonitor monitor =
      LoadMonitor.builder(fixture.nanos::get).lifetimeNanos(LIFETIME).build();
  private final KvRouter router = fixture.builder().loadMonitor(monitor).build();
  private int nextId;

  BusyThresholdTest() {
    fixture.directory.register(
        RouterFixture.instance(1).dpRanks(0, 2).totalKvBlocks(20).maxBatchedTokens(100).build());
    fixture.directory.register(
        RouterFixture.instance(2).totalKvBlocks(20).maxBatchedTokens(100).build());
  }

  private RequestLease load(WorkerWithDpRank rank, int tokens) {
    int id = nextId++;
    return router.trySelect(pinned("load" + id, tokens(1_000 * id, tokens), rank));
  }

  private static RankLoadReport used(long blocks) {
    return new RankLoadReport(RankLoadReport.UNKNOWN, RankLoadReport.UNKNOWN, blocks);
  }

  private Set<Long> chosenWorkers() {
    Set<Long> chosen = new TreeSet<>();
    for (int i = 0; i < 60; i++) {
      try {
        chosen.add(router.query(request("q", tokens(900_000, 4))).worker().workerId());
      } catch (NoEligibleWorkerException nobody) {
        assertThat(nobody.errorType()).isEqualTo(ErrorType.CAPACITY_EXHAUSTED);
      }
    }
    return chosen;
  }

  @Test
  void shouldExcludeAWorkerBeyondAnAbsoluteNumberOfPrefillTokens() {
    monitor.thresholds(LoadThresholds.builder().activePrefillTokens(40L).build());
    load(worker(2), 40);
    assertThat(router.query(pinned("q", tokens(0, 4), worker(2))).worker()).isEqualTo(worker(2));

    RequestLease last = load(worker(2), 1);
    assertThat(chosenWorkers()).containsExactly(1L);

    last.markPrefillCompleted();
    assertThat(router.query(pinned("q", tokens(0, 4), worker(2))).worker()).isEqualTo(worker(2));
  }

  @Test
  void shouldExcludeAWorkerBeyondAFractionOfItsBatchedTokens() {
    monitor.thresholds(LoadThresholds.builder().activePrefillTokensFraction(0.505).build());
    load(worker(2), 50);
    assertThat(router.query(pinned("q", tokens(0, 4), worker(2)))).isNotNull();
    load(worker(2), 1);

    assertThat(chosenWorkers()).containsExactly(1L);
  }

  @Test
  void shouldExcludeAWorkerBeyondAFractionOfItsBlocks() {
    monitor.thresholds(LoadThresholds.builder().activeDecodeBlocks(0.5).build());
    load(worker(2), 40).markPrefillCompleted();
    assertThat(router.query(pinned("q", tokens(0, 4), worker(2)))).isNotNull();
    load(worker(2), 4).markPrefillCompleted();

    assertThat(chosenWorkers()).containsExactly(1L);
  }

  @Test
  void shouldExcludeAWorkerOnlyWhenAllOfItsRanksAreBusy() {
    monitor.thresholds(LoadThresholds.builder().activePrefillTokens(10L).build());
    load(new WorkerWithDpRank(1, 0), 20);
    assertThat(router.query(pinned("q", tokens(0, 4), new WorkerWithDpRank(1, 0)))).isNotNull();
    load(new WorkerWithDpRank(1, 1), 20);

    assertThat(chosenWorkers()).containsExactly(2L);
  }

  @Test
  void shouldSayWhatWasSeenWhenEverybodyIsBusy() {
    monitor.thresholds(LoadThresholds.builder().activePrefillTokens(0L).build());
    load(worker(2), 8);

    assertThatThrownBy(() -> router.trySelect(pinned("p", tokens(0, 4), worker(2))))
        .isInstanceOfSatisfying(
            NoEligibleWorkerException.class,
            failure -> {
              assertThat(failure.errorType()).isEqualTo(ErrorType.CAPACITY_EXHAUSTED);
              assertThat(failure.counts())
                  .isEqualTo(
                      Map.of(IneligibilityReason.OVERLOADED, 1, IneligibilityReason.NOT_PINNED, 2));
              assertThat(failure.busyRanks())
                  .containsExactly(new BusyRank(worker(2), 8, 2, 20, 100));
            })
        .hasMessageStartingWith("all eligible workers are overloaded: request=p");
    assertThat(router.bookingCount()).isEqualTo(1);
  }

  @Test
  void s3ShouldLetASilentWorkersFiguresAge() {
    monitor.thresholds(LoadThresholds.builder().activeDecodeBlocks(0.5).build());
    monitor.report(worker(2), used(11));
    assertThat(chosenWorkers()).containsExactly(1L);

    fixture.nanos.addAndGet(LIFETIME - 1);
    assertThat(chosenWorkers()).containsExactly(1L);
    fixture.nanos.addAndGet(1);
    assertThat(chosenWorkers()).containsExactly(1L, 2L);
  }

  @Test
  void shouldTakeTheLastWordOfEachFigureAndForgetAWorkerThatIsGone() {
    monitor.thresholds(LoadThresholds.builder().activeDecodeBlocks(0.5).build());
    monitor.report(worker(2), used(11));
    monitor.report(worker(2), new RankLoadReport(0, 0, RankLoadReport.UNKNOWN));
    assertThat(chosenWorkers()).containsExactly(1L);

    monitor.report(worker(2), used(10));
    assertThat(chosenWorkers()).containsExactly(1L, 2L);

    monitor.report(worker(2), used(11));
    monitor.forget(2);
    assertThat(chosenWorkers()).containsExactly(1L, 2L);
  }

  @Test
  void shouldHoldFromTheNextDecisionOnAndExcludeNobodyOnceUnset() {
    load(worker(2), 40);
    assertThat(router.query(pinned("q", tokens(0, 4), worker(2)))).isNotNull();

    monitor.thresholds(LoadThresholds.builder().activePrefillTokens(39L).build());
    assertThat(chosenWorkers()).containsExactly(1L);

    monitor.thresholds(LoadThresholds.none());
    assertThat(router.query(pinned("q", tokens(0, 4), worker(2)))).isNotNull();
  }

  @ParameterizedTest
  @EnumSource(PoolPolicy.class)
  void shouldExcludeABusyWorkerWhateverThePolicyOfAPool(PoolPolicy policy) {
    monitor.thresholds(LoadThresholds.builder().activeDecodeBlocks(0.5).build());
    monitor.report(worker(2), used(20));
    WorkerPool pool =
        new WorkerPool(policy, fixture.directory, null, monitor, RandomSource.seeded(1));

    Set<Long> chosen = new TreeSet<>();
    for (int i = 0; i < 40; i++) {
      chosen.add(
          pool.place(new BookingKey("r", i), RoutingHints.none(), Set.of()).worker().workerId());
    }
    assertThat(chosen).containsExactly(1L);
  }

  @ParameterizedTest
  @CsvSource({
    "DYN_ACTIVE_DECODE_BLOCKS_THRESHOLD, 1.5",
    "DYN_ACTIVE_DECODE_BLOCKS_THRESHOLD, NaN",
    "DYN_ACTIVE_PREFILL_TOKENS_THRESHOLD, -1",
    "DYN_ACTIVE_PREFILL_TOKENS_THRESHOLD_FRAC, -0.1",
    "DYN_ACTIVE_PREFILL_TOKENS_THRESHOLD_FRAC, Infinity"
  })
  void shouldRefuseAThresholdOutOfRange(String variable, String value) {
    assertThatThrownBy(() -> LoadThresholds.fromEnvironment(Map.of(variable, value)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldReadThresholdsFromVariablesAndIgnoreWhatIsNone() {
    assertThat(
            LoadThresholds.fromEnvironment(
                Map.of(
                    "DYN_ACTIVE_DECODE_BLOCKS_THRESHOLD", "0.85",
                    "DYN_ACTIVE_PREFILL_TOKENS_THRESHOLD", "1000",
                    "DYN_ACTIVE_PREFILL_TOKENS_THRESHOLD_FRAC", "0.8")))
        .isEqualTo(
            LoadThresholds.builder()
                .activeDecodeBlocks(0.85)
                .activePrefillTokens(1000L)
                .activePrefillTokensFraction(0.8)
                .build());
    assertThat(LoadThresholds.fromEnvironment(Map.of("DYN_ACTIVE_PREFILL_TOKENS_THRESHOLD", "1.5")))
        .isEqualTo(LoadThresholds.none());
  }

  @Test
  void shouldRefuseANegativeReport() {
    assertThatThrownBy(() -> new RankLoadReport(0, -2, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("decodeBlocks=-2");
  }
}
