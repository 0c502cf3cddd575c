// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.plane.AddressPolicy;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** Settings of a {@link TcpRequestPlane}. */
public final class TcpOptions {
  private final String host;
  private final int port;
  private final String callHomeHost;
  private final int callHomePort;
  private final String advertisedHost;
  private final EnumMap<TcpPhase, Duration> bounds;
  private final int maxConnectionsPerPeer;
  private final int maxMessageBytes;
  private final int maxOpenStreams;
  private final int readAheadItems;
  private final int maxUnsentBytes;
  private final int ioThreads;
  private final AddressPolicy addressPolicy;

  private TcpOptions(Builder builder) {
    this.host = builder.host;
    this.port = builder.port;
    this.callHomeHost = builder.callHomeHost;
    this.callHomePort = builder.callHomePort;
    this.advertisedHost = builder.advertisedHost;
    this.bounds = new EnumMap<>(builder.bounds);
    this.maxConnectionsPerPeer = builder.maxConnectionsPerPeer;
    this.maxMessageBytes = builder.maxMessageBytes;
    this.maxOpenStreams = builder.maxOpenStreams;
    this.readAheadItems = builder.readAheadItems;
    this.maxUnsentBytes = builder.maxUnsentBytes;
    this.ioThreads = builder.ioThreads;
    this.addressPolicy = builder.addressPolicy;
  }

  public static TcpOptions ofDefaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns the defaults changed by the variables that Dynamo's processes read. */
  public static TcpOptions fromEnvironment(Map<String, String> environment) {
    return TcpEnvironment.read(environment, builder()).build();
  }

  /** Returns the literal address that requests are taken on. */
  public String host() {
    return host;
  }

  /** Returns the port that requests are taken on; 0 lets the system choose. */
  public int port() {
    return port;
  }

  /** Returns the literal address that workers dial back to. */
  public String callHomeHost() {
    return callHomeHost;
  }

  /** Returns the port that workers dial back to; 0 lets the system choose. */
  public int callHomePort() {
    return callHomePort;
  }

  /**
   * Returns the literal address that peers are told, for both ports; empty for the ones bound to.
   */
  public String advertisedHost() {
    return advertisedHost;
  }

  /** Returns how long a request may stay in this phase. */
  public Duration bound(TcpPhase phase) {
    return Objects.requireNonNull(bounds.get(phase));
  }

  /**
   * Returns these settings with another bound of one phase.
   *
   * @throws IllegalArgumentException if the bound is not positive
   */
  public TcpOptions withBound(TcpPhase phase, Duration bound) {
    Builder changed =
        builder()
            .host(host)
            .port(port)
            .callHomeHost(callHomeHost)
            .callHomePort(callHomePort)
            .maxConnectionsPerPeer(maxConnectionsPerPeer)
            .maxMessageBytes(maxMessageBytes)
            .maxOpenStreams(maxOpenStreams)
            .readAheadItems(readAheadItems)
            .maxUnsentBytes(maxUnsentBytes)
            .ioThreads(ioThreads)
            .addressPolicy(addressPolicy);
    changed.advertisedHost = advertisedHost;
    changed.bounds.putAll(bounds);
    return changed.bound(phase, bound).build();
  }

  /** Returns how many requests may wait for their acknowledgement by one worker at a time. */
  public int maxConnectionsPerPeer() {
    return maxConnectionsPerPeer;
  }

  /** Returns the most bytes of one frame. */
  public int maxMessageBytes() {
    return maxMessageBytes;
  }

  /** Returns how many streams all served endpoints may have open; more are told of overload. */
  public int maxOpenStreams() {
    return maxOpenStreams;
  }

  /** Returns how many items are read before a subscriber has asked for them. */
  public int readAheadItems() {
    return readAheadItems;
  }

  /** Returns how many bytes of one answer may wait for a slow reader before the stream breaks. */
  public int maxUnsentBytes() {
    return maxUnsentBytes;
  }

  /** Returns the number of threads that read and write sockets. */
  public int ioThreads() {
    return ioThreads;
  }

  /** Returns who may be dialled: workers by their records, callers by their requests. */
  public AddressPolicy addressPolicy() {
    return addressPolicy;
  }

  /** Builds {@link TcpOptions}: this machine alone, ports by the system, bounds as documented. */
  public static final class Builder {
    private static final String LOOPBACK = "127.0.0.1";

    private String host = LOOPBACK;
    private int port;
    private String callHomeHost = LOOPBACK;
    private int callHomePort;
    private String advertisedHost = "";
    private final EnumMap<TcpPhase, Duration> bounds = new EnumMap<>(TcpPhase.class);
    private int maxConnectionsPerPeer = 100;
    private int maxMessageBytes = 32 << 20;
    private int maxOpenStreams = 10_000;
    private int readAheadItems = 64;
    private int maxUnsentBytes = 16 << 20;
    private int ioThreads = 1;
    private AddressPolicy addressPolicy = AddressPolicy.loopback();

    private Builder() {
      for (TcpPhase phase : TcpPhase.values()) {
        bounds.put(phase, phase.defaultBound());
      }
    }

    /** Takes requests on this literal address; by default on this machine alone. */
    public Builder host(String host) {
      AddressPolicy.literal(host, 0);
      this.host = host;
      return this;
    }

    public Builder port(int port) {
      this.port = checkPort(port);
      return this;
    }

    /** Lets workers dial back to this literal address; by default on this machine alone. */
    public Builder callHomeHost(String host) {
      AddressPolicy.literal(host, 0);
      this.callHomeHost = host;
      return this;
    }

    public Builder callHomePort(int port) {
      this.callHomePort = checkPort(port);
      return this;
    }

    /** Tells peers this literal address where the ones bound to are no use to them. */
    public Builder advertisedHost(String host) {
      AddressPolicy.literal(host, 0);
      this.advertisedHost = host;
      return this;
    }

    /**
     * Bounds one phase of every request.
     *
     * @throws IllegalArgumentException if the bound is not positive
     */
    public Builder bound(TcpPhase phase, Duration bound) {
      if (bound.isNegative() || bound.isZero()) {
        throw new IllegalArgumentException(
            "bound must be positive: phase=" + phase + ", bound=" + bound);
      }
      bounds.put(phase, bound);
      return this;
    }

    public Builder maxConnectionsPerPeer(int connections) {
      this.maxConnectionsPerPeer = positive("maxConnectionsPerPeer", connections);
      return this;
    }

    public Builder maxMessageBytes(int bytes) {
      this.maxMessageBytes = positive("maxMessageBytes", bytes);
      return this;
    }

    public Builder maxOpenStreams(int streams) {
      this.maxOpenStreams = positive("maxOpenStreams", streams);
      return this;
    }

    public Builder readAheadItems(int items) {
      this.readAheadItems = positive("readAheadItems", items);
      return this;
    }

    public Builder maxUnsentBytes(int bytes) {
      this.maxUnsentBytes = positive("maxUnsentBytes", bytes);
      return this;
    }

    public Builder ioThreads(int threads) {
      this.ioThreads = positive("ioThreads", threads);
      return this;
    }

    public Builder addressPolicy(AddressPolicy policy) {
      this.addressPolicy = Objects.requireNonNull(policy, "policy");
      return this;
    }

    public TcpOptions build() {
      return new TcpOptions(this);
    }

    private static int checkPort(int port) {
      if (port < 0 || port > 0xffff) {
        throw new IllegalArgumentException("port must be in 0..65535: port=" + port);
      }
      return port;
    }

    private static int positive(String name, int value) {
      if (value < 1) {
        throw new IllegalArgumentException(name + " must be positive: " + name + "=" + value);
      }
      return value;
    }
  }
}
