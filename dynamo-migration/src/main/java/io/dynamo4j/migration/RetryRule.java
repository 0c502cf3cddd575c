// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.migration;

import java.time.Duration;
import java.util.Objects;

/**
 * How failures of one type are retried, within the request's own {@link MigrationOptions#limit()}:
 * how often, after which pause, and for how long. Immutable.
 */
public final class RetryRule {
  private static final RetryRule DEFAULTS = builder().build();

  private final long limit;
  private final BackOff backOff;
  private final long withinNanos;

  private RetryRule(Builder builder) {
    this.limit = builder.limit;
    this.backOff = builder.backOff;
    this.withinNanos = builder.withinNanos;
  }

  /** As often as the request allows, at once, however long it takes. */
  public static RetryRule ofDefaults() {
    return DEFAULTS;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns how many failures of this type one request survives. */
  public long limit() {
    return limit;
  }

  public BackOff backOff() {
    return backOff;
  }

  /** Returns how long a search for another worker may have taken, or 0 for any time. */
  public long withinNanos() {
    return withinNanos;
  }

  @Override
  public String toString() {
    return "RetryRule[limit="
        + limit
        + ", backOff="
        + backOff
        + ", withinNanos="
        + withinNanos
        + "]";
  }

  /** Builds a {@link RetryRule}. */
  public static final class Builder {
    private long limit = MigrationOptions.MAX_UNSIGNED_INT;
    private BackOff backOff = BackOff.none();
    private long withinNanos;

    private Builder() {}

    /**
     * Retries at most so many failures of the type in one request. Default as many as the request's
     * limit allows.
     *
     * @throws IllegalArgumentException outside 0 … 2^32−1
     */
    public Builder limit(long limit) {
      if (limit < 0 || limit > MigrationOptions.MAX_UNSIGNED_INT) {
        throw new IllegalArgumentException("limit must be in 0..2^32-1: limit=" + limit);
      }
      this.limit = limit;
      return this;
    }

    /** Pauses before the next attempt; each failure of the type counts as a try. Default none. */
    public Builder backOff(BackOff backOff) {
      this.backOff = Objects.requireNonNull(backOff, "backOff");
      return this;
    }

    /**
     * Retries only while no more time than this has passed since the failure that began the present
     * search for another worker. Default zero, any time.
     *
     * @throws IllegalArgumentException if negative or longer than a century
     */
    public Builder within(Duration time) {
      this.withinNanos = Durations.nonNegativeNanos("within", time);
      return this;
    }

    public RetryRule build() {
      return new RetryRule(this);
    }
  }
}
