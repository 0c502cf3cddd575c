// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How fast each rank is, relative to the fleet, from the times of its prefills against a line that
 * is fitted to the times that a rank of mean speed would have taken.
 *
 * <p>Line and speeds are learned from the same samples, each with the other's present value; the
 * speeds that go into the line are those relative to the fleet, so that neither drifts.
 *
 * <p>One factor serves for prefill and decode. O(1) a sample.
 *
 * <p><b>Threads.</b> Belongs to the router's lock.
 */
final class LearnedSpeeds implements WorkerSpeeds {
  private static final double FORGETTING = 0.99;

  /** Quick, because what was learned with wrong speeds is wrong itself. */
  private static final double LINE_FORGETTING = 0.97;

  private static final double PRIOR_MILLIS = 100;
  private static final double MIN_SPEED = 1.0 / 16;
  private static final double MAX_SPEED = 16;

  private static final double STEPS_BETWEEN = 1.5;

  private final PrefillTimes line;
  private final double decodeMillis;
  private final double decodeMillisFull;
  private final Map<WorkerWithDpRank, Sums> ranks = new LinkedHashMap<>();
  private Sums fleet = new Sums();

  LearnedSpeeds(PredictionConfig config) {
    this.line =
        new PrefillTimes(config.prefillMillis(), config.prefillMillisPerToken(), LINE_FORGETTING);
    this.decodeMillis = config.decodeMillis();
    this.decodeMillisFull = config.decodeMillisFull();
  }

  /** What was seen, so that what the line says of it now can be asked at any time. */
  private static final class Sums {
    double observedMillis;
    double steps;
    double tokens;
    double decodeMillis;

    void fade(double part) {
      observedMillis *= part;
      steps *= part;
      tokens *= part;
      decodeMillis *= part;
    }

    void add(Sums other, double times) {
      observedMillis += times * other.observedMillis;
      steps += times * other.steps;
      tokens += times * other.tokens;
      decodeMillis += times * other.decodeMillis;
    }
  }

  /**
   * Learns from a first token.
   *
   * @param tookMillis time since the rank's first token before this one, or since it was idle
   * @param alone whether the rank had no other prompt meanwhile
   * @param decodes whether decode steps came between
   * @param used share of the rank's tokens that bookings hold
   */
  void learn(
      WorkerWithDpRank worker,
      long missTokens,
      double tookMillis,
      boolean alone,
      boolean decodes,
      double used) {
    double between = decodes ? STEPS_BETWEEN * (decodeMillis + decodeMillisFull * used) : 0;
    if (alone) {
      line.learn(missTokens, Math.max(0, tookMillis * prefill(worker) - between));
    }
    Sums sums = ranks.computeIfAbsent(worker, rank -> new Sums());
    fleet.add(sums, -1);
    sums.fade(FORGETTING);
    sums.observedMillis += tookMillis;
    sums.tokens += missTokens;
    if (tookMillis > 0) {
      // What ends with another prompt was computed in the same step, whose fixed part counts once.
      sums.steps++;
      sums.decodeMillis += between;
    }
    fleet.add(sums, 1);
  }

  /** Forgets a rank, and adds up anew, so that no rounding is left of ranks that come and go. */
  void remove(WorkerWithDpRank worker) {
    ranks.remove(worker);
    fleet = new Sums();
    ranks.values().forEach(sums -> fleet.add(sums, 1));
  }

  private double predictedMillis(Sums sums) {
    return line.fixedMillis() * sums.steps
        + line.millisPerToken() * sums.tokens
        + sums.decodeMillis;
  }

  @Override
  public double prefill(WorkerWithDpRank worker) {
    Sums sums = ranks.get(worker);
    double all = predictedMillis(fleet);
    if (sums == null || !(fleet.observedMillis > 0 && all > 0)) {
      return 1;
    }
    double usual = fleet.observedMillis / all;
    double speed =
        (predictedMillis(sums) + PRIOR_MILLIS)
            * usual
            / (sums.observedMillis + PRIOR_MILLIS * usual);
    return Math.min(MAX_SPEED, Math.max(MIN_SPEED, speed));
  }

  @Override
  public double decode(WorkerWithDpRank worker) {
    return prefill(worker);
  }
}
