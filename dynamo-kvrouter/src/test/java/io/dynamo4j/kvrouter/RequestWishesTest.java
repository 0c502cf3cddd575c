// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static io.dynamo4j.kvrouter.RouterFixture.request;
import static io.dynamo4j.kvrouter.RouterFixture.tokens;
import static io.dynamo4j.kvrouter.RouterFixture.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.dynamo4j.core.model.RoutingConstraints;
import io.dynamo4j.core.model.RoutingHints;
import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pins, ranks, taints and a request's own weights. */
class RequestWishesTest {
  private final RouterFixture fixture = new RouterFixture(0);
  private final KvRouter router = fixture.router();

  RequestWishesTest() {
    fixture.directory.register(
        RouterFixture.instance(1).dpRanks(0, 2).taints("gpu=a", "zone=1").build());
    fixture.directory.register(
        RouterFixture.instance(2).dpRanks(0, 2).taints("gpu=b", "zone=1").build());
    fixture.directory.register(RouterFixture.instance(3).build());
  }

  private Set<WorkerWithDpRank> chosen(Consumer<RoutingHints.Builder> wishes) {
    return chosen(router, wishes, RouterConfigOverride.none());
  }

  private static Set<WorkerWithDpRank> chosen(
      KvRouter router, Consumer<RoutingHints.Builder> wishes, RouterConfigOverride override) {
    RoutingHints.Builder hints = RoutingHints.builder();
    wishes.accept(hints);
    Set<WorkerWithDpRank> chosen = new TreeSet<>();
    for (int i = 0; i < 80; i++) {
      chosen.add(
          router
              .query(
                  SchedulingRequest.builder("r", tokens(0, 16))
                      .routing(hints.build())
                      .configOverride(override)
                      .build())
              .worker());
    }
    return chosen;
  }

  private static RoutingConstraints prefer(String taint, double weight) {
    return RoutingConstraints.builder().preferTaint(taint, weight).build();
  }

  @Test
  void shouldChooseAmongTheRanksOfAPinnedWorker() {
    assertThat(chosen(hints -> hints.pinnedWorkerId(2))).containsExactly(rank(2, 0), rank(2, 1));
  }

  @Test
  void s1ShouldHonourARankWithoutAWorker() {
    assertThat(chosen(hints -> hints.requiredDpRank(1))).containsExactly(rank(1, 1), rank(2, 1));
    assertThat(chosen(hints -> hints.requiredDpRank(1).pinnedWorkerId(2)))
        .containsExactly(rank(2, 1));
  }

  @Test
  void s1ShouldRefuseARankThatNobodyHas() {
    assertThatThrownBy(() -> chosen(hints -> hints.requiredDpRank(9)))
        .isInstanceOfSatisfying(
            NoEligibleWorkerException.class,
            nobody ->
                assertThat(nobody.counts()).isEqualTo(Map.of(IneligibilityReason.NOT_PINNED, 5)));
  }

  @Test
  void shouldRequireEveryTaint() {
    RoutingConstraints.Builder zone = RoutingConstraints.builder().requireTaint("zone=1");

    assertThat(chosen(hints -> hints.constraints(zone.build())))
        .containsExactly(rank(1, 0), rank(1, 1), rank(2, 0), rank(2, 1));
    assertThat(chosen(hints -> hints.constraints(zone.requireTaint("gpu=b").build())))
        .containsExactly(rank(2, 0), rank(2, 1));
    assertThatThrownBy(() -> chosen(hints -> hints.constraints(zone.requireTaint("gpu=a").build())))
        .isInstanceOfSatisfying(
            NoEligibleWorkerException.class,
            nobody ->
                assertThat(nobody.counts())
                    .isEqualTo(Map.of(IneligibilityReason.TAINT_MISSING, 5)));
  }

  @Test
  void shouldBeAttractedAndRepelledByTaints() {
    assertThat(chosen(hints -> hints.constraints(prefer("gpu=b", 0.5))))
        .containsExactly(rank(2, 0), rank(2, 1));
    assertThat(chosen(hints -> hints.constraints(prefer("zone=1", -0.5))))
        .containsExactly(rank(3, 0));
    assertThat(chosen(hints -> hints.constraints(prefer("nobody has it", 3)))).hasSize(5);
  }

  @ParameterizedTest
  @CsvSource({"0.85, 0.50104", "-0.25, 1.27752", "1000, 0.36788", "-1000, 2.71828"})
  void shouldMultiplyTheCostByTheFactorOfTheWeights(double weight, double factor) {
    assertThat(prefer("t", weight).costFactor(Set.of("t"))).isCloseTo(factor, within(1e-5));
    assertThat(prefer("t", weight).costFactor(Set.of("u"))).isEqualTo(1);
  }

  @Test
  void shouldNotReweighAPinnedRequest() {
    WorkerSelectionResult pinned =
        router.query(
            SchedulingRequest.builder("r", tokens(0, 16))
                .routing(
                    RoutingHints.builder()
                        .pinnedWorkerId(1)
                        .constraints(prefer("gpu=a", 2))
                        .build())
                .build());

    assertThat(pinned.cost()).isEqualTo(8);
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void shouldRefuseAWeightThatIsNotFinite(double weight) {
    assertThatThrownBy(() -> prefer("t", weight))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("taint=t");
  }

  /* --------------- Overrides --------------- */

  private static Set<WorkerWithDpRank> chosenBy(
      KvRouterConfigBuilder config, RouterConfigOverride override) {
    RouterFixture two = new RouterFixture(2);
    KvRouter router = two.builder().config(config.build()).build();
    router.trySelect(RouterFixture.pinned("load", tokens(500, 8), worker(1)));
    two.indexer.hold(worker(1), 4);
    return chosen(router, hints -> {}, override);
  }

  /**
   * Worker 1 has the whole prompt cached, and two blocks to prefill and to decode: 4 + 4 - 4 + 2.
   */
  @Test
  void s1ShouldScoreByTheRequestsOwnCreditScaleAndTemperature() {
    KvRouterConfigBuilder config = KvRouterConfig.builder();

    assertThat(chosenBy(config, RouterConfigOverride.none())).containsExactly(worker(1), worker(2));
    assertThat(chosenBy(config, RouterConfigOverride.builder().overlapScoreCredit(1.5).build()))
        .containsExactly(worker(1));
    assertThat(chosenBy(config, RouterConfigOverride.builder().overlapScoreCredit(0.5).build()))
        .containsExactly(worker(2));
    assertThat(chosenBy(config, RouterConfigOverride.builder().overlapScoreWeight(0).build()))
        .containsExactly(worker(2));
    assertThat(chosenBy(config, RouterConfigOverride.builder().prefillLoadScale(3).build()))
        .containsExactly(worker(1));
    assertThat(
            chosenBy(
                config,
                RouterConfigOverride.builder().prefillLoadScale(3).routerTemperature(5).build()))
        .containsExactly(worker(1), worker(2));
  }

  @Test
  void s1ShouldScoreAsConfiguredWhereOverridesAreSwitchedOff() {
    assertThat(
            chosenBy(
                KvRouterConfig.builder().scoringOverrides(false),
                RouterConfigOverride.builder().overlapScoreCredit(1.5).build()))
        .containsExactly(worker(1), worker(2));
  }

  @Test
  void shouldNotAskTheIndexForARequestWithoutCredit() {
    fixture.indexer.hold(worker(3), 4);
    RouterConfigOverride none = RouterConfigOverride.builder().overlapScoreCredit(0).build();

    assertThat(chosen(router, hints -> {}, none)).hasSize(5);
    assertThat(fixture.indexer.lookups()).isZero();
  }

  @Test
  void shouldBookWhatTheRequestSaysOfPrefillAndReuse() {
    RouterConfigOverride override =
        RouterConfigOverride.builder().trackPrefillTokens(false).assumeKvReuse(false).build();
    for (int i = 0; i < 2; i++) {
      router.trySelect(
          SchedulingRequest.builder("r" + i, tokens(0, 16))
              .routing(RoutingHints.builder().pinnedWorker(worker(3)).build())
              .configOverride(override)
              .build());
    }

    assertThat(router.load(worker(3))).isEqualTo(new WorkerLoad(0, 8, 2));
  }

  @ParameterizedTest
  @CsvSource({
    "overlap_score_credit, -1, overlap_score_credit must be a finite",
    "prefill_load_scale, NaN, prefill_load_scale must be finite and non-negative",
    "router_temperature, -0.5, router_temperature must be finite and non-negative",
    "overlap_score_weight, -1, overlap_score_weight must be a finite",
    "shared_cache_multiplier, 2, shared_cache_multiplier must be between 0 and 1"
  })
  void shouldRefuseAnOverrideOutOfRange(String name, double value, String message) {
    assertThatThrownBy(() -> RouterConfigOverride.fromMap(Map.of(name, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void shouldRefuseAnOverrideOfTheWrongTypeAndIgnoreOneOfAnotherName() {
    assertThatThrownBy(() -> RouterConfigOverride.fromMap(Map.of("assume_kv_reuse", "yes")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("assume_kv_reuse=yes");
    assertThat(RouterConfigOverride.fromMap(Map.of("bogus", 1)).isNone()).isTrue();
  }

  /* --------------- Speeds --------------- */

  @Test
  void shouldDivideThePartsOfTheCostByTheSpeedsOfARank() {
    KvRouter unequal =
        new RouterFixture(2)
            .builder()
            .speeds(
                new WorkerSpeeds() {
                  @Override
                  public double prefill(WorkerWithDpRank worker) {
                    return worker.workerId();
                  }

                  @Override
                  public double decode(WorkerWithDpRank worker) {
                    return 1;
                  }
                })
            .build();

    WorkerSelectionResult chosen = unequal.query(request("r", tokens(0, 16)));
    assertThat(chosen.worker()).isEqualTo(worker(2));
    assertThat(chosen.cost()).isEqualTo(4.0 / 2 + 4);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
  void shouldRefuseASpeedThatIsNotPositiveAndFinite(double speed) {
    WorkerCandidates candidates = WorkerCandidates.create();
    candidates.reset(8, 4, 2, true);
    candidates.add(worker(1), 0, 0, 0);

    assertThatThrownBy(() -> candidates.setSpeeds(0, speed, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("worker=1/0");
    assertThatThrownBy(() -> candidates.setCostFactor(0, speed))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /* --------------- Questions without a booking --------------- */

  @Test
  void shouldBookNothingForAQuestion() {
    router.query(request("r", tokens(0, 16)));
    router.potentialLoads(request("r", tokens(0, 16)));

    assertThat(router.bookingCount()).isZero();
  }

  @Test
  void shouldTellWhatEachRankWouldCarry() {
    fixture.indexer.hold(worker(3), 3);
    router.trySelect(RouterFixture.pinned("a", tokens(0, 10), worker(3)));

    assertThat(router.potentialLoads(request("r", tokens(0, 16))))
        .contains(
            new PotentialLoad(rank(1, 1), 16, 4, 0), new PotentialLoad(worker(3), 2 + 4, 4, 1))
        .hasSize(5);
  }

  private static WorkerWithDpRank rank(long workerId, int dpRank) {
    return new WorkerWithDpRank(workerId, dpRank);
  }
}
