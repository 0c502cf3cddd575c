// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import io.dynamo4j.core.token.TokenSlice;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One item of a worker's answer: some tokens, perhaps the end.
 *
 * <p>The last item may carry tokens and the finish reason together or the reason alone; both occur.
 */
public final class LLMEngineOutput {
  private final TokenSlice tokenIds;
  private final @Nullable String text;
  private final @Nullable FinishReason finishReason;
  private final int index;

  private LLMEngineOutput(
      TokenSlice tokenIds, @Nullable String text, @Nullable FinishReason finishReason, int index) {
    this.tokenIds = Objects.requireNonNull(tokenIds, "tokenIds");
    this.text = text;
    this.finishReason = finishReason;
    this.index = index;
  }

  /** Tokens of choice 0, more to come. */
  public static LLMEngineOutput of(TokenSlice tokenIds) {
    return new LLMEngineOutput(tokenIds, null, null, 0);
  }

  /** Tokens of choice 0, perhaps none, and the end. */
  public static LLMEngineOutput last(TokenSlice tokenIds, FinishReason finishReason) {
    return new LLMEngineOutput(tokenIds, null, Objects.requireNonNull(finishReason), 0);
  }

  public LLMEngineOutput withText(String text) {
    return new LLMEngineOutput(tokenIds, Objects.requireNonNull(text), finishReason, index);
  }

  public LLMEngineOutput withIndex(int index) {
    return new LLMEngineOutput(tokenIds, text, finishReason, index);
  }

  public TokenSlice tokenIds() {
    return tokenIds;
  }

  /** Returns the text of these tokens where the worker or a detokenizer made it, else null. */
  public @Nullable String text() {
    return text;
  }

  /** Returns why the engine stopped, or null while it goes on. */
  public @Nullable FinishReason finishReason() {
    return finishReason;
  }

  /** Returns the choice that this item belongs to, from 0. */
  public int index() {
    return index;
  }
}
