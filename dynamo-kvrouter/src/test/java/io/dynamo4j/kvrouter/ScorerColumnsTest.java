// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.runtime.RandomSource;
import org.junit.jupiter.api.Test;

/** Costs of all rows at once are those of each row alone, bit for bit. */
class ScorerColumnsTest {
  private static final int BLOCK = 16;
  private static final int DECISIONS = 3_000;

  private final RandomSource random = RandomSource.seeded(11);
  private final WorkerCandidates rows = WorkerCandidates.create();
  private final SchedulingRequest request = RouterFixture.request("r", RouterFixture.tokens(0, 1));

  /** Rows as decisions see them, and now and then rows with whatever a decision may have. */
  private void fill() {
    int promptTokens = random.nextInt(4) == 0 ? random.nextInt(3) : random.nextInt(20_000);
    rows.reset(promptTokens, BLOCK, promptTokens / BLOCK, random.nextInt(5) > 0);
    boolean isRare = random.nextInt(3) == 0;
    int count = 1 + random.nextInt(40);
    for (int i = 0; i < count; i++) {
      int device = random.nextInt(promptTokens / BLOCK + 2);
      int lower = isRare ? random.nextInt(3) : 0;
      int row = rows.add(WorkerWithDpRank.of(i), device, lower, lower);
      rows.setLoad(row, random.nextInt(100_000), random.nextInt(9_000), random.nextInt(700), i % 7);
      if (random.nextInt(4) > 0) {
        rows.setCapacity(row, 4_096L * random.nextInt(3), 2_048L * random.nextInt(3));
      }
      if (isRare) {
        rows.setSpeeds(row, 0.5 + random.nextDouble(), 0.5 + random.nextDouble());
      }
    }
  }

  private void forecast() {
    Forecasts forecasts = rows.forecasts();
    forecasts.reset(rows.size());
    forecasts.setFleet(
        new FleetForecast(
            random.nextDouble() * 20,
            random.nextDouble() / 10,
            1 + random.nextInt(3),
            random.nextDouble() * 500,
            random.nextDouble() * 5_000));
    boolean tellsUse = random.nextInt(4) > 0;
    for (int row = 0; row < rows.size(); row++) {
      long booked = random.nextInt(90_000);
      double slowdown = random.nextInt(3) == 0 ? random.nextDouble() * 3 : 1;
      forecasts.set(
          row,
          random.nextInt(2) * random.nextDouble() * 900,
          random.nextInt(2) * random.nextInt(40),
          random.nextInt(2) * random.nextInt(40),
          booked,
          slowdown);
      if (tellsUse) {
        RankTimes rank = new RankTimes();
        rank.capacity(rows.totalBlocks(row), BLOCK);
        rank.booked(new BookingTimes(rank, 1, booked, 1, 0), 0, 1);
        forecasts.setUsed(row, rank.used());
      }
    }
  }

  private void compare(WorkerScorer scorer, double[] costs) {
    for (int row = 0; row < rows.size(); row++) {
      assertThat(costs[row]).isEqualTo(scorer.cost(request, rows, row));
    }
  }

  @Test
  void shouldCostTheSameByColumnsWithKv() {
    for (int i = 0; i < DECISIONS; i++) {
      fill();
      compareKv(
          KvRouterConfig.builder()
              .overlapScoreCredit(random.nextInt(3) / 2.0)
              .overlapScoreCreditDecay(random.nextInt(4) == 0 ? 0.5 : 0)
              .prefillLoadScale(random.nextInt(3))
              .build());
    }
  }

  private void compareKv(KvRouterConfig config) {
    KvWorkerScorer scorer = KvWorkerScorer.of(config);
    double[] costs = new double[rows.size()];
    scorer.addCosts(rows, costs);
    compare(scorer, costs);
  }

  @Test
  void shouldCostTheSameByColumnsWithKvPredicted() {
    PredictedWorkerScorer scorer =
        PredictedWorkerScorer.of(KvRouterConfig.ofDefaults(), PredictionConfig.ofDefaults());
    for (int i = 0; i < DECISIONS; i++) {
      fill();
      forecast();
      double[] costs = new double[rows.size()];
      scorer.addCosts(request, rows, costs);
      compare(scorer, costs);
    }
  }

  /** What a sum in another order would give. */
  @Test
  void shouldCatchACostThatIsOffByABit() {
    fill();
    KvWorkerScorer scorer = KvWorkerScorer.of(KvRouterConfig.ofDefaults());
    double[] costs = new double[rows.size()];
    scorer.addCosts(rows, costs);
    costs[0] = Math.nextUp(costs[0]);

    assertThatThrownBy(() -> compare(scorer, costs)).isInstanceOf(AssertionError.class);
  }
}
