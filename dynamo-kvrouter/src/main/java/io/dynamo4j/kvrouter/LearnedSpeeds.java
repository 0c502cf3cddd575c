// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import io.dynamo4j.core.model.WorkerWithDpRank;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How fast each rank is, relative to the fleet, from the times of its prefills and of its answers.
 *
 * <p>Prefills are compared with a line that is fitted to the times that a rank of mean speed would
 * have taken; line and speeds are learned from the same samples, each with the other's present
 * value. Steps of answers are compared with the line of decode steps that the configuration gives:
 * it needs to be right in shape only, its scale cancels out.
 *
 * <p>Answers tell far more: an answer is hundreds of steps of one kind, while long prompts, which
 * go to fast ranks, take longer than any line says, and short ones less. Both are added up by the
 * time they took, and one factor serves for prefill and decode. O(1) a sample.
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

  /** Steps below which the ends of an answer weigh too much. */
  private static final int MIN_STEPS = 8;

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
    double prefillMillis;
    double steps;
    double tokens;
    double betweenMillis;

    double answerMillis;
    double usualAnswerMillis;

    void fadePrefills() {
      prefillMillis *= FORGETTING;
      steps *= FORGETTING;
      tokens *= FORGETTING;
      betweenMillis *= FORGETTING;
    }

    void fadeAnswers() {
      answerMillis *= FORGETTING;
      usualAnswerMillis *= FORGETTING;
    }

    void add(Sums other, double times) {
      prefillMillis += times * other.prefillMillis;
      steps += times * other.steps;
      tokens += times * other.tokens;
      betweenMillis += times * other.betweenMillis;
      answerMillis += times * other.answerMillis;
      usualAnswerMillis += times * other.usualAnswerMillis;
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
    double between = decodes ? STEPS_BETWEEN * stepMillis(used) : 0;
    if (alone) {
      line.learn(missTokens, Math.max(0, tookMillis * prefill(worker) - between));
    }
    Sums sums = sumsOf(worker);
    fleet.add(sums, -1);
    sums.fadePrefills();
    sums.prefillMillis += tookMillis;
    sums.tokens += missTokens;
    if (tookMillis > 0) {
      // What ends with another prompt was computed in the same step, whose fixed part counts once.
      sums.steps++;
      sums.betweenMillis += between;
    }
    fleet.add(sums, 1);
  }

  /**
   * Learns from an answer that has ended.
   *
   * @param steps tokens after the first, without those that came while prompts waited at the rank;
   *     few or none teach nothing, as with a host that does not report its answers' tokens
   * @param tookMillis time since the first token in which no prompt waited
   * @param used mean share of the rank's tokens that bookings held in that time
   */
  void learnAnswer(WorkerWithDpRank worker, double steps, double tookMillis, double used) {
    if (!(steps >= MIN_STEPS && tookMillis > 0)) {
      return;
    }
    Sums sums = sumsOf(worker);
    fleet.add(sums, -1);
    sums.fadeAnswers();
    sums.answerMillis += tookMillis;
    sums.usualAnswerMillis += steps * stepMillis(used);
    fleet.add(sums, 1);
  }

  private Sums sumsOf(WorkerWithDpRank worker) {
    return ranks.computeIfAbsent(worker, rank -> new Sums());
  }

  private double stepMillis(double used) {
    return decodeMillis + decodeMillisFull * used;
  }

  /** Forgets a rank, and adds up anew, so that no rounding is left of ranks that come and go. */
  void remove(WorkerWithDpRank worker) {
    ranks.remove(worker);
    fleet = new Sums();
    ranks.values().forEach(sums -> fleet.add(sums, 1));
  }

  /** Returns what a rank of mean speed would have taken over what the rank took. */
  @Override
  public double prefill(WorkerWithDpRank worker) {
    Sums sums = ranks.get(worker);
    if (sums == null) {
      return 1;
    }
    double expected = PRIOR_MILLIS;
    double observed = PRIOR_MILLIS;
    double linePrefills = linePrefills(fleet);
    if (fleet.prefillMillis > 0 && linePrefills > 0) {
      expected += linePrefills(sums) * fleet.prefillMillis / linePrefills;
      observed += sums.prefillMillis;
    }
    if (fleet.answerMillis > 0 && fleet.usualAnswerMillis > 0) {
      expected += sums.usualAnswerMillis * fleet.answerMillis / fleet.usualAnswerMillis;
      observed += sums.answerMillis;
    }
    return Math.min(MAX_SPEED, Math.max(MIN_SPEED, expected / observed));
  }

  @Override
  public double decode(WorkerWithDpRank worker) {
    return prefill(worker);
  }

  /** Returns what a rank of mean speed takes for the prefills. */
  private double linePrefills(Sums sums) {
    return line.fixedMillis() * sums.steps
        + line.millisPerToken() * sums.tokens
        + sums.betweenMillis;
  }
}
