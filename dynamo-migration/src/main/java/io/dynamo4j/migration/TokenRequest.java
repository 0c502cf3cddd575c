// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.SafeText;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import java.util.Objects;

/**
 * A plain request of tokens, for hosts that need none of Dynamo's other fields. Immutable.
 *
 * @see ReplayAdapter#plain()
 */
public final class TokenRequest {
  private final String requestId;
  private final String model;
  private final TokenSlice tokens;
  private final StopConditions stopConditions;

  private TokenRequest(
      String requestId, String model, TokenSlice tokens, StopConditions stopConditions) {
    this.requestId = Objects.requireNonNull(requestId, "requestId");
    this.model = Objects.requireNonNull(model, "model");
    this.tokens = Objects.requireNonNull(tokens, "tokens");
    this.stopConditions = Objects.requireNonNull(stopConditions, "stopConditions");
  }

  /**
   * Returns a request without model name or budgets.
   *
   * @param requestId the id that all attempts share
   * @param tokens the prompt
   */
  public static TokenRequest of(String requestId, TokenSlice tokens) {
    return new TokenRequest(requestId, "", tokens, StopConditions.ofDefaults());
  }

  public TokenRequest withModel(String name) {
    return new TokenRequest(requestId, name, tokens, stopConditions);
  }

  public TokenRequest withTokens(TokenSlice all) {
    return new TokenRequest(requestId, model, all, stopConditions);
  }

  public TokenRequest withStopConditions(StopConditions conditions) {
    return new TokenRequest(requestId, model, tokens, conditions);
  }

  public String requestId() {
    return requestId;
  }

  /** Returns the model name, perhaps empty. */
  public String model() {
    return model;
  }

  public TokenSlice tokens() {
    return tokens;
  }

  public StopConditions stopConditions() {
    return stopConditions;
  }

  /** Tells id, model and length: prompts are never logged. */
  @Override
  public String toString() {
    return "TokenRequest[requestId="
        + SafeText.of(requestId)
        + ", model="
        + SafeText.of(model)
        + ", tokens="
        + tokens.length()
        + "]";
  }
}
