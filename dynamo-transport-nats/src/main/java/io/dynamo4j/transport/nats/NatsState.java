// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.transport.nats;

/** What a {@link NatsTransport} has of its server. */
public enum NatsState {
  /** There has been no connection yet, or the client gave one up: the next attempt will come. */
  CONNECTING,
  /** Connected. */
  CONNECTED,
  /** The connection was lost and the client makes it anew. */
  RECONNECTING,
  /**
   * As many attempts as allowed have failed, or the host closed its connection: there is no way
   * back.
   */
  FAILED,
  /** Closed by the host. */
  CLOSED
}
