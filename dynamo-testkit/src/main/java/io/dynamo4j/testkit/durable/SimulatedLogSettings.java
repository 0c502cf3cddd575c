// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.testkit.durable;

import io.dynamo4j.plane.LogFacts;
import java.time.Duration;
import java.util.Objects;

/** Limits of a {@link SimulatedLogServer}; every one has a default. */
public final class SimulatedLogSettings {
  private final Duration retention;
  private final Duration dedupeWindow;
  private final Duration maxLatency;
  private final Duration requestTimeout;
  private final long maxEntries;
  private final int maxEntryBytes;

  private SimulatedLogSettings(Builder builder) {
    this.retention = builder.retention;
    this.dedupeWindow = builder.dedupeWindow;
    this.maxLatency = builder.maxLatency;
    this.requestTimeout = builder.requestTimeout;
    this.maxEntries = builder.maxEntries;
    this.maxEntryBytes = builder.maxEntryBytes;
  }

  /** Returns an hour's retention, no bound on entries, latency of up to a millisecond. */
  public static SimulatedLogSettings ofDefaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  public Duration retention() {
    return retention;
  }

  public Duration dedupeWindow() {
    return dedupeWindow;
  }

  public Duration maxLatency() {
    return maxLatency;
  }

  public Duration requestTimeout() {
    return requestTimeout;
  }

  public long maxEntries() {
    return maxEntries;
  }

  public int maxEntryBytes() {
    return maxEntryBytes;
  }

  /** Builds {@link SimulatedLogSettings}. */
  public static final class Builder {
    private Duration retention = Duration.ofHours(1);
    private Duration dedupeWindow = Duration.ofMinutes(2);
    private Duration maxLatency = Duration.ofMillis(1);
    private Duration requestTimeout = Duration.ofSeconds(5);
    private long maxEntries = LogFacts.UNLIMITED;
    private int maxEntryBytes = 1 << 20;

    private Builder() {}

    /** Sets after which entries leave; an hour by default. */
    public Builder retention(Duration time) {
      this.retention = Objects.requireNonNull(time, "time");
      return this;
    }

    /** Sets how long message ids are known; two minutes by default. */
    public Builder dedupeWindow(Duration time) {
      this.dedupeWindow = Objects.requireNonNull(time, "time");
      return this;
    }

    /** Sets the longest way of a message; a millisecond by default. */
    public Builder maxLatency(Duration time) {
      this.maxLatency = Objects.requireNonNull(time, "time");
      return this;
    }

    /** Sets after which a client no longer waits for an answer; five seconds by default. */
    public Builder requestTimeout(Duration time) {
      this.requestTimeout = Objects.requireNonNull(time, "time");
      return this;
    }

    /** Sets beyond how many entries the log refuses more; unlimited by default. */
    public Builder maxEntries(long entries) {
      this.maxEntries = entries;
      return this;
    }

    /** Sets the longest payload; 1 MiB by default. */
    public Builder maxEntryBytes(int bytes) {
      this.maxEntryBytes = bytes;
      return this;
    }

    public SimulatedLogSettings build() {
      return new SimulatedLogSettings(this);
    }
  }
}
