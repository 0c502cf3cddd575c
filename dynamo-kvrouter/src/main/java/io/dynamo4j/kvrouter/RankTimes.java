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

  private int waiting;
  private int decoding;
  private long promptTokens;
  private double capacityTokens;
  private double pendingMillis;
  private double busyUntilMillis;
  private double lastEventMillis;
  private double observedMillis;
  private double predictedMillis;

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

  /** Sets how many tokens the rank holds, not positive if unknown. */
  void capacity(double tokens) {
    capacityTokens = tokens;
  }

  /** Returns the share of its tokens that bookings hold, 0 if unknown. */
  double used() {
    return capacityTokens > 0 ? Math.min(1, promptTokens / capacityTokens) : 0;
  }

  double observedMillis() {
    return observedMillis;
  }

  double predictedMillis() {
    return predictedMillis;
  }

  /** Returns how long the prefills ahead still take. */
  double queueMillis(double nowMillis) {
    return Math.max(0, busyUntilMillis - nowMillis);
  }

  /**
   * Returns by what this rank's prefills take longer than the fleet's.
   *
   * @param fleet observed over predicted time of all ranks
   */
  double slowdown(double fleet) {
    double ratio = ratio(fleet);
    return ratio > DEAD_BAND_FROM && ratio < DEAD_BAND_TO
        ? 1
        : Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, ratio));
  }

  private double ratio(double fleet) {
    return (observedMillis + PRIOR_MILLIS * fleet) / (predictedMillis + PRIOR_MILLIS) / fleet;
  }

  void booked(BookingTimes booking, double nowMillis, double fleet) {
    promptTokens += booking.promptTokens;
    if (booking.missTokens < 0) {
      decoding++;
      return;
    }
    booking.waiting = true;
    pendingMillis += booking.prefillMillis;
    alone = waiting == 0 ? booking : null;
    if (waiting++ == 0) {
      lastEventMillis = nowMillis;
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

  void freed(BookingTimes booking) {
    decoding--;
    promptTokens -= booking.promptTokens;
  }
}
