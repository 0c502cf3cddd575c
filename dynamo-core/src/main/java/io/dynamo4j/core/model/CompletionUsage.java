// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

/**
 * How many tokens an answer has taken, as a worker reports it or a client sees it.
 *
 * @param promptTokens tokens of the prompt
 * @param completionTokens generated tokens
 * @param cachedTokens tokens of the prompt whose KV blocks were there already, or {@link #UNKNOWN}
 */
public record CompletionUsage(long promptTokens, long completionTokens, long cachedTokens) {
  /** Marks a number of cached tokens that nobody reported. */
  public static final long UNKNOWN = -1;

  /**
   * Checks the counts.
   *
   * @throws IllegalArgumentException if a count is negative
   */
  public CompletionUsage {
    if (promptTokens < 0 || completionTokens < 0 || cachedTokens < UNKNOWN) {
      throw new IllegalArgumentException(
          "counts must not be negative: promptTokens="
              + promptTokens
              + ", completionTokens="
              + completionTokens
              + ", cachedTokens="
              + cachedTokens);
    }
  }

  /** Counts without a word about cached tokens. */
  public static CompletionUsage of(long promptTokens, long completionTokens) {
    return new CompletionUsage(promptTokens, completionTokens, UNKNOWN);
  }

  public long totalTokens() {
    return promptTokens + completionTokens;
  }

  /**
   * Returns the usage of the whole answer where this is what the worker of a continuation reported:
   * the {@code replayed} tokens that it took for prompt are answer. What it found cached cannot be
   * more than the prompt.
   */
  public CompletionUsage rebased(long replayed) {
    long prompt = Math.max(0, promptTokens - replayed);
    return new CompletionUsage(prompt, completionTokens + replayed, Math.min(cachedTokens, prompt));
  }
}
