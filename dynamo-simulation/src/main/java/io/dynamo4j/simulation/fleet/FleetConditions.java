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
  private final double[] speeds;
  private final long deathNanos;
  private final int concurrency;

  private FleetConditions(Builder builder) {
    this.routers = builder.routers;
    this.syncDelayNanos = builder.syncDelayNanos;
    this.eventDelayNanos = builder.eventDelayNanos;
    this.slowFactor = builder.slowFactor;
    this.speeds = builder.speeds;
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

  /** Returns how fast the worker at a position of a fleet of so many is; 1 is as usual. */
  public double speed(int position, int workers) {
    return speeds[position % speeds.length] / (position == workers / 2 ? slowFactor : 1);
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
    private double[] speeds = {1};
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

    /** Slows the worker in the middle of the fleet down. */
    public Builder slowFactor(double factor) {
      this.slowFactor = positive("slowFactor", factor);
      return this;
    }

    /** Sets the speeds of workers by their position; after the last the first follows again. */
    public Builder speeds(double first, double... others) {
      double[] all = new double[others.length + 1];
      all[0] = positive("speed", first);
      for (int i = 0; i < others.length; i++) {
        all[i + 1] = positive("speed", others[i]);
      }
      this.speeds = all;
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

    private static double positive(String name, double value) {
      if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException(
            name + " must be finite and positive: " + name + "=" + value);
      }
      return value;
    }

    private static long atLeastZero(String name, long value) {
      if (value < 0) {
        throw new IllegalArgumentException(name + " must not be negative: " + name + "=" + value);
      }
      return value;
    }
  }
}
