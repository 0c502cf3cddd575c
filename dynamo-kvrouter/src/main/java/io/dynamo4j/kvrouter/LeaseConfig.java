// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.kvrouter;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * How long bookings live without a sign of life, and how routers tell each other about theirs.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class LeaseConfig {
  private static final Duration DEFAULT_REQUEST_EXPIRY = Duration.ofMinutes(5);
  private static final Duration DEFAULT_ROUTER_LEASE = Duration.ofSeconds(10);
  private static final int DEFAULT_EVENTS_PER_MESSAGE = 256;
  private static final LeaseConfig DEFAULTS = builder().build();

  private final Duration activeRequestExpiry;
  private final Duration routerLease;
  private final int eventsPerMessage;

  private LeaseConfig(Builder builder) {
    this.activeRequestExpiry = builder.activeRequestExpiry;
    this.routerLease = builder.routerLease;
    this.eventsPerMessage = builder.eventsPerMessage;
  }

  /** Returns Dynamo's expiry of 300 s, a router's lease of 10 s, messages of many events. */
  public static LeaseConfig ofDefaults() {
    return DEFAULTS;
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Reads {@code DYN_ROUTER_ACTIVE_REQUEST_EXPIRY_SECS}; what is absent, not positive or no number
   * has its default.
   */
  public static LeaseConfig fromEnvironment(Map<String, String> environment) {
    Builder builder = builder();
    String text = environment.get("DYN_ROUTER_ACTIVE_REQUEST_EXPIRY_SECS");
    if (text != null) {
      try {
        long seconds = Long.parseLong(text.strip());
        if (seconds > 0) {
          builder.activeRequestExpiry(Duration.ofSeconds(seconds));
        }
      } catch (NumberFormatException | ArithmeticException absent) {
        return builder.build();
      }
    }
    return builder.build();
  }

  /**
   * Returns how long a booking lives without progress of its request: since it was made, its prompt
   * was computed or tokens arrived, whichever was last.
   */
  public Duration activeRequestExpiry() {
    return activeRequestExpiry;
  }

  /**
   * Returns how long other routers keep this router's bookings without hearing from it. It says so
   * three times as often.
   */
  public Duration routerLease() {
    return routerLease;
  }

  /** Returns how many events one message holds at most; 1 means Dynamo's form without a list. */
  public int eventsPerMessage() {
    return eventsPerMessage;
  }

  /** Builds a {@link LeaseConfig}. */
  public static final class Builder {
    private Duration activeRequestExpiry = DEFAULT_REQUEST_EXPIRY;
    private Duration routerLease = DEFAULT_ROUTER_LEASE;
    private int eventsPerMessage = DEFAULT_EVENTS_PER_MESSAGE;

    private Builder() {}

    /**
     * Sets how long a booking lives without progress.
     *
     * @throws IllegalArgumentException if not positive or beyond 292 years
     */
    public Builder activeRequestExpiry(Duration expiry) {
      this.activeRequestExpiry = positive("active request expiry", expiry);
      return this;
    }

    /**
     * Sets how long other routers keep this router's bookings without hearing from it.
     *
     * @throws IllegalArgumentException if below 30 ms or above a day
     */
    public Builder routerLease(Duration lease) {
      positive("router lease", lease);
      if (lease.toMillis() < 30 || lease.compareTo(Duration.ofDays(1)) > 0) {
        throw new IllegalArgumentException("router lease must be in 30 ms..1 d: lease=" + lease);
      }
      this.routerLease = lease;
      return this;
    }

    /**
     * Sets how many events one message holds: many suit ZMQ, where Dynamo sends lists; 1 suits
     * NATS, where it sends bare events. Either is read everywhere.
     *
     * @throws IllegalArgumentException if not in 1..256
     */
    public Builder eventsPerMessage(int events) {
      if (events < 1 || events > DEFAULT_EVENTS_PER_MESSAGE) {
        throw new IllegalArgumentException(
            "events per message must be in 1..256: eventsPerMessage=" + events);
      }
      this.eventsPerMessage = events;
      return this;
    }

    public LeaseConfig build() {
      return new LeaseConfig(this);
    }

    private static Duration positive(String what, Duration value) {
      Objects.requireNonNull(value, what);
      if (value.isZero() || value.isNegative() || value.toSeconds() >= Long.MAX_VALUE / 1e9) {
        throw new IllegalArgumentException(what + " must be positive: value=" + value);
      }
      return value;
    }
  }
}
