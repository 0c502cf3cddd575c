// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.zeromq.ZContext;

/** Settings of a {@link ZmqTransport}; they hold for each of its sockets. */
public final class ZmqOptions {
  private final @Nullable ZContext context;
  private final int ioThreads;
  private final Duration heartbeatInterval;
  private final Duration heartbeatTimeout;
  private final Duration minReconnect;
  private final Duration maxReconnect;
  private final Duration linger;

  private ZmqOptions(Builder builder) {
    this.context = builder.context;
    this.ioThreads = builder.ioThreads;
    this.heartbeatInterval = builder.heartbeatInterval;
    this.heartbeatTimeout = builder.heartbeatTimeout;
    this.minReconnect = builder.minReconnect;
    this.maxReconnect = builder.maxReconnect;
    this.linger = builder.linger;
  }

  public static ZmqOptions ofDefaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns the host's context, null if the transport makes one of its own. */
  public @Nullable ZContext context() {
    return context;
  }

  public int ioThreads() {
    return ioThreads;
  }

  public Duration heartbeatInterval() {
    return heartbeatInterval;
  }

  public Duration heartbeatTimeout() {
    return heartbeatTimeout;
  }

  public Duration minReconnect() {
    return minReconnect;
  }

  public Duration maxReconnect() {
    return maxReconnect;
  }

  public Duration linger() {
    return linger;
  }

  /** Builds {@link ZmqOptions}; every setting has a default. */
  public static final class Builder {
    private @Nullable ZContext context;
    private int ioThreads = 1;
    private Duration heartbeatInterval = Duration.ofSeconds(5);
    private Duration heartbeatTimeout = Duration.ofSeconds(15);
    private Duration minReconnect = Duration.ofMillis(100);
    private Duration maxReconnect = Duration.ofSeconds(5);
    private Duration linger = Duration.ofMillis(500);

    private Builder() {}

    /**
     * Sets a context of the host's, which stays the host's to close, after the transport; default a
     * context of the transport's own. It must allow as many sockets as there are ranks, twice.
     */
    public Builder context(ZContext hostContext) {
      this.context = Objects.requireNonNull(hostContext, "hostContext");
      return this;
    }

    /**
     * Sets how many threads move bytes in a context of the transport's own; default 1.
     *
     * @throws IllegalArgumentException if not positive
     */
    public Builder ioThreads(int threads) {
      if (threads < 1) {
        throw new IllegalArgumentException("ioThreads must be positive: ioThreads=" + threads);
      }
      this.ioThreads = threads;
      return this;
    }

    /**
     * Sets how often a connection is probed, and after how long without any byte it is given up and
     * made anew; default 5 and 15 seconds. A healthy peer that has nothing to say answers probes.
     */
    public Builder heartbeat(Duration interval, Duration timeout) {
      this.heartbeatInterval = positive("interval", interval);
      this.heartbeatTimeout = positive("timeout", timeout);
      return this;
    }

    /** Sets how long after a lost or failed connection the next is tried; default 0.1 to 5 s. */
    public Builder reconnect(Duration min, Duration max) {
      this.minReconnect = positive("min", min);
      this.maxReconnect = positive("max", max);
      return this;
    }

    /** Sets how long a close waits for what is still to be sent; default half a second. */
    public Builder linger(Duration time) {
      this.linger = positive("linger", time);
      return this;
    }

    private static Duration positive(String name, Duration value) {
      if (value.toMillis() < 1 || value.toMillis() > Integer.MAX_VALUE) {
        throw new IllegalArgumentException(
            "duration is out of range: " + name + "=" + value + ", least=PT0.001S");
      }
      return value;
    }

    public ZmqOptions build() {
      return new ZmqOptions(this);
    }
  }
}
