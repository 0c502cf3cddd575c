// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import java.util.List;
import java.util.Objects;

/**
 * When an engine must stop.
 *
 * <p>Token budgets are unsigned 32-bit on the wire and {@code long} here; {@link #UNSET} where the
 * request leaves the choice to the engine.
 */
public final class StopConditions {
  /** Marks a budget that the request does not set. */
  public static final long UNSET = -1;

  private static final StopConditions DEFAULTS = builder().build();

  private final long maxTokens;
  private final long minTokens;
  private final List<String> stop;
  private final List<Integer> stopTokenIds;
  private final List<Integer> visibleStopTokenIds;
  private final boolean ignoreEos;

  private StopConditions(Builder builder) {
    this.maxTokens = builder.maxTokens;
    this.minTokens = builder.minTokens;
    this.stop = List.copyOf(builder.stop);
    this.stopTokenIds = List.copyOf(builder.stopTokenIds);
    this.visibleStopTokenIds = List.copyOf(builder.visibleStopTokenIds);
    this.ignoreEos = builder.ignoreEos;
  }

  public static StopConditions ofDefaults() {
    return DEFAULTS;
  }

  public static Builder builder() {
    return new Builder();
  }

  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.maxTokens = maxTokens;
    builder.minTokens = minTokens;
    builder.stop = stop;
    builder.stopTokenIds = stopTokenIds;
    builder.visibleStopTokenIds = visibleStopTokenIds;
    builder.ignoreEos = ignoreEos;
    return builder;
  }

  /** Returns the most tokens to generate, or {@link #UNSET}. */
  public long maxTokens() {
    return maxTokens;
  }

  /** Returns the fewest tokens to generate before a stop may act, or {@link #UNSET}. */
  public long minTokens() {
    return minTokens;
  }

  /** Returns the strings that end an answer. */
  public List<String> stop() {
    return stop;
  }

  /** Returns the tokens that end an answer; their text is not part of it. */
  public List<Integer> stopTokenIds() {
    return stopTokenIds;
  }

  /** Returns the tokens that end an answer and whose text is part of it. */
  public List<Integer> visibleStopTokenIds() {
    return visibleStopTokenIds;
  }

  /** Returns whether nothing but the budget may end the answer: every stop is without effect. */
  public boolean ignoreEos() {
    return ignoreEos;
  }

  /**
   * Returns these conditions after {@code delivered} tokens have reached the client: set budgets
   * shrink, never below 0; unset ones stay unset.
   */
  public StopConditions rebased(long delivered) {
    if (delivered == 0 || (maxTokens == UNSET && minTokens == UNSET)) {
      return this;
    }
    return toBuilder()
        .maxTokens(rebase(maxTokens, delivered))
        .minTokens(rebase(minTokens, delivered))
        .build();
  }

  private static long rebase(long budget, long delivered) {
    return budget == UNSET ? UNSET : Math.max(0, budget - delivered);
  }

  /** Builds {@link StopConditions}; every budget starts unset and every list empty. */
  public static final class Builder {
    private long maxTokens = UNSET;
    private long minTokens = UNSET;
    private List<String> stop = List.of();
    private List<Integer> stopTokenIds = List.of();
    private List<Integer> visibleStopTokenIds = List.of();
    private boolean ignoreEos;

    private Builder() {}

    public Builder maxTokens(long maxTokens) {
      this.maxTokens = checkBudget("maxTokens", maxTokens);
      return this;
    }

    public Builder minTokens(long minTokens) {
      this.minTokens = checkBudget("minTokens", minTokens);
      return this;
    }

    public Builder stop(List<String> stop) {
      this.stop = Objects.requireNonNull(stop, "stop");
      return this;
    }

    public Builder stopTokenIds(List<Integer> stopTokenIds) {
      this.stopTokenIds = Objects.requireNonNull(stopTokenIds, "stopTokenIds");
      return this;
    }

    public Builder visibleStopTokenIds(List<Integer> tokenIds) {
      this.visibleStopTokenIds = Objects.requireNonNull(tokenIds, "tokenIds");
      return this;
    }

    public Builder ignoreEos(boolean ignoreEos) {
      this.ignoreEos = ignoreEos;
      return this;
    }

    public StopConditions build() {
      return new StopConditions(this);
    }

    private static long checkBudget(String name, long value) {
      if (value < UNSET || value > 0xffffffffL) {
        throw new IllegalArgumentException(
            name + " must be unset (-1) or an unsigned 32-bit number: " + name + "=" + value);
      }
      return value;
    }
  }
}
