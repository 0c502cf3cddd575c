// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

/**
 * What {@link KvPolicy#KV_PREDICTED} knows before it has learned, and the line of decode steps,
 * which it is given and does not learn.
 *
 * <p>The prior of prefill times fades with the first few hundred requests: five times too much or
 * too little costs under one percent of the mean time to first token over an hour of traffic.
 */
public final class PredictionConfig {
  private static final PredictionConfig DEFAULTS = builder().build();

  private final double prefillMillis;
  private final double prefillMillisPerToken;
  private final double decodeMillis;
  private final double decodeMillisFull;
  private final double outputTokens;
  private final double residenceMillis;

  private PredictionConfig(Builder builder) {
    this.prefillMillis = builder.prefillMillis;
    this.prefillMillisPerToken = builder.prefillMillisPerToken;
    this.decodeMillis = builder.decodeMillis;
    this.decodeMillisFull = builder.decodeMillisFull;
    this.outputTokens = builder.outputTokens;
    this.residenceMillis = builder.residenceMillis;
  }

  public static PredictionConfig ofDefaults() {
    return DEFAULTS;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns what a prefill is first taken to cost whatever its length. */
  public double prefillMillis() {
    return prefillMillis;
  }

  /** Returns what a prefill is first taken to cost for each token. */
  public double prefillMillisPerToken() {
    return prefillMillisPerToken;
  }

  /** Returns the time of a decode step of an empty rank. */
  public double decodeMillis() {
    return decodeMillis;
  }

  /** Returns how much longer a decode step takes when the rank's blocks are all in use. */
  public double decodeMillisFull() {
    return decodeMillisFull;
  }

  /** Returns how long answers are first taken to be. */
  public double outputTokens() {
    return outputTokens;
  }

  /** Returns how long an answer is first taken to last from its first token. */
  public double residenceMillis() {
    return residenceMillis;
  }

  /** Builds a {@link PredictionConfig}. Setters check their argument at once. */
  public static final class Builder {
    private double prefillMillis = 16.5;
    private double prefillMillisPerToken = 0.0152;
    private double decodeMillis = 6;
    private double decodeMillisFull = 45;
    private double outputTokens = 300;
    private double residenceMillis = 2_000;

    private Builder() {}

    /**
     * Sets the first guess of a prefill's time.
     *
     * @throws IllegalArgumentException if a value is negative or not finite
     */
    public Builder prefill(double millis, double millisPerToken) {
      this.prefillMillis = notNegative("prefillMillis", millis);
      this.prefillMillisPerToken = notNegative("prefillMillisPerToken", millisPerToken);
      return this;
    }

    /**
     * Sets the line of decode steps: {@code millis + millisFull · used blocks / all blocks}. Fit it
     * to the time between tokens of the engines at hand.
     *
     * @throws IllegalArgumentException if a value is negative or not finite
     */
    public Builder decode(double millis, double millisFull) {
      this.decodeMillis = notNegative("decodeMillis", millis);
      this.decodeMillisFull = notNegative("decodeMillisFull", millisFull);
      return this;
    }

    /**
     * Sets the first guess of what follows a first token.
     *
     * @throws IllegalArgumentException if a value is negative or not finite
     */
    public Builder answers(double tokens, double residenceMillis) {
      this.outputTokens = notNegative("outputTokens", tokens);
      this.residenceMillis = notNegative("residenceMillis", residenceMillis);
      return this;
    }

    public PredictionConfig build() {
      return new PredictionConfig(this);
    }

    private static double notNegative(String name, double value) {
      if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException(
            name + " must be finite and not negative: " + name + "=" + value);
      }
      return value;
    }
  }
}
