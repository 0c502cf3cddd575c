// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Beyond which load a worker gets no more requests; Dynamo's names and ranges. Whatever is not set
 * excludes nobody.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class LoadThresholds {
  private static final LoadThresholds NONE = builder().build();

  private final @Nullable Double activeDecodeBlocks;
  private final @Nullable Long activePrefillTokens;
  private final @Nullable Double activePrefillTokensFraction;

  private LoadThresholds(Builder builder) {
    this.activeDecodeBlocks = builder.activeDecodeBlocks;
    this.activePrefillTokens = builder.activePrefillTokens;
    this.activePrefillTokensFraction = builder.activePrefillTokensFraction;
  }

  /** Returns thresholds that exclude nobody. */
  public static LoadThresholds none() {
    return NONE;
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Reads Dynamo's {@code DYN_ACTIVE_*} variables; one that is absent or cannot be parsed sets
   * nothing.
   *
   * @throws IllegalArgumentException if a value is out of range
   */
  public static LoadThresholds fromEnvironment(Map<String, String> environment) {
    Builder builder = builder();
    KvRouterEnvironment.number(
        environment, "DYN_ACTIVE_DECODE_BLOCKS_THRESHOLD", builder::activeDecodeBlocks);
    KvRouterEnvironment.number(
        environment,
        "DYN_ACTIVE_PREFILL_TOKENS_THRESHOLD",
        tokens -> {
          if (tokens == Math.rint(tokens)) {
            builder.activePrefillTokens(tokens.longValue());
          }
        });
    KvRouterEnvironment.number(
        environment,
        "DYN_ACTIVE_PREFILL_TOKENS_THRESHOLD_FRAC",
        builder::activePrefillTokensFraction);
    return builder.build();
  }

  public Builder toBuilder() {
    Builder builder = builder();
    builder.activeDecodeBlocks = activeDecodeBlocks;
    builder.activePrefillTokens = activePrefillTokens;
    builder.activePrefillTokensFraction = activePrefillTokensFraction;
    return builder;
  }

  /** Returns the part of a rank's KV blocks, 0 to 1, beyond which it is busy, or null. */
  public @Nullable Double activeDecodeBlocks() {
    return activeDecodeBlocks;
  }

  /** Returns the prompt tokens still to be computed beyond which a rank is busy, or null. */
  public @Nullable Long activePrefillTokens() {
    return activePrefillTokens;
  }

  /** Returns the same as a multiple of the rank's batched-token budget, or null. */
  public @Nullable Double activePrefillTokensFraction() {
    return activePrefillTokensFraction;
  }

  /** Returns whether nothing is set. */
  public boolean isNone() {
    return activeDecodeBlocks == null
        && activePrefillTokens == null
        && activePrefillTokensFraction == null;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LoadThresholds that
        && Objects.equals(activeDecodeBlocks, that.activeDecodeBlocks)
        && Objects.equals(activePrefillTokens, that.activePrefillTokens)
        && Objects.equals(activePrefillTokensFraction, that.activePrefillTokensFraction);
  }

  @Override
  public int hashCode() {
    return Objects.hash(activeDecodeBlocks, activePrefillTokens, activePrefillTokensFraction);
  }

  @Override
  public String toString() {
    return "LoadThresholds[decodeBlocks="
        + activeDecodeBlocks
        + ", prefillTokens="
        + activePrefillTokens
        + ", prefillTokensFraction="
        + activePrefillTokensFraction
        + "]";
  }

  /** Builds {@link LoadThresholds}; null takes a threshold away. */
  public static final class Builder {
    private @Nullable Double activeDecodeBlocks;
    private @Nullable Long activePrefillTokens;
    private @Nullable Double activePrefillTokensFraction;

    private Builder() {}

    public Builder activeDecodeBlocks(@Nullable Double fraction) {
      this.activeDecodeBlocks = fraction;
      return this;
    }

    public Builder activePrefillTokens(@Nullable Long tokens) {
      this.activePrefillTokens = tokens;
      return this;
    }

    public Builder activePrefillTokensFraction(@Nullable Double fraction) {
      this.activePrefillTokensFraction = fraction;
      return this;
    }

    /**
     * Returns the thresholds.
     *
     * @throws IllegalArgumentException if one is out of range
     */
    public LoadThresholds build() {
      if (activeDecodeBlocks != null) {
        ConfigRules.requireFraction("active_decode_blocks_threshold", activeDecodeBlocks);
      }
      if (activePrefillTokens != null) {
        ConfigRules.requireAtLeastZero("active_prefill_tokens_threshold", activePrefillTokens);
      }
      if (activePrefillTokensFraction != null) {
        ConfigRules.requireNotNegative(
            "active_prefill_tokens_threshold_frac", activePrefillTokensFraction);
      }
      return new LoadThresholds(this);
    }
  }
}
