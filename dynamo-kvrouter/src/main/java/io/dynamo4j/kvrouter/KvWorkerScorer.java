// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.Objects;

/**
 * Dynamo's cost of a rank, in blocks: uncached prefill work plus resident decode blocks.
 *
 * <pre>
 * prefill tokens = active + max(prompt, cached)                    0 where prefill is not tracked
 * credit         = credit·decay·device + host·w_host + disk·w_disk 0 where the credit is 0
 * decay          = 1 / (1 + d·x), x = backlog beyond the least loaded candidate, in requests
 * cost           = scale · max(0, prefill tokens / block size − credit)
 *                + active blocks + added blocks + w_request · active requests
 * </pre>
 *
 * <p>Where ranks have speeds, the first line of the cost is divided by the speed of prefill, the
 * second by that of decode.
 *
 * <p>Where prefill is not tracked and the credit is not 0 the credit comes off the decode blocks
 * instead.
 *
 * <p><b>Source.</b> The cost formula of Dynamo 1.6.1; agrees with its recorded decisions.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class KvWorkerScorer implements WorkerScorer {
  private final KvRouterConfig config;

  private KvWorkerScorer(KvRouterConfig config) {
    this.config = Objects.requireNonNull(config, "config");
  }

  public static KvWorkerScorer of(KvRouterConfig config) {
    return new KvWorkerScorer(config);
  }

  @Override
  public double cost(SchedulingRequest request, WorkerCandidates candidates, int row) {
    return forRequest(request).cost(candidates, row, baseline(candidates));
  }

  /** Returns the scorer of a request that changes weights. */
  KvWorkerScorer forRequest(SchedulingRequest request) {
    RouterConfigOverride override = request.configOverride();
    return override.changesScoring() ? new KvWorkerScorer(override.applyTo(config)) : this;
  }

  /** Returns the backlog that decay counts from; 0 where nothing decays. */
  long baseline(WorkerCandidates candidates) {
    return config.overlapScoreCreditDecay() > 0 ? candidates.minActivePrefillTokens() : 0;
  }

  /**
   * Adds each row's {@link #cost}, bit for bit, with what all rows share computed once.
   *
   * @param costs one for each row
   */
  void addCosts(WorkerCandidates candidates, double[] costs) {
    int count = candidates.size();
    if (isPlain(candidates)) {
      addPlainCosts(candidates, costs, count);
      return;
    }
    // The baseline of decay is one pass over all rows.
    long baseline = baseline(candidates);
    for (int row = 0; row < count; row++) {
      costs[row] += cost(candidates, row, baseline);
    }
  }

  /** Returns whether terms that most decisions do not have are absent. */
  private boolean isPlain(WorkerCandidates candidates) {
    return candidates.tracksPrefillTokens()
        && !candidates.hasSpeeds()
        && !candidates.hasLowerTiers()
        && config.overlapScoreCreditDecay() == 0;
  }

  /**
   * What {@link #cost} leaves where nothing is divided by 1, multiplied with 1 or added to 0. Whole
   * numbers are added as such, which is exact either way, because on many processors to convert one
   * costs more than to add it; a block size that is a power of two is multiplied with.
   */
  private void addPlainCosts(WorkerCandidates candidates, double[] costs, int count) {
    double overlapCredit = config.overlapScoreCredit();
    double scale = config.prefillLoadScale();
    double requestWeight = config.decodeActiveRequestWeight();
    long promptTokens = candidates.promptTokens();
    int blockSize = candidates.blockSize();
    boolean isPower = Integer.bitCount(blockSize) == 1;
    double perToken = 1.0 / blockSize;
    for (int row = 0; row < count; row++) {
      int device = candidates.deviceBlocks(row);
      long held = Math.max(promptTokens, (long) device * blockSize);
      double tokens = (double) (candidates.activePrefillTokens(row) + held);
      double prefillBlocks = isPower ? tokens * perToken : tokens / blockSize;
      double missing = prefillBlocks - overlapCredit * device;
      double prefill = missing > 0 ? scale * missing : 0;
      double decode = (double) (candidates.activeBlocks(row) + candidates.addedBlocks(row));
      double requests = requestWeight == 0 ? 0 : requestWeight * candidates.activeRequests(row);
      costs[row] += prefill + decode + requests;
    }
  }

  double cost(WorkerCandidates candidates, int row, long baseline) {
    double credit = creditBlocks(candidates, row, baseline);
    double decode = (double) candidates.activeBlocks(row) + candidates.addedBlocks(row);
    double requests = config.decodeActiveRequestWeight() * candidates.activeRequests(row);
    if (!candidates.tracksPrefillTokens() && config.overlapScoreCredit() > 0) {
      return (Math.max(0, decode - credit) + requests) / candidates.decodeSpeed(row);
    }
    double prefill =
        config.prefillLoadScale() * Math.max(0, prefillBlocks(candidates, row) - credit);
    double speed = candidates.decodeSpeed(row);
    return prefill / candidates.prefillSpeed(row) + decode / speed + requests / speed;
  }

  /** Returns cached blocks weighted by tier; a device block counts 1 whatever the credit. */
  double effectiveOverlapBlocks(WorkerCandidates candidates, int row) {
    return candidates.deviceBlocks(row)
        + config.hostCacheHitWeight() * candidates.hostBlocks(row)
        + config.diskCacheHitWeight() * candidates.diskBlocks(row);
  }

  private double prefillBlocks(WorkerCandidates candidates, int row) {
    if (!candidates.tracksPrefillTokens()) {
      return 0;
    }
    int cached =
        WorkerSelectionResult.cachedTokens(
            effectiveOverlapBlocks(candidates, row), candidates.blockSize());
    long tokens = candidates.activePrefillTokens(row) + Math.max(candidates.promptTokens(), cached);
    return (double) tokens / candidates.blockSize();
  }

  private double creditBlocks(WorkerCandidates candidates, int row, long baseline) {
    if (config.overlapScoreCredit() == 0) {
      return 0;
    }
    return config.overlapScoreCredit()
            * decay(candidates, row, baseline)
            * candidates.deviceBlocks(row)
        + config.hostCacheHitWeight() * candidates.hostBlocks(row)
        + config.diskCacheHitWeight() * candidates.diskBlocks(row);
  }

  private double decay(WorkerCandidates candidates, int row, long baseline) {
    double rate = config.overlapScoreCreditDecay();
    if (rate == 0 || !candidates.tracksPrefillTokens() || candidates.promptTokens() == 0) {
      return 1;
    }
    double excessBlocks =
        (double) (candidates.activePrefillTokens(row) - baseline) / candidates.blockSize();
    return 1 / (1 + rate * (excessBlocks / candidates.promptBlocks()));
  }
}
