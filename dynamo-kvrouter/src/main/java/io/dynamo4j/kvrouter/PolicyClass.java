// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One class of waiting requests: when they wait, in which order they leave, which share of the
 * fleet they get beside other classes, and how many may wait. Dynamo's names and defaults.
 *
 * <p>A class with neither a family nor a bucket is chosen by its name, one with both by a request's
 * family and by how many tokens of its prompt are cached nowhere.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class PolicyClass {
  private final String name;
  private final String family;
  private final String bucket;
  private final QueuePolicy queuePolicy;
  private final long quantum;
  private final @Nullable Long busyThreshold;
  private final @Nullable Double busyThresholdFraction;
  private final long requestLimitPerWorker;
  private final long promptTokenLimitPerWorker;
  private final long cachedTokenLimitPerWorker;

  private PolicyClass(Builder builder) {
    this.name = builder.name;
    this.family = builder.family;
    this.bucket = builder.bucket;
    this.queuePolicy = builder.queuePolicy;
    this.quantum = builder.quantum;
    this.busyThreshold = builder.busyThreshold;
    this.busyThresholdFraction = builder.busyThresholdFraction;
    this.requestLimitPerWorker = builder.requestLimitPerWorker;
    this.promptTokenLimitPerWorker = builder.promptTokenLimitPerWorker;
    this.cachedTokenLimitPerWorker = builder.cachedTokenLimitPerWorker;
  }

  public static Builder builder(String name) {
    return new Builder(name);
  }

  public String name() {
    return name;
  }

  /** Returns the family that requests ask for, empty for a class that is chosen by name. */
  public String family() {
    return family;
  }

  /** Returns the bucket of uncached tokens that belongs here, empty for any. */
  public String bucket() {
    return bucket;
  }

  public QueuePolicy queuePolicy() {
    return queuePolicy;
  }

  /** Returns how many uncached tokens the class may send in its turn. */
  public long quantum() {
    return quantum;
  }

  /** Returns the prompt tokens in work beyond which a rank is busy for this class, or null. */
  public @Nullable Long prefillBusyThreshold() {
    return busyThreshold;
  }

  /** Returns the same as a multiple of the rank's batched-token budget, or null. */
  public @Nullable Double prefillBusyThresholdFraction() {
    return busyThresholdFraction;
  }

  /** Returns the requests that may wait for each registered rank's worker. */
  public long requestLimitPerWorker() {
    return requestLimitPerWorker;
  }

  /** Returns the prompt tokens, cached or not, that may wait for each worker. */
  public long promptTokenLimitPerWorker() {
    return promptTokenLimitPerWorker;
  }

  /** Returns the cached prompt tokens that may wait for each worker. */
  public long cachedTokenLimitPerWorker() {
    return cachedTokenLimitPerWorker;
  }

  /** Returns whether requests of this class ever wait. */
  boolean waits() {
    return busyThreshold != null || busyThresholdFraction != null;
  }

  /** Returns whether a rank has too much in work to get a request of this class. */
  boolean isBusy(long prefillTokens, long maxBatchedTokens) {
    return (busyThreshold != null && prefillTokens > busyThreshold)
        || (busyThresholdFraction != null
            && prefillTokens > busyThresholdFraction * LoadMonitor.budget(maxBatchedTokens));
  }

  /** Builds a {@link PolicyClass}: never waits, first come first served, quantum 1, no limits. */
  public static final class Builder {
    private final String name;
    private String family = "";
    private String bucket = "";
    private QueuePolicy queuePolicy = QueuePolicy.FCFS;
    private long quantum = 1;
    private @Nullable Long busyThreshold;
    private @Nullable Double busyThresholdFraction;
    private long requestLimitPerWorker = Long.MAX_VALUE;
    private long promptTokenLimitPerWorker = Long.MAX_VALUE;
    private long cachedTokenLimitPerWorker = Long.MAX_VALUE;

    private Builder(String name) {
      this.name = Objects.requireNonNull(name, "name");
    }

    public Builder family(String family) {
      this.family = Objects.requireNonNull(family, "family");
      return this;
    }

    public Builder bucket(String bucket) {
      this.bucket = Objects.requireNonNull(bucket, "bucket");
      return this;
    }

    public Builder queuePolicy(QueuePolicy policy) {
      this.queuePolicy = Objects.requireNonNull(policy, "policy");
      return this;
    }

    public Builder quantum(long uncachedTokens) {
      this.quantum = uncachedTokens;
      return this;
    }

    public Builder prefillBusyThreshold(long tokens) {
      this.busyThreshold = tokens;
      return this;
    }

    public Builder prefillBusyThresholdFraction(double fraction) {
      this.busyThresholdFraction = fraction;
      return this;
    }

    public Builder requestLimitPerWorker(long requests) {
      this.requestLimitPerWorker = requests;
      return this;
    }

    public Builder promptTokenLimitPerWorker(long tokens) {
      this.promptTokenLimitPerWorker = tokens;
      return this;
    }

    public Builder cachedTokenLimitPerWorker(long tokens) {
      this.cachedTokenLimitPerWorker = tokens;
      return this;
    }

    /**
     * Returns the class.
     *
     * @throws IllegalArgumentException if a number is out of range
     */
    public PolicyClass build() {
      if (quantum < 1) {
        throw new IllegalArgumentException(
            "quantum must be at least 1: class=" + name + ", quantum=" + quantum);
      }
      if (busyThreshold != null) {
        ConfigRules.requireAtLeastZero("prefill_busy_threshold", busyThreshold);
      }
      if (busyThresholdFraction != null) {
        ConfigRules.requireAtLeastZero("prefill_busy_threshold_frac", busyThresholdFraction);
      }
      ConfigRules.requireAtLeastZero("request_queue_limit_per_worker", requestLimitPerWorker);
      ConfigRules.requireAtLeastZero(
          "raw_isl_token_queue_limit_per_worker", promptTokenLimitPerWorker);
      ConfigRules.requireAtLeastZero(
          "cached_token_queue_limit_per_worker", cachedTokenLimitPerWorker);
      return new PolicyClass(this);
    }
  }
}
