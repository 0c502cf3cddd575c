// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.Objects;

/**
 * When a request of a disaggregated fleet has its prompt computed by the decode worker itself:
 * Dynamo's conditional disaggregation, with its names, defaults and bounds.
 *
 * <p>New is what the decode worker does not hold of the prompt. Both bounds of {@code isl_bounding}
 * are strict; a prefill worker of which nothing is known is not busy, a decode worker of which
 * nothing is known is.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class PrefillBypass {
  private static final PrefillBypass NEVER = new PrefillBypass(builder(), false);

  /** What makes the way over the prefill pool not worth it. */
  public enum Policy {
    /** Little of the prompt is new to the decode worker. */
    ISL_BOUNDING,

    /** The prefill worker that would be chosen is busy. */
    PREFILL_LOAD,

    /** Either. */
    ISL_OR_LOAD
  }

  private final boolean applies;
  private final Policy policy;
  private final long newTokens;
  private final double newShare;
  private final double prefillBusy;
  private final double decodeBusy;

  private PrefillBypass(Builder builder, boolean applies) {
    this.applies = applies;
    this.policy = builder.policy;
    this.newTokens = builder.newTokens;
    this.newShare = builder.newShare;
    this.prefillBusy = builder.prefillBusy;
    this.decodeBusy = builder.decodeBusy;
  }

  /** Returns the rule by which every prompt goes to the prefill pool; the default. */
  public static PrefillBypass never() {
    return NEVER;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns whether there is anything to ask. */
  boolean applies() {
    return applies;
  }

  boolean asksPrefillLoad() {
    return policy != Policy.ISL_BOUNDING;
  }

  /**
   * Decides.
   *
   * @param cachedTokens of the prompt that the decode worker holds
   * @param prefillIsBusy asked only where the policy looks at load
   */
  boolean bypasses(
      int promptTokens, int cachedTokens, boolean prefillIsBusy, boolean decodeIsBusy) {
    if (!applies || decodeIsBusy) {
      return false;
    }
    return switch (policy) {
      case ISL_BOUNDING -> isShort(promptTokens, cachedTokens);
      case PREFILL_LOAD -> prefillIsBusy;
      case ISL_OR_LOAD -> prefillIsBusy || isShort(promptTokens, cachedTokens);
    };
  }

  private boolean isShort(int promptTokens, int cachedTokens) {
    long fresh = promptTokens - (long) Math.min(cachedTokens, promptTokens);
    return fresh < newTokens && (double) fresh / Math.max(1, promptTokens) < newShare;
  }

  /** Returns whether a prefill worker has too much ahead. */
  boolean isPrefillBusy(long prefillTokens, long batchTokens) {
    return asksPrefillLoad() && batchTokens > 0 && prefillTokens > prefillBusy * batchTokens;
  }

  /** Returns whether a decode worker has no room for prompts of its own. */
  boolean isDecodeBusy(long blocks, long totalBlocks) {
    return !Double.isNaN(decodeBusy) && (totalBlocks <= 0 || blocks > decodeBusy * totalBlocks);
  }

  /** Builds a {@link PrefillBypass}: {@code isl_bounding} at 2,048 tokens and 70 %. */
  public static final class Builder {
    private Policy policy = Policy.ISL_BOUNDING;
    private long newTokens = 2_048;
    private double newShare = 0.7;
    private double prefillBusy = Double.NaN;
    private double decodeBusy = Double.NaN;

    private Builder() {}

    public Builder policy(Policy policy) {
      this.policy = Objects.requireNonNull(policy, "policy");
      return this;
    }

    /**
     * Sets below how many new tokens a prompt counts as short ({@code eff_isl_threshold}).
     *
     * @throws IllegalArgumentException if negative
     */
    public Builder newTokensBelow(long tokens) {
      if (tokens < 0) {
        throw new IllegalArgumentException(
            "eff_isl_threshold must not be negative: eff_isl_threshold=" + tokens);
      }
      this.newTokens = tokens;
      return this;
    }

    /**
     * Sets below which new part a prompt counts as short ({@code eff_isl_ratio_threshold}).
     *
     * @throws IllegalArgumentException if not in 0..1
     */
    public Builder newShareBelow(double share) {
      ConfigRules.requireFraction("eff_isl_ratio_threshold", share);
      this.newShare = share;
      return this;
    }

    /**
     * Sets beyond which multiple of a step's token budget a prefill worker is busy ({@code
     * prefill_busy_threshold}); the load policies need it.
     *
     * @throws IllegalArgumentException if negative or not finite
     */
    public Builder prefillBusyAbove(double batches) {
      ConfigRules.requireNotNegative("prefill_busy_threshold", batches);
      this.prefillBusy = batches;
      return this;
    }

    /**
     * Sets beyond which part of its blocks a decode worker takes no prompts ({@code
     * decode_busy_threshold}); by default nobody looks.
     *
     * @throws IllegalArgumentException if negative or not finite
     */
    public Builder decodeBusyAbove(double share) {
      ConfigRules.requireNotNegative("decode_busy_threshold", share);
      this.decodeBusy = share;
      return this;
    }

    /**
     * Returns the rule.
     *
     * @throws IllegalStateException if the policy looks at prefill load and has no threshold
     */
    public PrefillBypass build() {
      if (policy != Policy.ISL_BOUNDING && Double.isNaN(prefillBusy)) {
        throw new IllegalStateException(
            "policy needs prefill_busy_threshold: policy=" + policy + ", threshold=missing");
      }
      return new PrefillBypass(this, true);
    }
  }
}
