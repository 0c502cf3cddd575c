// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.core.model;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** How an engine draws tokens. Whatever is unset is left to the engine. */
public final class SamplingOptions {
  private static final SamplingOptions DEFAULTS = builder().build();

  private final int n;
  private final @Nullable Double temperature;
  private final @Nullable Double topP;
  private final @Nullable Long seed;
  private final boolean includeStopInOutput;
  private final @Nullable Map<String, Object> guidedDecoding;

  private SamplingOptions(Builder builder) {
    this.n = builder.n;
    this.temperature = builder.temperature;
    this.topP = builder.topP;
    this.seed = builder.seed;
    this.includeStopInOutput = builder.includeStopInOutput;
    this.guidedDecoding =
        builder.guidedDecoding == null
            ? null
            : Collections.unmodifiableMap(new LinkedHashMap<>(builder.guidedDecoding));
  }

  public static SamplingOptions ofDefaults() {
    return DEFAULTS;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns the number of choices asked for, at least 1. */
  public int n() {
    return n;
  }

  public OptionalDouble temperature() {
    return temperature == null ? OptionalDouble.empty() : OptionalDouble.of(temperature);
  }

  public OptionalDouble topP() {
    return topP == null ? OptionalDouble.empty() : OptionalDouble.of(topP);
  }

  public OptionalLong seed() {
    return seed == null ? OptionalLong.empty() : OptionalLong.of(seed);
  }

  /** Returns whether a stop string that ends the answer stays in it; false by default. */
  public boolean includeStopInOutput() {
    return includeStopInOutput;
  }

  /**
   * Returns the constraint on the output (JSON schema, regular expression, grammar …), or null. Its
   * mere presence means that the engine keeps grammar state which a replay cannot rebuild.
   */
  public @Nullable Map<String, Object> guidedDecoding() {
    return guidedDecoding;
  }

  /** Builds {@link SamplingOptions}; n starts at 1, everything else unset. */
  public static final class Builder {
    private int n = 1;
    private @Nullable Double temperature;
    private @Nullable Double topP;
    private @Nullable Long seed;
    private boolean includeStopInOutput;
    private @Nullable Map<String, Object> guidedDecoding;

    private Builder() {}

    public Builder n(int n) {
      if (n < 1 || n > 255) {
        throw new IllegalArgumentException("n must be in 1..255: n=" + n);
      }
      this.n = n;
      return this;
    }

    public Builder temperature(double temperature) {
      this.temperature = temperature;
      return this;
    }

    public Builder topP(double topP) {
      this.topP = topP;
      return this;
    }

    public Builder seed(long seed) {
      this.seed = seed;
      return this;
    }

    /** Keeps the stop string in the answer that it ends. */
    public Builder includeStopInOutput(boolean include) {
      this.includeStopInOutput = include;
      return this;
    }

    public Builder guidedDecoding(Map<String, Object> guidedDecoding) {
      this.guidedDecoding = guidedDecoding;
      return this;
    }

    public SamplingOptions build() {
      return new SamplingOptions(this);
    }
  }
}
