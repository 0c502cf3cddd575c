// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.runtime.RandomSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each part of a decision can be a host's own, inside the router and alone. */
class CustomPartsTest {
  private static final KvRouterConfig CONFIG = KvRouterConfig.ofDefaults();

  private final RouterFixture fixture = new RouterFixture(4);

  /** The worker with the fewest requests, the lowest row among equals. */
  private static final class FewestRequests implements WorkerSelector {
    @Override
    public WorkerSelectionResult select(
        SchedulingRequest request, WorkerCandidates candidates, RandomSource random) {
      int best = 0;
      for (int row = 1; row < candidates.size(); row++) {
        if (candidates.activeRequests(row) < candidates.activeRequests(best)) {
          best = row;
        }
      }
      return WorkerSelectionResult.of(candidates, best, 0, candidates.activeRequests(best));
    }
  }

  @Test
  void shouldUseAHostsSelector() {
    KvRouter router = fixture.builder().selector(new FewestRequests()).build();

    for (int i = 0; i < 8; i++) {
      RequestLease lease = router.trySelect(request("r" + i, tokens(0, 100)));
      assertThat(lease.worker()).isEqualTo(worker(i % 4 + 1));
    }
  }

  @Test
  void shouldUseAHostsSelectorAlone() {
    WorkerCandidates candidates = WorkerCandidates.create();
    candidates.reset(8, 4, 2, true);
    candidates.setLoad(candidates.add(worker(1), 0, 0, 0), 0, 0, 0, 2);
    candidates.setLoad(candidates.add(worker(2), 0, 0, 0), 0, 0, 0, 1);

    WorkerSelectionResult result =
        new FewestRequests().select(request("r", tokens(0, 8)), candidates, RandomSource.seeded(1));

    assertThat(result.worker()).isEqualTo(worker(2));
  }

  @Test
  void shouldCombineAHostsFilterScorerAndPicker() {
    WorkerFilter even = (request, candidates, row) -> candidates.worker(row).workerId() % 2 == 0;
    WorkerScorer preferHigherIds = (request, c, row) -> -100.0 * c.worker(row).workerId();
    KvRouter router =
        fixture
            .builder()
            .selector(
                DefaultWorkerSelector.builder(CONFIG)
                    .filter(even)
                    .scorer(KvWorkerScorer.of(CONFIG))
                    .scorer(preferHigherIds)
                    .picker(TemperaturePicker.of(0))
                    .build())
            .build();

    RequestLease lease = router.trySelect(request("r", tokens(0, 16)));

    assertThat(lease.worker()).isEqualTo(worker(4));
    assertThat(lease.selection().cost()).isEqualTo(4 + 4 - 400);
  }

  @Test
  void shouldReportCandidatesThatAFilterRefused() {
    WorkerSelector nobody =
        DefaultWorkerSelector.builder(CONFIG).filter((request, candidates, row) -> false).build();
    KvRouter router = fixture.builder().selector(nobody).build();

    assertThatThrownBy(() -> router.trySelect(request("r", tokens(0, 16))))
        .isInstanceOfSatisfying(
            NoEligibleWorkerException.class,
            failure ->
                assertThat(failure.counts())
                    .containsEntry(IneligibilityReason.FILTERED, 4)
                    .hasSize(1));
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void shouldRefuseACostThatIsNotFinite(double cost) {
    WorkerSelector broken =
        DefaultWorkerSelector.builder(CONFIG)
            .scorer((request, candidates, row) -> row == 2 ? cost : 1)
            .build();
    KvRouter router = fixture.builder().selector(broken).build();

    assertThatThrownBy(() -> router.trySelect(request("r", tokens(0, 16))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("worker=3/0, cost=" + cost);
    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldRefuseARowThatDoesNotExist() {
    WorkerSelector broken =
        DefaultWorkerSelector.builder(CONFIG).picker((costs, count, random) -> count).build();
    KvRouter router = fixture.builder().selector(broken).build();

    assertThatThrownBy(() -> router.trySelect(request("r", tokens(0, 16))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("row=4, rows=4");
  }

  @Test
  void shouldRefuseAWorkerThatWasNoCandidate() {
    fixture.health.drain(3);
    WorkerSelector stubborn =
        (request, candidates, random) -> new WorkerSelectionResult(worker(3), 1, 0, 0, 0, 0);
    KvRouter router = fixture.builder().selector(stubborn).build();

    assertThatThrownBy(() -> router.trySelect(request("r", tokens(0, 16))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("worker=3/0");
    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldUseAHostsTracker() {
    ReferenceTracker own = new ReferenceTracker();
    KvRouter router = fixture.builder().tracker(own).build();

    RequestLease lease = router.trySelect(request("r", tokens(0, 16)));

    assertThat(own.bookingCount()).isEqualTo(1);
    assertThat(router.load(lease.worker())).isEqualTo(new WorkerLoad(16, 4, 1));
    lease.close();
    assertThat(own.bookingCount()).isZero();
  }
}
