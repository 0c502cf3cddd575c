// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.FinishReason;
import io.dynamo4j.core.token.TokenSlice;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A piece of the answer to a {@link TokenRequest}. Immutable.
 *
 * @see ReplayAdapter#plain()
 */
public final class TokenChunk {
  private final TokenSlice tokens;
  private final @Nullable FinishReason finishReason;

  private TokenChunk(TokenSlice tokens, @Nullable FinishReason finishReason) {
    this.tokens = Objects.requireNonNull(tokens, "tokens");
    this.finishReason = finishReason;
  }

  /** Returns a piece that more follows. */
  public static TokenChunk of(TokenSlice tokens) {
    return new TokenChunk(tokens, null);
  }

  /** Returns the last piece, with or without tokens. */
  public static TokenChunk last(TokenSlice tokens, FinishReason reason) {
    return new TokenChunk(tokens, Objects.requireNonNull(reason, "reason"));
  }

  public TokenSlice tokens() {
    return tokens;
  }

  /** Returns why the answer ends with this, or null while it goes on. */
  public @Nullable FinishReason finishReason() {
    return finishReason;
  }

  @Override
  public String toString() {
    return "TokenChunk[tokens=" + tokens.length() + ", finishReason=" + finishReason + "]";
  }
}
