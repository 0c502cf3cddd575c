// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Reads the variables that Dynamo's processes take; a value that is none names its variable. */
final class TcpEnvironment {
  private TcpEnvironment() {}

  static TcpOptions.Builder read(Map<String, String> environment, TcpOptions.Builder options) {
    text(environment, "DYN_TCP_RPC_HOST", options::host);
    number(environment, "DYN_TCP_RPC_PORT", options::port);
    text(environment, "DYN_TCP_RESPONSE_STREAM_HOST", options::callHomeHost);
    number(environment, "DYN_TCP_RESPONSE_STREAM_PORT", options::callHomePort);
    number(environment, "DYN_TCP_POOL_SIZE", options::maxConnectionsPerPeer);
    number(environment, "DYN_TCP_MAX_MESSAGE_SIZE", options::maxMessageBytes);
    seconds(environment, "DYN_TCP_CONNECT_TIMEOUT", TcpPhase.DIAL, options);
    seconds(environment, "DYN_TCP_REQUEST_TIMEOUT", TcpPhase.ACK, options);
    return options;
  }

  private static void seconds(
      Map<String, String> environment, String name, TcpPhase phase, TcpOptions.Builder options) {
    number(environment, name, value -> options.bound(phase, Duration.ofSeconds(value)));
  }

  private static void number(Map<String, String> environment, String name, IntConsumer to) {
    text(environment, name, value -> to.accept(Integer.parseInt(value)));
  }

  private static void text(Map<String, String> environment, String name, Consumer<String> to) {
    String value = environment.get(name);
    if (value == null || value.isBlank()) {
      return;
    }
    try {
      to.accept(value.trim());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "environment variable is out of range: name=" + name + ", value=" + value, e);
    }
  }
}
