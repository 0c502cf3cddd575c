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
}
