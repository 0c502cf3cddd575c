// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

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

/** The policy through the real router. */
class KvPredictedTest {
  private static final long MILLI = 1_000_000;
  private static final int WORKERS = 6;
  private static final PredictionConfig LINE =
      PredictionConfig.builder().prefill(10, 1).decode(6, 45).answers(4, 1_000).build();

  private final RouterFixture fixture = new RouterFixture(WORKERS);

  private KvRouterBuilder predicted() {
    return fixture.builder().policy(KvPolicy.KV_PREDICTED).prediction(LINE);
  }

  private static DecisionCandidate of(DecisionRecord record, long workerId) {
    return record.candidates().stream()
        .filter(candidate -> candidate.worker().equals(worker(workerId)))
        .findFirst()
        .orElseThrow();
  }

  /** A history of requests in the middle of their lives, every choice in order. */
  private List<RequestLease> play(KvRouter router) {
    for (int id = 1; id <= WORKERS; id++) {
      fixture.indexer.hold(worker(id), id % 4);
    }
    RandomSource random = RandomSource.seeded(9);
    Deque<RequestLease> open = new ArrayDeque<>();
    List<RequestLease> all = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      fixture.nanos.addAndGet(random.nextInt(20) * MILLI);
      SchedulingRequest request =
          request("r" + i, tokens(random.nextInt(5) * 100, random.nextInt(60)));
      RequestLease lease = router.trySelect(request);
      open.add(lease);
      all.add(lease);
      if (random.nextInt(3) > 0) {
        open.peek().markPrefillCompleted();
        open.peek().addOutputTokens(random.nextInt(50));
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

  @Test
  void shouldStayWithDynamosPolicyUnlessToldOtherwise() {
    assertThat(fixture.router().explain(request("r", tokens(0, 8))).forecast()).isNull();
    assertThat(KvPolicy.byName("kv-predicted")).contains(KvPolicy.KV_PREDICTED);
    assertThat(KvPolicy.byName("kv")).contains(KvPolicy.KV);
    assertThat(KvPolicy.byName("KV")).isEmpty();
  }

  @Test
  void shouldPriceIdleRanksByTheTokensTheyMiss() {
    fixture.indexer.hold(worker(2), 3);
    DecisionRecord record = predicted().build().explain(request("r", tokens(0, 40)));

    assertThat(of(record, 1).cost()).isCloseTo(10 + 40, within(1e-9));
    assertThat(of(record, 2).cost()).isCloseTo(10 + 40 - 12, within(1e-9));
    assertThat(Objects.requireNonNull(record.selection()).worker()).isEqualTo(worker(2));
  }

  @Test
  void shouldAlwaysComputeOneTokenAtLeast() {
    fixture.indexer.hold(worker(2), 10);
    DecisionRecord record = predicted().build().explain(request("r", tokens(0, 40)));

    assertThat(of(record, 2).cost()).isCloseTo(10 + 4, within(1e-9));
  }

  @Test
  void shouldAddEveryTermOfTheFormula() {
    fixture.directory.register(RouterFixture.instance(1).totalKvBlocks(10).build());
    KvRouter router = predicted().build();
    RequestLease decoding = router.trySelect(RouterFixture.pinned("d", tokens(0, 20), worker(1)));
    decoding.markPrefillCompleted();
    router.trySelect(RouterFixture.pinned("w", tokens(100, 8), worker(1)));
    fixture.nanos.addAndGet(3 * MILLI);

    DecisionRecord record = router.explain(request("r", tokens(200, 12)));
    FleetForecast fleet = Objects.requireNonNull(record.forecast());
    double own = fleet.prefillMillis() + 12 * fleet.prefillMillisPerToken();
    double queue = fleet.prefillMillis() + 8 * fleet.prefillMillisPerToken() - 3;
    double steps = 1.5 * (6 + 45 * 28.0 / 40);
    double occupancy = (5 + 2 + 3 + 3 * 4 / 4.0) / 10;
    double memory = 3 * (occupancy - 1) * 1_000;

    assertThat(fleet.capacityPrice()).isGreaterThan(1);
    assertThat(of(record, 1).cost())
        .isCloseTo(memory + queue + fleet.capacityPrice() * own + own / 2 + steps, within(1e-6));
  }

  @Test
  void shouldRecomputeEveryWinnerExactly() {
    KvRouter router = predicted().explainRate(1).build();
    WorkerSelector again = PredictedWorkerScorer.of(router.config(), LINE).selector();
    for (RequestLease lease : play(router)) {
      DecisionRecord record = Objects.requireNonNull(lease.decision());
      assertThat(record.replay(again)).isEqualTo(lease.selection());
      for (DecisionCandidate candidate : record.candidates()) {
        assertThat(candidate.cost()).isFinite().isGreaterThanOrEqualTo(lease.selection().cost());
      }
    }
  }

  @Test
  void shouldDecideTheSameInEveryRun() {
    KvPredictedTest again = new KvPredictedTest();

    assertThat(choices(again.play(again.predicted().build())))
        .isEqualTo(choices(play(predicted().build())));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldRouteTheSameWithTheOtherPolicyInItsShadow(boolean predictedIsActive) {
    KvPolicy active = predictedIsActive ? KvPolicy.KV_PREDICTED : KvPolicy.KV;
    KvPolicy other = predictedIsActive ? KvPolicy.KV : KvPolicy.KV_PREDICTED;
    List<WorkerWithDpRank> alone = choices(play(fixture.builder().policy(active).build()));
    KvPredictedTest second = new KvPredictedTest();
    KvRouter shadowed = second.fixture.builder().policy(active).shadow(other).build();

    assertThat(choices(second.play(shadowed))).isEqualTo(alone);
    assertThat(shadowed.shadow().decisions()).isEqualTo(600);
    assertThat(shadowed.shadow().failures()).isZero();
    assertThat(shadowed.shadow().agreements()).isBetween(50L, 599L);
  }

  @Test
  void shouldHaveNoRegretAgainstItself() {
    KvRouter router = predicted().shadow(KvPolicy.KV_PREDICTED).prediction(LINE).build();
    play(router);

    assertThat(router.shadow().agreements()).isEqualTo(600);
    assertThat(router.shadow().regret()).isZero();
  }

  @Test
  void shouldSpreadABurstOfEqualPrompts() {
    fixture.indexer.hold(worker(1), 2);
    KvRouter router = predicted().build();
    List<WorkerWithDpRank> chosen = new ArrayList<>();
    for (int i = 0; i < WORKERS * 10; i++) {
      chosen.add(router.trySelect(request("r" + i, tokens(0, 40))).worker());
    }
    for (int id = 1; id <= WORKERS; id++) {
      WorkerWithDpRank rank = worker(id);
      assertThat(chosen.stream().filter(rank::equals).count()).isBetween(6L, 20L);
    }
  }

  @Test
  void shouldForgetAWorkerThatStartsAnew() {
    KvRouter router = predicted().build();
    RequestLease lost = router.trySelect(RouterFixture.pinned("r", tokens(0, 40), worker(1)));
    assertThat(forecast(router, 1).waitingRequests()).isEqualTo(1);

    fixture.register(1, 7);
    assertThat(forecast(router, 1)).isEqualTo(new RankForecast(0, 0, 0, 0, 1));
    lost.markPrefillCompleted();
    lost.close();

    assertThat(forecast(router, 1)).isEqualTo(new RankForecast(0, 0, 0, 0, 1));
  }

  @Test
  void shouldLearnNothingFromALeaseThatIsRevived() {
    KvRouter router = predicted().build();
    RequestLease lease = router.trySelect(RouterFixture.pinned("r", tokens(0, 40), worker(1)));
    fixture.nanos.addAndGet(400_000 * MILLI);
    assertThat(router.bookingCount()).isZero();
    FleetForecast before = fleet(router);

    lease.markPrefillCompleted();
    assertThat(router.bookingCount()).isEqualTo(1);
    assertThat(forecast(router, 1).decodingRequests()).isEqualTo(1);
    lease.close();

    assertThat(fleet(router)).isEqualTo(before);
  }

  private static RankForecast forecast(KvRouter router, long workerId) {
    DecisionRecord record = router.explain(request("q", tokens(500, 8)));
    return Objects.requireNonNull(of(record, workerId).forecast());
  }

  private static FleetForecast fleet(KvRouter router) {
    return Objects.requireNonNull(router.explain(request("q", tokens(500, 8))).forecast());
  }

  @Test
  void shouldRouteWithoutPromptTokensInTheLoad() {
    KvRouter router =
        predicted()
            .config(KvRouterConfig.builder().routerTrackPrefillTokens(false).build())
            .build();
    for (int i = 0; i < 20; i++) {
      RequestLease lease = router.trySelect(request("r" + i, tokens(i, i)));
      assertThat(lease.selection().cost()).isFinite();
    }
  }

  @Test
  void shouldRefuseToPredictWithoutFigures() {
    WorkerCandidates rows = WorkerCandidates.create();
    rows.reset(8, 4, 2, true);
    rows.add(worker(1), 0, 0, 0);
    PredictedWorkerScorer scorer =
        PredictedWorkerScorer.of(KvRouterConfig.ofDefaults(), PredictionConfig.ofDefaults());

    assertThatThrownBy(() -> scorer.cost(request("r", tokens(0, 8)), rows, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("r#0");
    assertThatThrownBy(() -> rows.setForecast(new FleetForecast(1, 1, 1, 1, 1), List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1, Double.NaN, Double.POSITIVE_INFINITY})
  void shouldRefuseFiguresThatAreNone(double bad) {
    PredictionConfig.Builder builder = PredictionConfig.builder();
    for (Runnable setting :
        List.<Runnable>of(
            () -> builder.prefill(bad, 1),
            () -> builder.prefill(1, bad),
            () -> builder.decode(bad, 1),
            () -> builder.decode(1, bad),
            () -> builder.answers(bad, 1),
            () -> builder.answers(1, bad))) {
      assertThatThrownBy(setting::run)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("=" + bad);
    }
  }

  @Test
  void shouldLearnSpeedsForDynamosPolicyWhenAskedTo() {
    KvRouter router = fixture.builder().learnSpeeds().build();
    for (int i = 0; i < 400; i++) {
      long id = 1L + i % 2;
      RequestLease lease =
          router.trySelect(RouterFixture.pinned("r" + i, tokens(i, 40), worker(id)));
      fixture.nanos.addAndGet((id == 1 ? 50 : 100) * MILLI);
      lease.markPrefillCompleted();
      lease.close();
    }
    DecisionRecord record = router.explain(request("q", tokens(0, 8)));

    assertThat(of(record, 1).prefillSpeed() / of(record, 2).prefillSpeed())
        .isCloseTo(2, within(0.2));
    assertThat(of(record, 1).decodeSpeed()).isEqualTo(of(record, 1).prefillSpeed());
    assertThat(of(record, 3).prefillSpeed()).isEqualTo(1);
  }

  @Test
  void shouldRefuseToLearnSpeedsThatItIsTold() {
    WorkerSpeeds told =
        new WorkerSpeeds() {
          @Override
          public double prefill(WorkerWithDpRank rank) {
            return 1;
          }

          @Override
          public double decode(WorkerWithDpRank rank) {
            return 1;
          }
        };

    assertThatThrownBy(() -> fixture.builder().speeds(told).learnSpeeds().build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("speeds");
  }
}
