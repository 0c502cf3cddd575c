// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DecisionRecordTest {
  private static final int WORKERS = 6;

  private static KvRouterBuilder builder(RouterFixture fixture, double temperature) {
    for (int id = 1; id <= WORKERS; id++) {
      fixture.indexer.hold(worker(id), id % 4);
    }
    return fixture
        .builder()
        .config(
            KvRouterConfig.builder()
                .routerTemperature(temperature)
                .overlapScoreCreditDecay(0.5)
                .build());
  }

  /** Plays a random history and returns every lease it made. */
  private static List<RequestLease> play(KvRouter router, int requests) {
    RandomSource random = RandomSource.seeded(9);
    Deque<RequestLease> open = new ArrayDeque<>();
    List<RequestLease> all = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      RequestLease lease =
          router.trySelect(request("r" + i, tokens(random.nextInt(5) * 100, random.nextInt(60))));
      open.add(lease);
      all.add(lease);
      if (random.nextInt(3) == 0) {
        lease.markPrefillCompleted();
      }
      if (open.size() > 12) {
        open.remove().close();
      }
    }
    return all;
  }

  private static List<WorkerWithDpRank> choices(List<RequestLease> leases) {
    return leases.stream().map(RequestLease::worker).toList();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.7})
  void shouldRecomputeEveryWinnerExactly(double temperature) {
    RouterFixture fixture = new RouterFixture(WORKERS);
    KvRouterBuilder builder = builder(fixture, temperature).explainRate(1);
    KvRouter router = builder.build();
    DefaultWorkerSelector again = DefaultWorkerSelector.of(router.config());
    int drawn = 0;
    for (RequestLease lease : play(router, 500)) {
      DecisionRecord record = Objects.requireNonNull(lease.decision());
      assertThat(record.replay(again)).isEqualTo(lease.selection());
      assertThat(record.candidates()).hasSize(WORKERS);
      for (DecisionCandidate candidate : record.candidates()) {
        assertThat(candidate.cost()).isFinite();
        if (candidate.worker().equals(lease.worker())) {
          assertThat(candidate.cost()).isEqualTo(lease.selection().cost());
        } else if (candidate.cost() < lease.selection().cost()) {
          drawn++;
        }
      }
    }
    assertThat(drawn > 0).isEqualTo(temperature > 0);
  }

  @Test
  void shouldNameFiltersAndRulesThatLeftRanksOut() {
    RouterFixture fixture = new RouterFixture(4);
    WorkerFilter notTwo = (request, rows, row) -> rows.worker(row).workerId() != 2;
    KvRouter router =
        fixture
            .builder()
            .selector(
                DefaultWorkerSelector.builder(KvRouterConfig.ofDefaults()).filter(notTwo).build())
            .build();
    SchedulingRequest request =
        SchedulingRequest.builder("r", tokens(0, 8))
            .routing(RoutingHints.builder().allowedWorkerIds(1, 2, 3).build())
            .build();

    DecisionRecord record = router.explain(request);

    assertThat(record.ineligible())
        .containsOnlyKeys(worker(4))
        .containsEntry(worker(4), IneligibilityReason.NOT_ALLOWED);
    assertThat(record.candidates())
        .filteredOn(candidate -> candidate.removedBy() != null)
        .singleElement()
        .satisfies(candidate -> assertThat(candidate.worker()).isEqualTo(worker(2)));
    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldSampleByDefaultAndNeverWhenTheRateIsZero() {
    long some =
        play(builder(new RouterFixture(WORKERS), 0).build(), 20_000).stream()
            .filter(lease -> lease.decision() != null)
            .count();
    long none =
        play(builder(new RouterFixture(WORKERS), 0).explainRate(0).build(), 300).stream()
            .filter(lease -> lease.decision() != null)
            .count();

    assertThat(some).isBetween(1L, 100L);
    assertThat(none).isZero();
    KvRouterBuilder builder = builder(new RouterFixture(1), 0);
    assertThatThrownBy(() -> builder.explainRate(1.5)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.7})
  void shouldRouteTheSameWhoeverLooksOn(double temperature) {
    List<WorkerWithDpRank> alone =
        choices(play(builder(new RouterFixture(WORKERS), temperature).explainRate(0).build(), 800));
    WorkerSelector broken =
        (request, rows, random) -> {
          random.nextLong();
          throw new IllegalStateException("planted");
        };
    for (WorkerSelector shadow : List.of(new Worst(), broken)) {
      KvRouter watched =
          builder(new RouterFixture(WORKERS), temperature).explainRate(1).shadow(shadow).build();
      assertThat(choices(play(watched, 800))).isEqualTo(alone);
    }
  }

  @Test
  void shouldRegretNothingAgainstItselfAndMuchAgainstABadPolicy() {
    RouterFixture fixture = new RouterFixture(WORKERS);
    KvRouterBuilder builder = builder(fixture, 0);
    KvRouter same = builder.shadow(DefaultWorkerSelector.of(builder.config())).build();
    play(same, 800);
    KvRouter bad = builder(new RouterFixture(WORKERS), 0).shadow(new Worst()).build();
    play(bad, 800);
    KvRouter broken =
        builder(new RouterFixture(WORKERS), 0)
            .shadow(
                (request, rows, random) -> {
                  throw new IllegalStateException("planted");
                })
            .build();
    play(broken, 10);

    assertThat(same.shadow()).isEqualTo(new ShadowReport(800, 800, 0, 0, 0));
    assertThat(bad.shadow().regret()).isPositive();
    assertThat(bad.shadow().maxRegret()).isPositive();
    assertThat(bad.shadow().agreements()).isLessThan(400);
    assertThat(broken.shadow().failures()).isEqualTo(10);
    KvRouter without = builder(new RouterFixture(1), 0).build();
    assertThatThrownBy(without::shadow).isInstanceOf(IllegalStateException.class);
  }

  /** Drops rows and takes the most loaded of the rest. */
  private static final class Worst implements WorkerSelector {
    @Override
    public WorkerSelectionResult select(
        SchedulingRequest request, WorkerCandidates candidates, RandomSource random) {
      random.nextLong();
      int worst = 0;
      for (int row = 1; row < candidates.size(); row++) {
        if (candidates.activePrefillTokens(row) > candidates.activePrefillTokens(worst)) {
          worst = row;
        }
      }
      return WorkerSelectionResult.of(candidates, worst, 0, 0);
    }
  }

  /* --------------- Predicted and reported cached tokens --------------- */

  @Test
  void shouldCompareWhatItCountedOnWithWhatEnginesReport() {
    RouterFixture fixture = new RouterFixture(1);
    fixture.indexer.hold(worker(1), 2);
    KvRouter router = fixture.router();
    RequestLease exact = router.trySelect(request("exact", tokens(0, 12)));
    RequestLease wrong = router.trySelect(request("wrong", tokens(0, 12)));
    exact.reportCachedTokens(8);
    exact.reportCachedTokens(0);
    wrong.reportCachedTokens(5);
    RequestLease silent = router.trySelect(request("silent", tokens(0, 12)));
    silent.reportCachedTokens(-1);

    assertThat(router.cacheAccuracy()).isEqualTo(new CacheAccuracy(2, 16, 13, 3, 1));
  }
}
