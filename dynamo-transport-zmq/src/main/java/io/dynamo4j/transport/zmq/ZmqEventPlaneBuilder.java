// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

import io.dynamo4j.plane.AddressPolicy;
import io.dynamo4j.plane.EventChannelDirectory;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds a {@link ZmqEventPlane}; every setting has a default. */
public final class ZmqEventPlaneBuilder {
  /** Envelopes that wait for one subscription, or for the socket, unless told otherwise. */
  public static final int DEFAULT_QUEUE_CAPACITY = 100_000;

  private static final String HOST = "DYN_EVENT_PLANE_HOST";

  final ZmqTransport transport;
  final @Nullable EventChannelDirectory directory;
  final @Nullable ZmqBrokers brokers;
  String bindHost = "127.0.0.1";
  @Nullable String advertisedHost;
  int queueCapacity = DEFAULT_QUEUE_CAPACITY;
  int highWater = 100_000;
  AddressPolicy addressPolicy = AddressPolicy.loopback();

  ZmqEventPlaneBuilder(
      ZmqTransport transport,
      @Nullable EventChannelDirectory directory,
      @Nullable ZmqBrokers brokers) {
    this.transport = Objects.requireNonNull(transport, "transport");
    this.directory = directory;
    this.brokers = brokers;
  }

  /**
   * Sets which local address publishers bind, each to a free port; default {@code 127.0.0.1}, which
   * nobody outside of this machine reaches. Through brokers nothing is bound.
   */
  public ZmqEventPlaneBuilder bindHost(String host) {
    this.bindHost = Objects.requireNonNull(host, "host");
    return this;
  }

  /** Sets by which address others reach what is bound here; default the bound one. */
  public ZmqEventPlaneBuilder advertisedHost(String host) {
    this.advertisedHost = Objects.requireNonNull(host, "host");
    return this;
  }

  /** Sets the advertised host by Dynamo's {@code DYN_EVENT_PLANE_HOST}, where it is given. */
  public ZmqEventPlaneBuilder fromEnvironment(Map<String, String> environment) {
    String host = environment.get(HOST);
    if (host != null && !host.isBlank()) {
      advertisedHost = host.trim();
    }
    return this;
  }

  /**
   * Sets how many envelopes wait for one subscription, and how many of one publisher for the
   * socket; beyond that new ones are dropped and counted. Default 100,000, as Dynamo has it.
   */
  public ZmqEventPlaneBuilder queueCapacity(int envelopes) {
    this.queueCapacity = positive("queueCapacity", envelopes);
    return this;
  }

  /** Sets how many messages each connection holds at either end; default 100,000. */
  public ZmqEventPlaneBuilder highWater(int messages) {
    this.highWater = positive("highWater", messages);
    return this;
  }

  /**
   * Sets which addresses of the directory may be dialled; default this machine. Names are refused,
   * addresses must be literal.
   */
  public ZmqEventPlaneBuilder addressPolicy(AddressPolicy policy) {
    this.addressPolicy = Objects.requireNonNull(policy, "policy");
    return this;
  }

  private static int positive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be positive: " + name + "=" + value);
    }
    return value;
  }

  public ZmqEventPlane build() {
    return ZmqEventPlane.open(this);
  }
}
