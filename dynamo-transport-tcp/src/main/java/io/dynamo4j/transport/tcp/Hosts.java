// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.tcp;

import io.dynamo4j.wire.PayloadFormat;
import io.dynamo4j.wire.TcpTarget;

/** What peers are told of where this process listens. */
final class Hosts {
  private Hosts() {}

  static TcpTarget target(TcpOptions options, String boundHost, int port, String path) {
    String host = options.advertisedHost().isEmpty() ? boundHost : options.advertisedHost();
    return new TcpTarget(host, port, path, PayloadFormat.MSGPACK);
  }

  static String advertised(TcpOptions options, String boundHost, int port) {
    return target(options, boundHost, port, "").hostAndPort();
  }
}
