// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.zmq;

/** Addresses as engines write them, and as somebody else dials them. */
final class EngineEndpoints {
  private static final String TCP = "tcp://";
  private static final String INPROC = "inproc://";
  private static final int MAX_PORT = 65_535;

  private EngineEndpoints() {}

  /**
   * Puts the engine's host where its own address has a wildcard.
   *
   * @throws IllegalArgumentException if the address has no port that others could know
   */
  static String atHost(String endpoint, String host) {
    if (!endpoint.startsWith(TCP)) {
      return endpoint;
    }
    String own = hostOf(endpoint);
    int port = portOf(endpoint);
    boolean wildcard = own.equals("*") || own.equals("0.0.0.0") || own.equals("[::]");
    return TCP + (wildcard ? bracketed(host) : own) + ":" + port;
  }

  /**
   * Returns where a rank of the same engine is: TCP ports are counted on, names inside a process
   * get a suffix.
   *
   * @throws IllegalArgumentException if the address is of another kind and the rank not 0
   */
  static String ofRank(String endpoint, int dpRank) {
    if (dpRank == 0) {
      return endpoint;
    }
    if (endpoint.startsWith(INPROC)) {
      return endpoint + "_dp" + dpRank;
    }
    if (!endpoint.startsWith(TCP)) {
      throw new IllegalArgumentException(
          "ranks need tcp or inproc: endpoint=" + endpoint + ", dpRank=" + dpRank);
    }
    int port = portOf(endpoint) + dpRank;
    if (port > MAX_PORT) {
      throw new IllegalArgumentException(
          "no port for the rank: endpoint=" + endpoint + ", dpRank=" + dpRank);
    }
    return TCP + hostOf(endpoint) + ":" + port;
  }

  private static String bracketed(String host) {
    return host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
  }

  private static String hostOf(String endpoint) {
    int colon = endpoint.lastIndexOf(':');
    if (colon < TCP.length()) {
      throw new IllegalArgumentException("address lacks a port: endpoint=" + endpoint);
    }
    String host = endpoint.substring(TCP.length(), colon);
    return host.equals("::") ? "[::]" : host;
  }

  private static int portOf(String endpoint) {
    String text = endpoint.substring(endpoint.lastIndexOf(':') + 1);
    int port = -1;
    try {
      port = Integer.parseInt(text);
    } catch (NumberFormatException notANumber) {
      // Refused below.
    }
    if (port < 1 || port > MAX_PORT) {
      throw new IllegalArgumentException("port is not one to dial: endpoint=" + endpoint);
    }
    return port;
  }
}
