// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import io.dynamo4j.core.model.SafeText;
import io.dynamo4j.core.model.StopConditions;
import io.dynamo4j.core.token.TokenSlice;
import java.util.List;
import java.util.Objects;

/** What a migrator needs to know of a request, whatever its type; read once, at the start. */
public final class RequestProfile {
  private final String requestId;
  private final TokenSlice tokens;
  private final String model;
  private final int choices;
  private final long maxTokens;
  private final long minTokens;
  private final List<Integer> stopTokenIds;
  private final Replayability replayability;

  private RequestProfile(Builder builder) {
    this.requestId = builder.requestId;
    this.tokens = builder.tokens;
    this.model = builder.model;
    this.choices = builder.choices;
    this.maxTokens = builder.maxTokens;
    this.minTokens = builder.minTokens;
    this.stopTokenIds = List.copyOf(builder.stopTokenIds);
    this.replayability = builder.replayability;
  }

  /**
   * Starts a profile.
   *
   * @param requestId the id that all attempts share
   * @param tokens the prompt
   */
  public static Builder builder(String requestId, TokenSlice tokens) {
    return new Builder(requestId, tokens);
  }

  public String requestId() {
    return requestId;
  }

  /** Returns the id as it may be logged: it comes from a client. */
  String loggedId() {
    return SafeText.of(requestId);
  }

  /** Returns the prompt. */
  public TokenSlice tokens() {
    return tokens;
  }

  /** Returns the model name, perhaps empty. */
  public String model() {
    return model;
  }

  /** Returns the number of answers asked for, at least 1. */
  public int choices() {
    return choices;
  }

  /** Returns the most tokens of one answer, or {@link StopConditions#UNSET}. */
  public long maxTokens() {
    return maxTokens;
  }

  public Replayability replayability() {
    return replayability;
  }

  /** Returns whether an answer of {@code length} tokens that ends with {@code token} is whole. */
  boolean endsWith(int token, long length) {
    return length >= minTokens && stopTokenIds.contains(token);
  }

  /** Builds a {@link RequestProfile}: no model name, one choice, no budget, always replayable. */
  public static final class Builder {
    private final String requestId;
    private final TokenSlice tokens;
    private String model = "";
    private int choices = 1;
    private long maxTokens = StopConditions.UNSET;
    private long minTokens = StopConditions.UNSET;
    private List<Integer> stopTokenIds = List.of();
    private Replayability replayability = Replayability.always();

    private Builder(String requestId, TokenSlice tokens) {
      this.requestId = Objects.requireNonNull(requestId, "requestId");
      this.tokens = Objects.requireNonNull(tokens, "tokens");
    }

    public Builder model(String model) {
      this.model = Objects.requireNonNull(model, "model");
      return this;
    }

    public Builder choices(int choices) {
      if (choices < 1) {
        throw new IllegalArgumentException("choices must be positive: choices=" + choices);
      }
      this.choices = choices;
      return this;
    }

    /**
     * Takes budgets and stop tokens over; an answer that reached one of them is never continued.
     */
    public Builder stopConditions(StopConditions conditions) {
      this.maxTokens = conditions.maxTokens();
      this.minTokens = conditions.minTokens();
      this.stopTokenIds = conditions.ignoreEos() ? List.of() : conditions.stopTokenIds();
      return this;
    }

    public Builder replayability(Replayability replayability) {
      this.replayability = Objects.requireNonNull(replayability, "replayability");
      return this;
    }

    public RequestProfile build() {
      return new RequestProfile(this);
    }
  }
}
