// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.simulation.fleet;

/**
 * What makes a simulated fleet less than ideal, and who drives it; by default nothing, and the
 * trace's own times.
 */
public final class FleetConditions {
  /** An ideal fleet with one router, driven by the trace's times. */
  public static final FleetConditions IDEAL = builder().build();

  private static final int MAX_ROUTERS = 64;

  private final int routers;
  private final long syncDelayNanos;
  private final long eventDelayNanos;
  private final double slowFactor;
  private final long deathNanos;
  private final int concurrency;

  private FleetConditions(Builder builder) {
    this.routers = builder.routers;
    this.syncDelayNanos = builder.syncDelayNanos;
    this.eventDelayNanos = builder.eventDelayNanos;
    this.slowFactor = builder.slowFactor;
    this.deathNanos = builder.deathNanos;
    this.concurrency = builder.concurrency;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns how many gateways, each with a router of its own, take requests in turn. */
  public int routers() {
    return routers;
  }

  /** Returns how long a router's word to the others takes; negative if they do not speak. */
  public long syncDelayNanos() {
    return syncDelayNanos;
  }

  /** Returns how late the routers hear of what engines cache. */
  public long eventDelayNanos() {
    return eventDelayNanos;
  }

  /** Returns by what the worker in the middle of the fleet is slower than the others. */
  public double slowFactor() {
    return slowFactor;
  }

  /** Returns when the worker in the middle dies for good; 0 for never. */
  public long deathNanos() {
    return deathNanos;
  }

  /**
   * Returns how many requests are kept in flight, the next as one ends; 0 for the trace's times.
   */
  public int concurrency() {
    return concurrency;
  }

  /** Builds {@link FleetConditions}. Setters check their argument at once. */
  public static final class Builder {
    private int routers = 1;
    private long syncDelayNanos = -1;
    private long eventDelayNanos;
    private double slowFactor = 1;
    private long deathNanos;
    private int concurrency;

    private Builder() {}

    public Builder routers(int count) {
      if (count < 1 || count > MAX_ROUTERS) {
        throw new IllegalArgumentException(
            "routers must be within 1 and " + MAX_ROUTERS + ": routers=" + count);
      }
      this.routers = count;
      return this;
    }

    /** Lets routers share their bookings, so much later; negative lets them not. */
    public Builder syncDelayNanos(long nanos) {
      this.syncDelayNanos = nanos;
      return this;
    }

    public Builder eventDelayNanos(long nanos) {
      this.eventDelayNanos = atLeastZero("eventDelayNanos", nanos);
      return this;
    }

    public Builder slowFactor(double factor) {
      if (!(factor > 0 && factor < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException(
            "slowFactor must be finite and positive: slowFactor=" + factor);
      }
      this.slowFactor = factor;
      return this;
    }

    public Builder deathNanos(long nanos) {
      this.deathNanos = atLeastZero("deathNanos", nanos);
      return this;
    }

    public Builder concurrency(int requests) {
      this.concurrency = (int) atLeastZero("concurrency", requests);
      return this;
    }

    public FleetConditions build() {
      return new FleetConditions(this);
    }

    private static long atLeastZero(String name, long value) {
      if (value < 0) {
        throw new IllegalArgumentException(name + " must not be negative: " + name + "=" + value);
      }
      return value;
    }
  }
}
