// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.plane;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Decides before each connection to an address that a peer gave, by its records or in a request:
 * what a stranger names may be a machine that only this process can reach.
 *
 * <p>Peers give literal addresses; names are refused, since looking one up would wait and would
 * dial whatever the answer says.
 */
@FunctionalInterface
public interface AddressPolicy {

  /**
   * Tells whether a connection may be made.
   *
   * <p><b>Threads.</b> Any, also those that must not wait.
   */
  boolean allows(InetSocketAddress address);

  /** Allows this machine alone: the default. */
  static AddressPolicy loopback() {
    return address -> address.getAddress() != null && address.getAddress().isLoopbackAddress();
  }

  /** Allows everything: for networks where every peer is trusted. */
  static AddressPolicy any() {
    return address -> true;
  }

  /**
   * Allows this machine and these networks.
   *
   * @param networks such as {@code 10.0.0.0/8} or {@code fd00::/8}
   * @throws IllegalArgumentException if one is no literal address with a prefix length
   */
  static AddressPolicy networks(String... networks) {
    List<Network> allowed = new ArrayList<>();
    for (String network : networks) {
      allowed.add(Network.parse(network));
    }
    AddressPolicy loopback = loopback();
    return address ->
        loopback.allows(address)
            || (address.getAddress() != null
                && allowed.stream()
                    .anyMatch(network -> network.contains(address.getAddress().getAddress())));
  }

  /**
   * Returns a literal address without asking anyone for it.
   *
   * @throws IllegalArgumentException if the host is no literal IP address
   */
  static InetSocketAddress literal(String host, int port) {
    Objects.requireNonNull(host, "host");
    if (!Network.LITERAL.matcher(host).matches()) {
      throw new IllegalArgumentException("host must be a literal IP address: host=" + host);
    }
    try {
      return new InetSocketAddress(InetAddress.getByName(host), port);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("host must be a literal IP address: host=" + host, e);
    }
  }

  /** An address and how many of its leading bits count. */
  final class Network {
    private static final Pattern LITERAL =
        Pattern.compile("\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}|[0-9a-fA-F.]*:[0-9a-fA-F:.]*");

    private final byte[] address;
    private final int bits;

    private Network(byte[] address, int bits) {
      this.address = address;
      this.bits = bits;
    }

    static Network parse(String text) {
      int slash = text.indexOf('/');
      try {
        byte[] address = literal(text.substring(0, slash), 0).getAddress().getAddress();
        int bits = Integer.parseInt(text.substring(slash + 1));
        if (bits >= 0 && bits <= address.length * Byte.SIZE) {
          return new Network(address, bits);
        }
      } catch (IndexOutOfBoundsException | NumberFormatException e) {
        throw new IllegalArgumentException("network must be address/bits: network=" + text, e);
      }
      throw new IllegalArgumentException("network must be address/bits: network=" + text);
    }

    boolean contains(byte[] other) {
      int whole = bits / Byte.SIZE;
      int rest = bits % Byte.SIZE;
      return other.length == address.length
          && Arrays.equals(address, 0, whole, other, 0, whole)
          && (rest == 0 || ((address[whole] ^ other[whole]) & 0xff) >>> (Byte.SIZE - rest) == 0);
    }
  }
}
