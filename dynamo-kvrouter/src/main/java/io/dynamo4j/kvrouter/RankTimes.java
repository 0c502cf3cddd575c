// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import org.jspecify.annotations.Nullable;

/**
 * What the prediction knows of one rank: the prefills ahead of a newcomer, who decodes, and how the
 * rank's prefills compare with what was predicted for them. O(1) a step.
 *
 * <p><b>Threads.</b> Belongs to the router's lock.
 */
final class RankTimes {
  private static final double FORGETTING = 0.98;
  private static final double PRIOR_MILLIS = 1_000;
  private static final double MIN_FACTOR = 0.25;
  private static final double MAX_FACTOR = 8;
  private static final double DEAD_BAND_FROM = 0.7;
  private static final double DEAD_BAND_TO = 1.4;
  private static final double SURE_FROM = DEAD_BAND_FROM + 1e-6;
  private static final double SURE_TO = DEAD_BAND_TO - 1e-6;

  private static final double CALM_FROM = 0.75;
  private static final double CALM_TO = 1.3;

  /** What a prompt on average finds left of the step that it meets. */
  private static final double STEP_UNDER_WAY = 0.5;

  private int waiting;
  private int decoding;
  private long promptTokens;
  private long capacityBlocks;
  private double capacityTokens;
  private double used;
  private double pendingMillis;
  private double busyUntilMillis;
  private double lastEventMillis;
  private double observedMillis;
  private double predictedMillis;
  private double asOfMillis;
  private double quietMillis;
  private double quietUsedMillis;
  private double busySteps;

  /** Where a {@link ForecastTable} has the rank, negative if nowhere. */
  int place = -1;

  /** Whether the rank has left; nothing of its bookings counts any more. */
  boolean gone;

  /** The booking that has had the rank's prefill for itself so far, if there is one. */
  private @Nullable BookingTimes alone;

  /** Returns bookings whose prompt is not computed yet. */
  int waiting() {
    return waiting;
  }

  /** Returns bookings beyond their first token. */
  int decoding() {
    return decoding;
  }

  /** Returns the prompt tokens of all bookings. */
  long promptTokens() {
    return promptTokens;
  }

  /**
   * Sets how many blocks the rank holds, not positive if unknown.
   *
   * @return whether that is news
   */
  boolean capacity(long blocks, int blockSize) {
    if (blocks == capacityBlocks) {
      return false;
    }
    capacityBlocks = blocks;
    capacityTokens = (double) blocks * blockSize;
    holds(0);
    return true;
  }

  /** Returns the share of its tokens that bookings hold, 0 if unknown. */
  double used() {
    return used;
  }

  /** Adds prompt tokens; divides here, once a booking, and not in every decision. */
  private void holds(long moreTokens) {
    promptTokens += moreTokens;
    used = capacityTokens > 0 ? Math.min(1, promptTokens / capacityTokens) : 0;
  }

  double observedMillis() {
    return observedMillis;
  }

  double predictedMillis() {
    return predictedMillis;
  }

  /** Returns when the prefills ahead end. */
  double busyUntilMillis() {
    return busyUntilMillis;
  }

  /** Returns how long the prefills ahead still take. */
  double queueMillis(double nowMillis) {
    return busyUntilMillis > nowMillis ? busyUntilMillis - nowMillis : 0;
  }

  /**
   * Returns by what this rank's prefills take longer than the fleet's.
   *
   * @param fleet observed over predicted time of all ranks
   */
  double slowdown(double fleet) {
    double observed = observedMillis + PRIOR_MILLIS * fleet;
    double predicted = (predictedMillis + PRIOR_MILLIS) * fleet;
    // Well inside the band, where most ranks are, nothing is divided: one test a rank and decision.
    if (observed > SURE_FROM * predicted && observed < SURE_TO * predicted) {
      return 1;
    }
    double ratio = ratio(fleet);
    return ratio > DEAD_BAND_FROM && ratio < DEAD_BAND_TO
        ? 1
        : Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, ratio));
  }

  /**
   * Returns whether {@link #slowdown} is 1 whatever the fleet's figure is within a twentieth of
   * this one: (x + c) / y divided by 0.95 and by 1.05 stays in 0.7 to 1.4 from 0.75 to 1.3.
   */
  boolean isCalm(double fleet) {
    double observed = observedMillis + PRIOR_MILLIS * fleet;
    double predicted = (predictedMillis + PRIOR_MILLIS) * fleet;
    return observed > CALM_FROM * predicted && observed < CALM_TO * predicted;
  }

  private double ratio(double fleet) {
    return (observedMillis + PRIOR_MILLIS * fleet) / (predictedMillis + PRIOR_MILLIS) / fleet;
  }

  /** Counts the time until now, before anything changes. */
  void advance(double nowMillis) {
    double passed = nowMillis - asOfMillis;
    if (passed > 0) {
      asOfMillis = nowMillis;
      if (waiting == 0) {
        quietMillis += passed;
        quietUsedMillis += passed * used;
      }
    }
  }

  /** Returns how long no prompt has waited, since the rank is known; as of the last event. */
  double quietMillis() {
    return quietMillis;
  }

  /** Returns the same time, each moment by the share of the rank's tokens then in use. */
  double quietUsedMillis() {
    return quietUsedMillis;
  }

  /** Returns about how many steps have ended while prompts waited. */
  double busySteps() {
    return busySteps;
  }

  void booked(BookingTimes booking, double nowMillis, double fleet) {
    advance(nowMillis);
    holds(booking.promptTokens);
    if (booking.missTokens < 0) {
      decoding++;
      return;
    }
    booking.waiting = true;
    pendingMillis += booking.prefillMillis;
    alone = waiting == 0 ? booking : null;
    if (waiting++ == 0) {
      lastEventMillis = nowMillis;
      busySteps += STEP_UNDER_WAY;
    }
    busyUntilMillis =
        Math.max(busyUntilMillis, nowMillis) + booking.prefillMillis * slowdown(fleet);
  }

  /** Returns whether the booking's prefill met no other one on this rank. */
  boolean wasAlone(BookingTimes booking) {
    return alone == booking;
  }

  /** Returns the time that a first token took, since the one before it or since idleness. */
  double tookMillis(double nowMillis) {
    return Math.max(0, nowMillis - lastEventMillis);
  }

  /** Counts the time that a first token took. */
  void observe(BookingTimes booking, double took) {
    observedMillis = observedMillis * FORGETTING + took;
    predictedMillis = predictedMillis * FORGETTING + booking.prefillMillis;
  }

  /** Takes a prompt out of the queue: it has its first token, or will never have one. */
  void prefillEnded(BookingTimes booking, double nowMillis, double fleet) {
    advance(nowMillis);
    // First tokens of one instant are of one step.
    busySteps += nowMillis > lastEventMillis ? 1 : 0;
    booking.waiting = false;
    waiting--;
    decoding++;
    // A sum of fractions drifts; without prompts it is exactly 0.
    pendingMillis = waiting == 0 ? 0 : Math.max(0, pendingMillis - booking.prefillMillis);
    lastEventMillis = nowMillis;
    busyUntilMillis = nowMillis + pendingMillis * slowdown(fleet);
    if (alone == booking) {
      alone = null;
    }
  }

  void freed(BookingTimes booking, double nowMillis) {
    advance(nowMillis);
    decoding--;
    holds(-booking.promptTokens);
  }
}
