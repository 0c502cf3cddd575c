// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.Objects;

/**
 * The time until the request's first token if it went to a rank, in milliseconds, and what it costs
 * those who come after it.
 *
 * <pre>
 * miss = prompt − block size · min(cached blocks, ⌊(prompt − 1) / block size⌋)
 * T    = a + b·miss                                        own prefill, as learned
 * Q    = prefill work ahead, as learned                    queueMillis
 * D    = (⌈miss / batch⌉ + ½)·(d0 + d1·booked / capacity)  decode steps between, if any decode
 * M    = 3·max(0, occupancy − 1)·residence                 wait for memory
 * S    = price of prefill capacity                         1 where nobody waits, at most 6
 * cost = M + Q + slowdown·(S·T + ½·T·waiting + D)
 * </pre>
 *
 * <p>Occupancy counts the blocks that are held, those that the request adds and an answer of mean
 * length for each request. Where a rank's capacity is unknown M and the second part of D are 0.
 * Blocks in lower tiers count by the configuration's weights.
 *
 * <p>Where prompts do not count as load the request computes none: T and miss are 0.
 *
 * <p>It needs the figures that a router with {@link KvPolicy#KV_PREDICTED} keeps.
 *
 * <p><b>Threads.</b> Immutable. <b>Cost.</b> O(1), about 25 floating-point operations.
 */
public final class PredictedWorkerScorer implements WorkerScorer {
  private static final double MEMORY_WEIGHT = 3;
  private static final double WAITING_WEIGHT = 0.5;
  private static final double HALF_A_STEP = 0.5;
  private static final double ONE_STEP = 1.5;
  private static final long DEFAULT_BATCH_TOKENS = 8_192;

  private final KvRouterConfig config;
  private final KvWorkerScorer tiers;
  private final double decodeMillis;
  private final double decodeMillisFull;

  private PredictedWorkerScorer(KvRouterConfig config, PredictionConfig prediction) {
    this.config = Objects.requireNonNull(config, "config");
    this.tiers = KvWorkerScorer.of(config);
    this.decodeMillis = prediction.decodeMillis();
    this.decodeMillisFull = prediction.decodeMillisFull();
  }

  /**
   * Returns a scorer.
   *
   * @param config weights of tiers
   * @param prediction the line of decode steps
   */
  public static PredictedWorkerScorer of(KvRouterConfig config, PredictionConfig prediction) {
    return new PredictedWorkerScorer(config, prediction);
  }

  /** Returns the whole policy: this cost, the cheapest rank, ties uniform. */
  WorkerSelector selector() {
    return DefaultWorkerSelector.builder(config)
        .scorer(this)
        .picker(TemperaturePicker.of(0))
        .build();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if the candidates carry no forecast
   */
  @Override
  public double cost(SchedulingRequest request, WorkerCandidates candidates, int row) {
    Forecasts forecasts = requireForecasts(request, candidates);
    return cost(candidates, forecasts, row, reusableTokens(candidates), answerBlocks(candidates));
  }

  /**
   * Adds each row's {@link #cost}, bit for bit, with what all rows share computed once.
   *
   * @param costs one for each row
   */
  void addCosts(SchedulingRequest request, WorkerCandidates candidates, double[] costs) {
    Forecasts forecasts = requireForecasts(request, candidates);
    int reusable = reusableTokens(candidates);
    double answerBlocks = answerBlocks(candidates);
    int count = candidates.size();
    if (candidates.tracksPrefillTokens()
        && !candidates.hasLowerTiers()
        && forecasts.tellsUse()
        && candidates.promptTokens() > 0) {
      addPlainCosts(candidates, forecasts, costs, reusable, answerBlocks);
      return;
    }
    for (int row = 0; row < count; row++) {
      costs[row] += cost(candidates, forecasts, row, reusable, answerBlocks);
    }
  }

  /**
   * As {@link #cost} for whole cached blocks and known shares, in numbers that need no conversion
   * and without branches that chance decides: on many processors one of either costs more than the
   * sums. What a rank holds is compared in blocks first, rounded up, and nearly always fits.
   */
  private void addPlainCosts(
      WorkerCandidates candidates,
      Forecasts forecasts,
      double[] costs,
      int reusable,
      double answerBlocks) {
    ForecastColumns columns = forecasts.columns();
    double now = forecasts.nowMillis();
    int blockSize = candidates.blockSize();
    int reusableBlocks = reusable / blockSize;
    long roundedAnswer = (long) Math.ceil(answerBlocks);
    double price = forecasts.capacityPrice;
    int lastBlocks = Integer.MIN_VALUE;
    int miss = 0;
    double own = 0;
    int count = candidates.size();
    for (int row = 0; row < count; row++) {
      int blocks = Math.min(candidates.deviceBlocks(row), reusableBlocks);
      if (blocks != lastBlocks) {
        lastBlocks = blocks;
        miss = candidates.promptTokens() - blocks * blockSize;
        own = PrefillTimes.millis(forecasts.prefillMillis, forecasts.prefillMillisPerToken, miss);
      }
      double stepMillis = decodeMillis + decodeMillisFull * columns.used[row];
      double delay =
          price * own
              + WAITING_WEIGHT * own * columns.waitingNumber[row]
              + steps(miss, candidates.batchTokens(row)) * stepMillis * columns.anyDecoding[row];
      long answers = ((long) columns.waiting[row] + columns.decoding[row] + 1) * roundedAnswer;
      long held = candidates.activeBlocks(row) + candidates.addedBlocks(row) + answers;
      double memory =
          held > candidates.totalBlocks(row)
              ? memoryMillis(candidates, forecasts, row, answerBlocks)
              : 0;
      double queue = Math.max(0, columns.busyUntilMillis[row] - now);
      costs[row] += memory + queue + columns.slowdown[row] * delay;
    }
  }

  private static double steps(int miss, long batchTokens) {
    long batch = batchTokens > 0 ? batchTokens : DEFAULT_BATCH_TOKENS;
    return miss <= batch ? ONE_STEP : Math.ceil((double) miss / batch) + HALF_A_STEP;
  }

  private static Forecasts requireForecasts(
      SchedulingRequest request, WorkerCandidates candidates) {
    Forecasts forecasts = candidates.forecasts();
    if (!forecasts.isPresent()) {
      throw new IllegalStateException(
          "candidates carry no forecast: request=" + request.key() + ", policy=kv-predicted");
    }
    return forecasts;
  }

  private double cost(
      WorkerCandidates candidates,
      Forecasts forecasts,
      int row,
      int reusable,
      double answerBlocks) {
    double miss = 0;
    double own = 0;
    if (candidates.tracksPrefillTokens()) {
      miss = missTokens(candidates, row, reusable);
      own = PrefillTimes.millis(forecasts.prefillMillis, forecasts.prefillMillisPerToken, miss);
    }
    double delay =
        forecasts.capacityPrice * own
            + WAITING_WEIGHT * own * forecasts.waiting(row)
            + decodeStepsMillis(candidates, forecasts, row, miss);
    return memoryMillis(candidates, forecasts, row, answerBlocks)
        + forecasts.queueMillis(row)
        + forecasts.slowdown(row) * delay;
  }

  private double missTokens(WorkerCandidates candidates, int row, int reusable) {
    int cached =
        WorkerSelectionResult.cachedTokens(
            tiers.effectiveOverlapBlocks(candidates, row), candidates.blockSize());
    return candidates.promptTokens() - (double) Math.min(cached, reusable);
  }

  /** Returns the tokens that a rank computes: at least one, whatever it has cached. */
  static long missTokens(int promptTokens, int cachedTokens, int blockSize) {
    return promptTokens - (long) Math.min(cachedTokens, reusableTokens(promptTokens, blockSize));
  }

  private static int reusableTokens(WorkerCandidates candidates) {
    return reusableTokens(candidates.promptTokens(), candidates.blockSize());
  }

  private static int reusableTokens(int promptTokens, int blockSize) {
    return promptTokens == 0 ? 0 : (promptTokens - 1) / blockSize * blockSize;
  }

  private static double answerBlocks(WorkerCandidates candidates) {
    return candidates.forecasts().outputTokens / candidates.blockSize();
  }

  private double decodeStepsMillis(
      WorkerCandidates candidates, Forecasts forecasts, int row, double miss) {
    if (forecasts.decoding(row) == 0) {
      return 0;
    }
    double batch =
        candidates.batchTokens(row) > 0 ? candidates.batchTokens(row) : DEFAULT_BATCH_TOKENS;
    double steps = (miss <= batch ? (miss > 0 ? 1 : 0) : Math.ceil(miss / batch)) + HALF_A_STEP;
    double capacity = (double) candidates.totalBlocks(row) * candidates.blockSize();
    double booked = forecasts.bookedTokens(row);
    double used = capacity > 0 ? (booked < capacity ? booked / capacity : 1) : 0;
    return steps * (decodeMillis + decodeMillisFull * used);
  }

  private static double memoryMillis(
      WorkerCandidates candidates, Forecasts forecasts, int row, double answerBlocks) {
    long total = candidates.totalBlocks(row);
    if (total <= 0) {
      return 0;
    }
    double answers = ((double) forecasts.waiting(row) + forecasts.decoding(row) + 1) * answerBlocks;
    double held = (double) candidates.activeBlocks(row) + candidates.addedBlocks(row) + answers;
    return held > total ? MEMORY_WEIGHT * (held / total - 1) * forecasts.residenceMillis : 0;
  }
}
