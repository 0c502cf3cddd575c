// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * What a rank, or a scheduler in front of it, says about its load. A figure that it does not tell
 * is {@link #UNKNOWN} and leaves what was told before.
 *
 * @param activePrefillTokens prompt tokens still to be computed
 * @param activeDecodeBlocks blocks of running requests
 * @param kvUsedBlocks blocks in use as the engine counts them
 */
public record RankLoadReport(long activePrefillTokens, long activeDecodeBlocks, long kvUsedBlocks) {
  /** Marks a figure that is not told. */
  public static final long UNKNOWN = -1;

  public RankLoadReport {
    if (activePrefillTokens < UNKNOWN || activeDecodeBlocks < UNKNOWN || kvUsedBlocks < UNKNOWN) {
      throw new IllegalArgumentException(
          "load must not be negative: prefillTokens="
              + activePrefillTokens
              + ", decodeBlocks="
              + activeDecodeBlocks
              + ", kvUsedBlocks="
              + kvUsedBlocks);
    }
  }
}
