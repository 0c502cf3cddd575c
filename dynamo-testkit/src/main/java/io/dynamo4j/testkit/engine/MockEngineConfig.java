// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.engine;

import java.util.Objects;

/**
 * Size, speed and manners of a {@link MockEngine}. Immutable.
 *
 * <p>The defaults are those under which Dynamo 1.6.1's own simulations were recorded.
 */
public final class MockEngineConfig {
  private final int blockSize;
  private final int capacityBlocks;
  private final int maxBatchedTokens;
  private final int maxSequences;
  private final int defaultMaxTokens;
  private final int dpRank;
  private final double speedFactor;
  private final StepTimeModel stepTime;
  private final int tokensPerFrame;
  private final int emptyFrameInterval;
  private final boolean finishAlone;
  private final int eosInterval;

  private MockEngineConfig(Builder builder) {
    this.blockSize = builder.blockSize;
    this.capacityBlocks = builder.capacityBlocks;
    this.maxBatchedTokens = builder.maxBatchedTokens;
    this.maxSequences = builder.maxSequences;
    this.defaultMaxTokens = builder.defaultMaxTokens;
    this.dpRank = builder.dpRank;
    this.speedFactor = builder.speedFactor;
    this.stepTime = builder.stepTime;
    this.tokensPerFrame = builder.tokensPerFrame;
    this.emptyFrameInterval = builder.emptyFrameInterval;
    this.finishAlone = builder.finishAlone;
    this.eosInterval = builder.eosInterval;
  }

  public static MockEngineConfig ofDefaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns tokens per block. */
  public int blockSize() {
    return blockSize;
  }

  /** Returns the blocks of the pool. */
  public int capacityBlocks() {
    return capacityBlocks;
  }

  /** Returns the tokens that the whole pool holds. */
  public long capacityTokens() {
    return (long) capacityBlocks * blockSize;
  }

  /** Returns the token budget of one step: a decoding request takes one, a prefill its chunk. */
  public int maxBatchedTokens() {
    return maxBatchedTokens;
  }

  /** Returns how many requests run at once. */
  public int maxSequences() {
    return maxSequences;
  }

  /** Returns the most tokens generated for a request that sets no limit; the pool bounds it too. */
  public int defaultMaxTokens() {
    return defaultMaxTokens;
  }

  /** Returns the data-parallel rank that events name. */
  public int dpRank() {
    return dpRank;
  }

  /** Returns by how much this engine is faster than the step-time model. */
  public double speedFactor() {
    return speedFactor;
  }

  public StepTimeModel stepTime() {
    return stepTime;
  }

  /** Returns the most tokens in one frame. */
  public int tokensPerFrame() {
    return tokensPerFrame;
  }

  /** Returns after how many tokens an empty frame follows; 0 for never. */
  public int emptyFrameInterval() {
    return emptyFrameInterval;
  }

  /** Returns whether the finish reason comes in a last frame of its own. */
  public boolean finishAlone() {
    return finishAlone;
  }

  /** Returns after how many tokens, on average, an answer ends by itself; 0 for never. */
  public int eosInterval() {
    return eosInterval;
  }

  /** Builds a {@link MockEngineConfig}. Setters check their argument at once. */
  public static final class Builder {
    private int blockSize = 512;
    private int capacityBlocks = 2048;
    private int maxBatchedTokens = 8192;
    private int maxSequences = 256;
    private int defaultMaxTokens = 1024;
    private int dpRank;
    private double speedFactor = 1;
    private StepTimeModel stepTime = StepTimeModel.polynomial();
    private int tokensPerFrame = 1;
    private int emptyFrameInterval;
    private boolean finishAlone;
    private int eosInterval;

    private Builder() {}

    public Builder blockSize(int tokens) {
      this.blockSize = atLeast("blockSize", tokens, 1);
      return this;
    }

    public Builder capacityBlocks(int blocks) {
      this.capacityBlocks = atLeast("capacityBlocks", blocks, 1);
      return this;
    }

    public Builder maxBatchedTokens(int tokens) {
      this.maxBatchedTokens = atLeast("maxBatchedTokens", tokens, 1);
      return this;
    }

    public Builder maxSequences(int requests) {
      this.maxSequences = atLeast("maxSequences", requests, 1);
      return this;
    }

    public Builder defaultMaxTokens(int tokens) {
      this.defaultMaxTokens = atLeast("defaultMaxTokens", tokens, 1);
      return this;
    }

    public Builder dpRank(int dpRank) {
      this.dpRank = dpRank;
      return this;
    }

    /**
     * Divides every step's duration.
     *
     * @param factor finite and positive; below 1 makes a slow worker
     */
    public Builder speedFactor(double factor) {
      if (!(factor > 0) || Double.isInfinite(factor)) {
        throw new IllegalArgumentException(
            "speedFactor must be finite and positive: speedFactor=" + factor);
      }
      this.speedFactor = factor;
      return this;
    }

    public Builder stepTime(StepTimeModel model) {
      this.stepTime = Objects.requireNonNull(model, "model");
      return this;
    }

    /** Gathers up to this many tokens in a frame; what is gathered at a crash is lost. */
    public Builder tokensPerFrame(int tokens) {
      this.tokensPerFrame = atLeast("tokensPerFrame", tokens, 1);
      return this;
    }

    /** Sends a frame without tokens after every {@code tokens}-th token of a request. */
    public Builder emptyFrameInterval(int tokens) {
      this.emptyFrameInterval = atLeast("emptyFrameInterval", tokens, 0);
      return this;
    }

    public Builder finishAlone(boolean finishAlone) {
      this.finishAlone = finishAlone;
      return this;
    }

    /**
     * Ends answers early: a token is the last one with a probability of one in {@code tokens}, as a
     * function of its context, so that a continuation ends at the same place. Requests that ignore
     * the end of sequence and tokens below {@code min_tokens} are exempt.
     */
    public Builder eosInterval(int tokens) {
      this.eosInterval = atLeast("eosInterval", tokens, 0);
      return this;
    }

    public MockEngineConfig build() {
      return new MockEngineConfig(this);
    }

    private static int atLeast(String name, int value, int least) {
      if (value < least) {
        throw new IllegalArgumentException(
            name + " must be at least " + least + ": " + name + "=" + value);
      }
      return value;
    }
  }
}
