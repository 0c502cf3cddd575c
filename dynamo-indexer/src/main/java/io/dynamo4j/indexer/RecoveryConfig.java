// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.indexer;

import java.time.Duration;

/** How a {@link KvEventFeed} asks sources for what it misses. */
public final class RecoveryConfig {
  private final int maxAttempts;
  private final long firstBackoffNanos;
  private final int maxConcurrentQueries;
  private final long attemptTimeoutNanos;
  private final long retryIntervalNanos;
  private final long checkIntervalNanos;
  private final int maxHeldEvents;
  private final long proofIntervalNanos;
  private final long maxAnswerBytes;

  private RecoveryConfig(Builder builder) {
    this.maxAttempts = builder.maxAttempts;
    this.firstBackoffNanos = builder.firstBackoff.toNanos();
    this.maxConcurrentQueries = builder.maxConcurrentQueries;
    this.attemptTimeoutNanos = builder.attemptTimeout.toNanos();
    this.retryIntervalNanos = builder.retryInterval.toNanos();
    this.checkIntervalNanos = builder.checkInterval.toNanos();
    this.maxHeldEvents = builder.maxHeldEvents;
    this.proofIntervalNanos = builder.proofInterval.toNanos();
    this.maxAnswerBytes = builder.maxAnswerBytes;
  }

  /** Returns Dynamo's figures where it has any. */
  public static RecoveryConfig ofDefaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns how often one recovery asks before it counts as failed. */
  public int maxAttempts() {
    return maxAttempts;
  }

  /** Returns the pause after the first failed attempt; it doubles with each further one. */
  public long firstBackoffNanos() {
    return firstBackoffNanos;
  }

  /** Returns how many sources are asked at one time. */
  public int maxConcurrentQueries() {
    return maxConcurrentQueries;
  }

  /** Returns how long one answer is waited for. */
  public long attemptTimeoutNanos() {
    return attemptTimeoutNanos;
  }

  /** Returns how long after a failed recovery the next begins, unless an event comes before. */
  public long retryIntervalNanos() {
    return retryIntervalNanos;
  }

  /** Returns after how much silence about its newest number a source is asked for it. */
  public long checkIntervalNanos() {
    return checkIntervalNanos;
  }

  /** Returns how many events of a rank are held back while it recovers; the oldest give way. */
  public int maxHeldEvents() {
    return maxHeldEvents;
  }

  /** Returns how often what the index holds of a rank is compared with its source's digest. */
  public long proofIntervalNanos() {
    return proofIntervalNanos;
  }

  /** Returns how many bytes of one answer are taken, all its parts together. */
  public long maxAnswerBytes() {
    return maxAnswerBytes;
  }

  /** Builds a {@link RecoveryConfig}. */
  public static final class Builder {
    private int maxAttempts = 8;
    private Duration firstBackoff = Duration.ofMillis(200);
    private int maxConcurrentQueries = 16;
    private Duration attemptTimeout = Duration.ofSeconds(10);
    private Duration retryInterval = Duration.ofSeconds(30);
    private Duration checkInterval = Duration.ofSeconds(10);
    private int maxHeldEvents = 1024;
    private Duration proofInterval = Duration.ofMinutes(1);
    private long maxAnswerBytes = 1L << 28;

    private Builder() {}

    /** Sets how often one recovery asks, at least once; 8 unless set. */
    public Builder maxAttempts(int attempts) {
      this.maxAttempts = positive(attempts, "maxAttempts");
      return this;
    }

    /** Sets the pause after the first failed attempt; 200 ms unless set. */
    public Builder firstBackoff(Duration pause) {
      this.firstBackoff = positive(pause, "firstBackoff");
      return this;
    }

    /** Sets how many sources are asked at one time; 16 unless set. */
    public Builder maxConcurrentQueries(int queries) {
      this.maxConcurrentQueries = positive(queries, "maxConcurrentQueries");
      return this;
    }

    /** Sets how long one answer is waited for; 10 s unless set. */
    public Builder attemptTimeout(Duration timeout) {
      this.attemptTimeout = positive(timeout, "attemptTimeout");
      return this;
    }

    /** Sets when a failed recovery is tried again; after 30 s unless set. */
    public Builder retryInterval(Duration interval) {
      this.retryInterval = positive(interval, "retryInterval");
      return this;
    }

    /** Sets after how much silence a source is asked for its newest number; 10 s unless set. */
    public Builder checkInterval(Duration interval) {
      this.checkInterval = positive(interval, "checkInterval");
      return this;
    }

    /** Sets how many events of a recovering rank are held back; 1,024 unless set. */
    public Builder maxHeldEvents(int events) {
      this.maxHeldEvents = positive(events, "maxHeldEvents");
      return this;
    }

    /**
     * Sets how often what the index holds of a rank is compared with its source's digest, at most;
     * every minute unless set. Costs a walk over the rank's blocks.
     */
    public Builder proofInterval(Duration interval) {
      this.proofInterval = positive(interval, "proofInterval");
      return this;
    }

    /**
     * Sets how many bytes of one answer are taken, about 57 a block; 256 MiB unless set. A source
     * that sends more has failed.
     */
    public Builder maxAnswerBytes(long bytes) {
      if (bytes < 1) {
        throw new IllegalArgumentException("maxAnswerBytes must be positive: bytes=" + bytes);
      }
      this.maxAnswerBytes = bytes;
      return this;
    }

    private static int positive(int value, String name) {
      if (value < 1) {
        throw new IllegalArgumentException(name + " must be positive: " + name + "=" + value);
      }
      return value;
    }

    private static Duration positive(Duration value, String name) {
      if (value.isNegative() || value.isZero()) {
        throw new IllegalArgumentException(name + " must be positive: " + name + "=" + value);
      }
      return value;
    }

    public RecoveryConfig build() {
      return new RecoveryConfig(this);
    }
  }
}
