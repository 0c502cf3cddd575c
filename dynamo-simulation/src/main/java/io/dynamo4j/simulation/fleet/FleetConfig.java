// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

import java.util.Objects;

/** One simulated run: the fleet, how it is routed, and what goes wrong. */
public final class FleetConfig {
  /** Marks that the migrator holds token sequences of any length. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  private static final int MAX_WORKERS = 4_096;
  private static final int MAX_BLOCKS = 1 << 20;
  private static final int MAX_BLOCK_SIZE = 1 << 16;
  private static final double MIN_SPEEDUP = 1e-4;
  private static final double MAX_SPEEDUP = 1e6;

  private final FleetPolicy policy;
  private final int workers;
  private final int blockSize;
  private final int blocks;
  private final double arrivalSpeedup;
  private final int killEvery;
  private final long downNanos;
  private final long migrationLimit;
  private final long migrationMaxSeqLen;
  private final long stallTimeoutNanos;
  private final Patience patience;
  private final FleetConditions conditions;
  private final boolean learnsSpeeds;
  private final long seed;

  private FleetConfig(Builder builder) {
    this.policy = builder.policy;
    this.workers = builder.workers;
    this.blockSize = builder.blockSize;
    this.blocks = builder.blocks;
    this.arrivalSpeedup = builder.arrivalSpeedup;
    this.killEvery = builder.killEvery;
    this.downNanos = builder.downNanos;
    this.migrationLimit = builder.migrationLimit;
    this.migrationMaxSeqLen = builder.migrationMaxSeqLen;
    this.stallTimeoutNanos = builder.stallTimeoutNanos;
    this.patience = builder.patience;
    this.conditions = builder.conditions;
    this.learnsSpeeds = builder.learnsSpeeds;
    this.seed = builder.seed;
  }

  public static Builder builder() {
    return new Builder();
  }

  public Builder toBuilder() {
    return builder()
        .policy(policy)
        .workers(workers)
        .blockSize(blockSize)
        .blocks(blocks)
        .arrivalSpeedup(arrivalSpeedup)
        .killEvery(killEvery)
        .downNanos(downNanos)
        .migrationLimit(migrationLimit)
        .migrationMaxSeqLen(migrationMaxSeqLen)
        .stallTimeoutNanos(stallTimeoutNanos)
        .patience(patience)
        .conditions(conditions)
        .learnsSpeeds(learnsSpeeds)
        .seed(seed);
  }

  public FleetPolicy policy() {
    return policy;
  }

  public int workers() {
    return workers;
  }

  /** Returns tokens per KV block. */
  public int blockSize() {
    return blockSize;
  }

  /** Returns KV blocks per worker. */
  public int blocks() {
    return blocks;
  }

  /** Returns what the trace's times are divided by. */
  public double arrivalSpeedup() {
    return arrivalSpeedup;
  }

  /** Returns after how many arrivals a worker is killed; 0 for never. */
  public int killEvery() {
    return killEvery;
  }

  /** Returns how long a killed worker stays away, in virtual nanoseconds. */
  public long downNanos() {
    return downNanos;
  }

  /** Returns how often one request may be continued elsewhere. */
  public long migrationLimit() {
    return migrationLimit;
  }

  /** Returns the longest token sequence that is still continued, or {@link #UNLIMITED}. */
  public long migrationMaxSeqLen() {
    return migrationMaxSeqLen;
  }

  /** Returns after how long without a token a stream counts as broken; 0 for never. */
  public long stallTimeoutNanos() {
    return stallTimeoutNanos;
  }

  /** Returns how long the migrator waits for what. */
  public Patience patience() {
    return patience;
  }

  /** Returns whether the router learns how fast workers are. */
  public boolean learnsSpeeds() {
    return learnsSpeeds;
  }

  /** Returns what is not ideal. */
  public FleetConditions conditions() {
    return conditions;
  }

  public long seed() {
    return seed;
  }

  /** Builds a {@link FleetConfig}; the defaults are those of {@code bin/demo}. */
  public static final class Builder {
    private FleetPolicy policy = FleetPolicy.KV;
    private int workers = 8;
    private int blockSize = 512;
    private int blocks = 2048;
    private double arrivalSpeedup = 1;
    private int killEvery = 200;
    private long downNanos = 5_000_000_000L;
    private long migrationLimit = 3;
    private long migrationMaxSeqLen = UNLIMITED;
    private long stallTimeoutNanos;
    private Patience patience = Patience.NONE;
    private FleetConditions conditions = FleetConditions.IDEAL;
    private boolean learnsSpeeds;
    private long seed = 1;

    private Builder() {}

    public Builder policy(FleetPolicy policy) {
      this.policy = Objects.requireNonNull(policy, "policy");
      return this;
    }

    public Builder workers(int workers) {
      this.workers = within("workers", workers, 1, MAX_WORKERS);
      return this;
    }

    public Builder blockSize(int tokens) {
      this.blockSize = within("blockSize", tokens, 1, MAX_BLOCK_SIZE);
      return this;
    }

    public Builder blocks(int blocks) {
      this.blocks = within("blocks", blocks, 1, MAX_BLOCKS);
      return this;
    }

    public Builder arrivalSpeedup(double factor) {
      if (!(factor >= MIN_SPEEDUP && factor <= MAX_SPEEDUP)) {
        throw new IllegalArgumentException(
            "arrivalSpeedup must be within 0.0001 and 1000000: arrivalSpeedup=" + factor);
      }
      this.arrivalSpeedup = factor;
      return this;
    }

    public Builder killEvery(int arrivals) {
      this.killEvery = within("killEvery", arrivals, 0, Integer.MAX_VALUE);
      return this;
    }

    public Builder downNanos(long nanos) {
      this.downNanos = nanos;
      return this;
    }

    public Builder migrationLimit(long limit) {
      if (limit < 0) {
        throw new IllegalArgumentException(
            "migrationLimit must be at least 0: migrationLimit=" + limit);
      }
      this.migrationLimit = limit;
      return this;
    }

    public Builder migrationMaxSeqLen(long tokens) {
      if (tokens < 1) {
        throw new IllegalArgumentException(
            "migrationMaxSeqLen must be at least 1: migrationMaxSeqLen=" + tokens);
      }
      this.migrationMaxSeqLen = tokens;
      return this;
    }

    public Builder stallTimeoutNanos(long nanos) {
      this.stallTimeoutNanos = nanos;
      return this;
    }

    public Builder patience(Patience patience) {
      this.patience = Objects.requireNonNull(patience, "patience");
      return this;
    }

    public Builder conditions(FleetConditions conditions) {
      this.conditions = Objects.requireNonNull(conditions, "conditions");
      return this;
    }

    public Builder learnsSpeeds(boolean learnsSpeeds) {
      this.learnsSpeeds = learnsSpeeds;
      return this;
    }

    public Builder seed(long seed) {
      this.seed = seed;
      return this;
    }

    public FleetConfig build() {
      return new FleetConfig(this);
    }

    private static int within(String name, int value, int least, int most) {
      if (value < least || value > most) {
        throw new IllegalArgumentException(
            name + " must be within " + least + " and " + most + ": " + name + "=" + value);
      }
      return value;
    }
  }
}
