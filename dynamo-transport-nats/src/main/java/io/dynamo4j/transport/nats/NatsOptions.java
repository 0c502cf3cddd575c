// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

import io.nats.client.Connection;
import io.nats.client.Options;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link NatsTransport}: the host's own connection, or how to make one.
 *
 * <p>TLS, credentials, nkeys and whatever else the client knows are given by its own {@link
 * Options}. Those made here probe an idle connection every five seconds and never give a lost one
 * up; the client's own defaults take minutes to notice a peer that has fallen silent.
 */
public final class NatsOptions {
  private final @Nullable Connection connection;
  private final Options clientOptions;
  private final Duration minRetry;
  private final Duration maxRetry;
  private final int maxConnectAttempts;
  private final Duration drain;

  private NatsOptions(Builder builder) {
    this.connection = builder.connection;
    Options given = builder.clientOptions;
    this.clientOptions = given == null ? NatsEnvironment.options(Map.of()) : given;
    this.minRetry = builder.minRetry;
    this.maxRetry = builder.maxRetry;
    this.maxConnectAttempts = builder.maxConnectAttempts;
    this.drain = builder.drain;
  }

  /** Returns a connection of our own to {@code nats://localhost:4222}. */
  public static NatsOptions ofDefaults() {
    return builder().build();
  }

  /**
   * Returns a connection of our own as Dynamo's variables describe it.
   *
   * @throws IllegalArgumentException if one names something that cannot be used
   */
  public static NatsOptions fromEnvironment(Map<String, String> environment) {
    return builder().fromEnvironment(environment).build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns the host's connection, null if the transport makes one of its own. */
  public @Nullable Connection connection() {
    return connection;
  }

  /** Returns how a connection of our own is made. */
  public Options clientOptions() {
    return clientOptions;
  }

  public Duration minRetry() {
    return minRetry;
  }

  public Duration maxRetry() {
    return maxRetry;
  }

  public int maxConnectAttempts() {
    return maxConnectAttempts;
  }

  public Duration drain() {
    return drain;
  }

  /** Builds {@link NatsOptions}; every setting has a default. */
  public static final class Builder {
    private @Nullable Connection connection;
    private @Nullable Options clientOptions;
    private Duration minRetry = Duration.ofMillis(250);
    private Duration maxRetry = Duration.ofSeconds(5);
    private int maxConnectAttempts = 120;
    private Duration drain = Duration.ofSeconds(2);

    private Builder() {}

    /**
     * Uses a connection of the host's, which stays the host's to close, after the transport. It
     * reconnects as its own options say; once it is closed the transport has failed. With {@code
     * noEcho} a process does not receive its own events.
     */
    public Builder connection(Connection hostConnection) {
      this.connection = Objects.requireNonNull(hostConnection, "hostConnection");
      return this;
    }

    /**
     * Makes a connection of our own by these options; its listeners are called as well as ours. An
     * option that limits reconnects is kept: once the client gives up, attempts begin anew.
     */
    public Builder clientOptions(Options options) {
      this.clientOptions = Objects.requireNonNull(options, "options");
      return this;
    }

    /** Makes a connection of our own to a server, such as {@code nats://10.0.0.5:4222}. */
    public Builder server(String url) {
      return clientOptions(NatsEnvironment.options(Map.of(NatsEnvironment.SERVER, url)));
    }

    /**
     * Makes a connection of our own as Dynamo's variables describe it: {@code NATS_SERVER}, and the
     * first that is set of {@code NATS_AUTH_USERNAME} with {@code NATS_AUTH_PASSWORD}, {@code
     * NATS_AUTH_TOKEN}, {@code NATS_AUTH_NKEY}, {@code NATS_AUTH_CREDENTIALS_FILE}; else Dynamo's
     * user and password {@code user}.
     *
     * @throws IllegalArgumentException if one names something that cannot be used
     */
    public Builder fromEnvironment(Map<String, String> environment) {
      return clientOptions(NatsEnvironment.options(environment));
    }

    /**
     * Sets how long after a failed attempt the next comes, doubling from one to the other; default
     * 0.25 to 5 seconds.
     */
    public Builder retry(Duration min, Duration max) {
      this.minRetry = positive("min", min);
      this.maxRetry = positive("max", max);
      if (min.compareTo(max) > 0) {
        throw new IllegalArgumentException("retry is out of order: min=" + min + ", max=" + max);
      }
      return this;
    }

    /**
     * Sets after how many failed attempts in a row the transport gives up for good; default 120,
     * which is about ten minutes.
     */
    public Builder maxConnectAttempts(int attempts) {
      if (attempts < 1) {
        throw new IllegalArgumentException("attempts must be positive: attempts=" + attempts);
      }
      this.maxConnectAttempts = attempts;
      return this;
    }

    /** Sets how long a close goes on sending what was published before; default two seconds. */
    public Builder drain(Duration time) {
      this.drain = positive("drain", time);
      return this;
    }

    private static Duration positive(String name, Duration value) {
      if (value.isNegative() || value.isZero() || value.compareTo(Duration.ofDays(1)) > 0) {
        throw new IllegalArgumentException(
            "duration must be positive and at most a day: " + name + "=" + value);
      }
      return value;
    }

    public NatsOptions build() {
      return new NatsOptions(this);
    }
  }
}
