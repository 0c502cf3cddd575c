// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import org.jspecify.annotations.Nullable;

/** What a booking weighs, as routers tell it. Unknown numbers are {@link #UNKNOWN}. */
public final class AddedSequence {
  /** Stands for a number that the sender does not know. */
  public static final long UNKNOWN = -1;

  private final long @Nullable [] tokenSequence;
  private final boolean trackPrefillTokens;
  private final long expectedOutputTokens;
  private final long prefillTokens;
  private final long expectedPrefillNanos;

  private AddedSequence(
      long @Nullable [] tokenSequence,
      boolean trackPrefillTokens,
      long expectedOutputTokens,
      long prefillTokens,
      long expectedPrefillNanos) {
    this.tokenSequence = tokenSequence;
    this.trackPrefillTokens = trackPrefillTokens;
    this.expectedOutputTokens = expectedOutputTokens;
    this.prefillTokens = prefillTokens;
    this.expectedPrefillNanos = expectedPrefillNanos;
  }

  /**
   * Describes a booking.
   *
   * @param tokenSequence sequence hashes of the prompt's full blocks, null where blocks are not
   *     tracked; not copied
   * @param trackPrefillTokens whether the prompt's tokens count until the prefill is done
   * @param expectedOutputTokens length of the answer, below 2^32, or {@link #UNKNOWN}
   * @param prefillTokens prompt tokens still to be computed, or {@link #UNKNOWN}
   * @param expectedPrefillNanos how long that takes, or {@link #UNKNOWN}; without prefill tokens it
   *     is not sent
   */
  public static AddedSequence of(
      long @Nullable [] tokenSequence,
      boolean trackPrefillTokens,
      long expectedOutputTokens,
      long prefillTokens,
      long expectedPrefillNanos) {
    return new AddedSequence(
        tokenSequence,
        trackPrefillTokens,
        Math.max(UNKNOWN, expectedOutputTokens),
        Math.max(UNKNOWN, prefillTokens),
        prefillTokens < 0 ? UNKNOWN : Math.max(UNKNOWN, expectedPrefillNanos));
  }

  /** Returns the hashes, null if none were told; not to be modified. */
  public long @Nullable [] tokenSequence() {
    return tokenSequence;
  }

  public boolean trackPrefillTokens() {
    return trackPrefillTokens;
  }

  public long expectedOutputTokens() {
    return expectedOutputTokens;
  }

  public long prefillTokens() {
    return prefillTokens;
  }

  public long expectedPrefillNanos() {
    return expectedPrefillNanos;
  }
}
