// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * What the prediction remembers of one living booking.
 *
 * <p><b>Threads.</b> Belongs to the router's lock.
 */
final class BookingTimes {
  final RankTimes rank;

  /** Prompt tokens that the rank has to compute; negative where the rank computes no prompt. */
  final long missTokens;

  final long promptTokens;

  /** What the prompt was predicted to take on a rank of mean speed. */
  final double prefillMillis;

  final double bookedMillis;
  double firstTokenMillis = Double.NaN;

  // What the rank had counted by the first token.
  private double quietMillisBefore;
  private double quietUsedMillisBefore;
  private double busyStepsBefore;

  boolean waiting;

  BookingTimes(
      RankTimes rank,
      long missTokens,
      long promptTokens,
      double prefillMillis,
      double bookedMillis) {
    this.rank = rank;
    this.missTokens = missTokens;
    this.promptTokens = promptTokens;
    this.prefillMillis = prefillMillis;
    this.bookedMillis = bookedMillis;
  }

  /** Notes the first token, and what the rank has counted by then. */
  void decodesFrom(double nowMillis) {
    firstTokenMillis = nowMillis;
    rank.advance(nowMillis);
    quietMillisBefore = rank.quietMillis();
    quietUsedMillisBefore = rank.quietUsedMillis();
    busyStepsBefore = rank.busySteps();
  }

  /** Returns for how long no prompt has waited at the rank since the first token. */
  double quietMillis() {
    return rank.quietMillis() - quietMillisBefore;
  }

  /** Returns the mean share of the rank's tokens in use in that time. */
  double quietUsed() {
    double quiet = quietMillis();
    return quiet > 0 ? (rank.quietUsedMillis() - quietUsedMillisBefore) / quiet : 0;
  }

  /** Returns about how many steps have ended with prompts waiting since the first token. */
  double busySteps() {
    return rank.busySteps() - busyStepsBefore;
  }
}
