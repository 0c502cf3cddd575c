// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.wire;

import io.dynamo4j.plane.Address;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where an endpoint of the TCP request plane is, and how it wants its bodies written.
 *
 * <p>As an {@link Address} its transport is {@code tcp+msgpack} or {@code tcp+json}; plain {@code
 * tcp} means JSON, as a record without a codec does. The value is the record's: {@code
 * host:port/path}, an IPv6 host in brackets.
 *
 * @param host a literal IP address, without brackets
 * @param port from 0 to 65,535
 * @param path what names the endpoint there; opaque
 * @param format how bodies are written
 */
public record TcpTarget(String host, int port, String path, PayloadFormat format) {
  private static final String TRANSPORT = "tcp";

  public TcpTarget {
    Objects.requireNonNull(host, "host");
    Objects.requireNonNull(path, "path");
    Objects.requireNonNull(format, "format");
    if (port < 0 || port > 0xffff) {
      throw new IllegalArgumentException("port must be in 0..65535: port=" + port);
    }
  }

  /** Returns the target that an address means, or null if it is of another transport. */
  public static @Nullable TcpTarget of(Address address) {
    String transport = address.transport();
    if (transport.equals(TRANSPORT)) {
      return parse(address.value(), PayloadFormat.JSON);
    }
    for (PayloadFormat format : PayloadFormat.values()) {
      if (transport.equals(TRANSPORT + "+" + format.wireName())) {
        return parse(address.value(), format);
      }
    }
    return null;
  }

  /**
   * Reads {@code host:port/path}.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static TcpTarget parse(String value, PayloadFormat format) {
    int slash = value.indexOf('/');
    String hostAndPort = slash < 0 ? value : value.substring(0, slash);
    int colon = hostAndPort.lastIndexOf(':');
    try {
      String host = hostAndPort.substring(0, colon);
      boolean isBracketed = host.startsWith("[") && host.endsWith("]");
      return new TcpTarget(
          isBracketed ? host.substring(1, host.length() - 1) : host,
          Integer.parseInt(hostAndPort.substring(colon + 1)),
          slash < 0 ? "" : value.substring(slash + 1),
          format);
    } catch (IndexOutOfBoundsException | NumberFormatException e) {
      throw new IllegalArgumentException("address is not host:port/path: value=" + value, e);
    }
  }

  /** Returns {@code host:port}. */
  public String hostAndPort() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }

  /** Returns what stands in a record: {@code host:port/path}. */
  public String value() {
    return hostAndPort() + "/" + path;
  }

  public Address address() {
    return new Address(TRANSPORT + "+" + format.wireName(), value());
  }
}
