// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer.durable;

import java.time.Duration;

/** When routers of the durable mode write snapshots and clean up. */
public final class DurableConfig {
  private final long snapshotThreshold;
  private final int retainedSnapshots;
  private final long checkIntervalNanos;
  private final long leaseNanos;
  private final long orphanGraceNanos;
  private final long forgetAfterNanos;
  private final long purgeDelayNanos;

  private DurableConfig(Builder builder) {
    this.snapshotThreshold = builder.snapshotThreshold;
    this.retainedSnapshots = builder.retainedSnapshots;
    this.checkIntervalNanos = builder.checkInterval.toNanos();
    this.leaseNanos = builder.lease.toNanos();
    this.orphanGraceNanos = builder.orphanGrace.toNanos();
    this.forgetAfterNanos = builder.forgetAfter.toNanos();
    this.purgeDelayNanos = builder.purgeDelay.toNanos();
  }

  /** Returns upstream's threshold, and two snapshots kept. */
  public static DurableConfig ofDefaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns after how many events since the last snapshot another is written. */
  public long snapshotThreshold() {
    return snapshotThreshold;
  }

  /** Returns how many snapshots are kept; the log keeps what the oldest of them does not cover. */
  public int retainedSnapshots() {
    return retainedSnapshots;
  }

  /** Returns how often a router looks whether something is due. */
  public long checkIntervalNanos() {
    return checkIntervalNanos;
  }

  /** Returns how long one router has for a snapshot before another may try. */
  public long leaseNanos() {
    return leaseNanos;
  }

  /** Returns how long a reader may be unattended before it is removed. */
  public long orphanGraceNanos() {
    return orphanGraceNanos;
  }

  /** Returns how long a worker may be missing in the directory before it is forgotten. */
  public long forgetAfterNanos() {
    return forgetAfterNanos;
  }

  /** Returns how long an entry stays at least although a snapshot covers it. */
  public long purgeDelayNanos() {
    return purgeDelayNanos;
  }

  /** Builds a {@link DurableConfig}; every setting has a default. */
  public static final class Builder {
    private long snapshotThreshold = 1_000_000;
    private int retainedSnapshots = 2;
    private Duration checkInterval = Duration.ofSeconds(1);
    private Duration lease = Duration.ofMinutes(1);
    private Duration orphanGrace = Duration.ofMinutes(5);
    private Duration forgetAfter = Duration.ofMinutes(5);
    private Duration purgeDelay = Duration.ofNanos(ResetWatch.MARK_NANOS);

    private Builder() {}

    /**
     * Sets after how many events since the last snapshot another is written; upstream's {@code
     * --router-snapshot-threshold}, 1,000,000 by default. A snapshot is also written before events
     * leave the log by age.
     */
    public Builder snapshotThreshold(long events) {
      this.snapshotThreshold = positive("snapshotThreshold", events);
      return this;
    }

    /**
     * Sets how many snapshots are kept, two by default: should the newest turn out to be damaged,
     * the one before and the log behind it are all there. With one the log is purged up to it.
     */
    public Builder retainedSnapshots(int snapshots) {
      this.retainedSnapshots = (int) positive("retainedSnapshots", snapshots);
      return this;
    }

    /** Sets how often a router looks whether something is due; a second by default. */
    public Builder checkInterval(Duration interval) {
      this.checkInterval = positive("checkInterval", interval);
      return this;
    }

    /** Sets how long one router has for a snapshot before another may try; a minute by default. */
    public Builder lease(Duration time) {
      this.lease = positive("lease", time);
      return this;
    }

    /** Sets how long a reader may be unattended before it is removed; five minutes by default. */
    public Builder orphanGrace(Duration time) {
      this.orphanGrace = positive("orphanGrace", time);
      return this;
    }

    /**
     * Sets how long a worker may be missing in the directory before what it held is forgotten; five
     * minutes by default. One that comes back later begins with what it writes then.
     */
    public Builder forgetAfter(Duration time) {
      this.forgetAfter = positive("forgetAfter", time);
      return this;
    }

    /**
     * Sets how long an entry stays at least although a snapshot covers it, 15 seconds by default,
     * in which writers, who look every five, see the mark of a reset. In a log that is nearly full
     * other entries go at once.
     */
    public Builder purgeDelay(Duration time) {
      this.purgeDelay = positive("purgeDelay", time);
      return this;
    }

    private static long positive(String name, long value) {
      if (value < 1) {
        throw new IllegalArgumentException(name + " must be positive: " + name + "=" + value);
      }
      return value;
    }

    private static Duration positive(String name, Duration value) {
      if (value.isNegative() || value.isZero()) {
        throw new IllegalArgumentException(name + " must be positive: " + name + "=" + value);
      }
      return value;
    }

    public DurableConfig build() {
      return new DurableConfig(this);
    }
  }
}
