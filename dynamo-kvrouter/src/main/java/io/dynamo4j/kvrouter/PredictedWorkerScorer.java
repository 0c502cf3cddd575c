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
  private static final double DEFAULT_BATCH_TOKENS = 8_192;

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
    Forecasts forecasts = candidates.forecasts();
    if (!forecasts.isPresent()) {
      throw new IllegalStateException(
          "candidates carry no forecast: request=" + request.key() + ", policy=kv-predicted");
    }
    boolean computes = candidates.tracksPrefillTokens();
    double miss = computes ? missTokens(candidates, row) : 0;
    double own =
        computes
            ? PrefillTimes.millis(forecasts.prefillMillis, forecasts.prefillMillisPerToken, miss)
            : 0;
    double delay =
        forecasts.capacityPrice * own
            + WAITING_WEIGHT * own * forecasts.waiting(row)
            + decodeStepsMillis(candidates, forecasts, row, miss);
    return memoryMillis(candidates, forecasts, row)
        + forecasts.queueMillis(row)
        + forecasts.slowdown(row) * delay;
  }

  private double missTokens(WorkerCandidates candidates, int row) {
    int cached =
        WorkerSelectionResult.cachedTokens(
            tiers.effectiveOverlapBlocks(candidates, row), candidates.blockSize());
    return missTokens(candidates.promptTokens(), cached, candidates.blockSize());
  }

  /** Returns the tokens that a rank computes: at least one, whatever it has cached. */
  static long missTokens(int promptTokens, int cachedTokens, int blockSize) {
    int reusable = promptTokens == 0 ? 0 : (promptTokens - 1) / blockSize * blockSize;
    return promptTokens - (long) Math.min(cachedTokens, reusable);
  }

  private double decodeStepsMillis(
      WorkerCandidates candidates, Forecasts forecasts, int row, double miss) {
    if (forecasts.decoding(row) == 0) {
      return 0;
    }
    double batch =
        candidates.batchTokens(row) > 0 ? candidates.batchTokens(row) : DEFAULT_BATCH_TOKENS;
    double steps = Math.ceil(miss / batch) + HALF_A_STEP;
    double capacity = (double) candidates.totalBlocks(row) * candidates.blockSize();
    double used = capacity > 0 ? Math.min(1, forecasts.bookedTokens(row) / capacity) : 0;
    return steps * (decodeMillis + decodeMillisFull * used);
  }

  private static double memoryMillis(WorkerCandidates candidates, Forecasts forecasts, int row) {
    long total = candidates.totalBlocks(row);
    if (total <= 0) {
      return 0;
    }
    double answers =
        ((double) forecasts.waiting(row) + forecasts.decoding(row) + 1)
            * (forecasts.outputTokens / candidates.blockSize());
    double occupancy =
        ((double) candidates.activeBlocks(row) + candidates.addedBlocks(row) + answers) / total;
    return MEMORY_WEIGHT * Math.max(0, occupancy - 1) * forecasts.residenceMillis;
  }
}
