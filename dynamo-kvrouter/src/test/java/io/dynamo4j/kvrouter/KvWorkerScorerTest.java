// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.dynamo4j.core.model.WorkerWithDpRank;
import io.dynamo4j.core.token.TokenSlice;
import org.junit.jupiter.api.Test;

/** Figures that Dynamo's own tests assert. */
class KvWorkerScorerTest {
  private static final SchedulingRequest REQUEST =
      SchedulingRequest.builder("r", TokenSlice.empty()).build();

  private final WorkerCandidates candidates = WorkerCandidates.create();

  private void prompt(int tokens, int blockSize) {
    candidates.reset(tokens, blockSize, tokens / blockSize, true);
  }

  private int row(int device, int host, int disk) {
    return candidates.add(WorkerWithDpRank.of(candidates.size()), device, host, disk);
  }

  private double cost(KvRouterConfigBuilder config, int row) {
    return KvWorkerScorer.of(config.build()).cost(REQUEST, candidates, row);
  }

  @Test
  void shouldNotLetACreditBeyondThePromptMakeTheCostNegative() {
    prompt(64, 16);
    int row = row(6, 0, 0);
    candidates.setLoad(row, 16, 2, 3, 0);

    assertThat(cost(KvRouterConfig.builder().prefillLoadScale(2), row)).isEqualTo(7.0);
  }

  @Test
  void shouldAddRequestsInFlightByTheirWeight() {
    prompt(0, 16);
    int row = row(0, 0, 0);
    candidates.setLoad(row, 0, 100, 0, 4);

    assertThat(cost(KvRouterConfig.builder(), row)).isEqualTo(100);
    assertThat(cost(KvRouterConfig.builder().decodeActiveRequestWeight(32), row)).isEqualTo(228);
  }

  @Test
  void shouldTakeTheCreditOffDecodeBlocksWhenPrefillIsNotTracked() {
    candidates.reset(64, 16, 4, false);
    int row = row(3, 0, 0);
    candidates.setLoad(row, 0, 10, 0, 0);

    assertThat(cost(KvRouterConfig.builder(), row)).isEqualTo(7);
    assertThat(cost(KvRouterConfig.builder().overlapScoreCredit(0), row)).isEqualTo(10);
  }

  @Test
  void shouldScaleAfterTheCredit() {
    prompt(64, 16);
    int warm = row(2, 0, 0);
    int cold = row(0, 0, 0);
    candidates.setLoad(warm, 0, 3, 0, 0);
    candidates.setLoad(cold, 0, 0, 0, 0);

    assertThat(cost(KvRouterConfig.builder().prefillLoadScale(2), warm)).isEqualTo(7);
    assertThat(cost(KvRouterConfig.builder().prefillLoadScale(2), cold)).isEqualTo(8);
  }

  @Test
  void shouldPreferTheWarmWorkerOnlyAboveACreditOfOne() {
    prompt(128, 16);
    int warm = row(4, 0, 0);
    int cold = row(0, 0, 0);
    candidates.setLoad(warm, 0, 5, 0, 0);
    candidates.setLoad(cold, 0, 0, 0, 0);

    assertThat(cost(KvRouterConfig.builder(), warm)).isEqualTo(9);
    assertThat(cost(KvRouterConfig.builder(), cold)).isEqualTo(8);
    assertThat(cost(KvRouterConfig.builder().overlapScoreCredit(1.5), warm)).isEqualTo(7);
  }

  @Test
  void shouldHalveTheCreditOfAWorkerThatIsOneRequestBehind() {
    prompt(64, 16);
    int warm = row(2, 0, 0);
    int cold = row(0, 0, 0);
    candidates.setLoad(warm, 64, 0, 0, 0);
    candidates.setLoad(cold, 0, 0, 0, 0);

    assertThat(cost(KvRouterConfig.builder(), warm)).isEqualTo(8 - 2);
    assertThat(cost(KvRouterConfig.builder().overlapScoreCreditDecay(1), warm)).isEqualTo(8 - 1);
    assertThat(cost(KvRouterConfig.builder().overlapScoreCreditDecay(1), cold)).isEqualTo(4);
  }

  @Test
  void shouldFlipToTheColdWorkerWithDecay() {
    prompt(64, 16);
    int warm = row(4, 0, 0);
    int cold = row(0, 0, 0);
    candidates.setLoad(warm, 48, 0, 0, 0);
    candidates.setLoad(cold, 0, 0, 0, 0);

    assertThat(cost(KvRouterConfig.builder(), warm))
        .isLessThan(cost(KvRouterConfig.builder(), cold));
    assertThat(cost(KvRouterConfig.builder().overlapScoreCreditDecay(1), warm))
        .isGreaterThan(cost(KvRouterConfig.builder().overlapScoreCreditDecay(1), cold));
  }

  @Test
  void shouldDropTheCreditOfEveryTierWhenTheCreditIsZero() {
    prompt(64, 16);
    int row = row(1, 1, 1);
    candidates.setLoad(row, 0, 0, 0, 0);

    assertThat(cost(KvRouterConfig.builder(), row)).isEqualTo(4 - 1 - 0.75 - 0.25);
    assertThat(cost(KvRouterConfig.builder().overlapScoreCredit(0.001), row))
        .isCloseTo(4 - 0.001 - 0.75 - 0.25, within(1e-9));
    assertThat(cost(KvRouterConfig.builder().overlapScoreCredit(0), row)).isEqualTo(4);
  }

  @Test
  void shouldCostNothingToServeAnEmptyPromptOnAnIdleWorker() {
    prompt(0, 16);
    int row = row(0, 0, 0);

    assertThat(cost(KvRouterConfig.builder().overlapScoreCreditDecay(1), row)).isZero();
  }

  @Test
  void shouldCountUntrackedBlocksOnceInTheResult() {
    assertThat(potentialBlocks(32, 0, 0)).isEqualTo(102);
    assertThat(potentialBlocks(32, 2, 2)).isEqualTo(102);
    assertThat(potentialBlocks(32, 2, 0)).isEqualTo(100);
    assertThat(potentialBlocks(33, 2, 2)).isEqualTo(103);
  }

  private long potentialBlocks(int tokens, int tracked, int added) {
    candidates.reset(tokens, 16, tracked, true);
    int row = row(0, 0, 0);
    candidates.setLoad(row, 0, 100, added, 0);
    return WorkerSelectionResult.of(candidates, row, 0, 0).potentialDecodeBlocks();
  }
}
